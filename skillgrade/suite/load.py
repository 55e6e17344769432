"""A suite file to `Suite`."""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from skillgrade.errors import Problem, SuiteError
from skillgrade.skill.discover import discover_skills
from skillgrade.skill.model import Skill
from skillgrade.suite.cursor import Cursor
from skillgrade.suite.digest import content_digests, suite_digest
from skillgrade.suite.eval_files import EvalFiles
from skillgrade.suite.findings import Findings, in_order
from skillgrade.suite.formats import EVAL_YAML
from skillgrade.suite.model import Suite, Task, TriggerPrompts
from skillgrade.suite.neighbours import neighbour_suites
from skillgrade.suite.references import TEMPLATE_MARK, References
from skillgrade.suite.schema import schema_errors
from skillgrade.suite.schema_messages import schema_problems
from skillgrade.suite.source import read_source, suite_file
from skillgrade.suite.tasks import TaskReader
from skillgrade.wording import shown

ENV_FILE = ".env"


def load_suite(
    path: Path, *, allow_outside: bool = False, results: Iterable[Path] = (), with_digests: bool = True
) -> Suite:
    """Read a suite, with everything that it imports and refers to.

    Args:
        path: An eval.yaml or a file of another format, or the folder that holds one.
        allow_outside: Whether paths and links may leave the git root (without one: the folder of the file).
        results: Folders of earlier runs, absolute: wherever they lie, they are not of the skill.
        with_digests: Whether `contents` and `digest` are wanted; a list of the tasks needs none, and they take time.

    Raises:
        SuiteError: It does not exist or is wrong; with every problem that was found.
    """
    with _no_search_for_garbage():
        return _load(suite_file(path), allow_outside=allow_outside, results=results, with_digests=with_digests)


def _load(file: Path, *, allow_outside: bool, results: Iterable[Path], with_digests: bool) -> Suite:
    files = EvalFiles(file.parent, allow_outside=allow_outside)
    findings = Findings()
    source = read_source(file, files, findings)
    root = source.document
    if not findings.errors:  # else the schema would say once more, in other words, what a converter has said
        findings.errors.extend(schema_problems(schema_errors(root.value), root))
    skills = _skills(root, files, findings)
    references = References(files, skills, findings, is_foreign=source.format != EVAL_YAML)
    references.own.update(source.files, results)
    if references.skill_around(file) is not None:
        references.own.update(neighbour_suites(file.parent, files))
    if any(file.parent != skill.folder and file.is_relative_to(skill.folder) for skill in skills):
        references.own.add(file.parent)  # a folder of its own inside the skill is the eval's with all that it holds
    tasks = _tasks(root, TaskReader(root.get("defaults"), references))
    env_file = _env_file(files, findings)
    findings.raise_errors()
    suite = Suite(
        file=file,
        root=file.parent,
        tasks=tasks,
        skills=skills,
        env_file=env_file,
        own_files=frozenset(references.own),
        warnings=_sentences(in_order(findings.warnings)),
        format=source.format,
        triggers=_triggers(root),
    )
    if not with_digests:
        return suite
    suite = dataclasses.replace(suite, contents=content_digests(suite, references.contents, files))
    return dataclasses.replace(suite, digest=suite_digest(suite))


@contextmanager
def _no_search_for_garbage() -> Iterator[None]:
    """Keep Python from searching for garbage: each row of a dataset becomes several objects, of which all stay."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _sentences(problems: Iterable[Problem]) -> tuple[str, ...]:
    """One sentence for each place: what stands once in `defaults` is met again in every task."""
    by_place: dict[object, str] = {}
    for problem in problems:
        by_place.setdefault((problem.file, problem.line, problem.column, problem.message), str(problem))
    return tuple(by_place.values())


def _skills(root: Cursor, files: EvalFiles, findings: Findings) -> tuple[Skill, ...]:
    explicit = root.get("skill")
    place = explicit or root
    try:
        skills = discover_skills(files.root, explicit.text() if explicit else None)
    except SuiteError as error:
        findings.errors.extend(
            one if one.file else Problem(one.message, *place.mark, path=place.path) for one in error.problems
        )
        return ()
    for skill in skills:
        if files.leaves(skill.folder):
            message = (
                f"the skill {shown(skill.name)} lies outside {files.border}; pass --allow-outside if it may be read"
            )
            findings.error(place.mark, "skill", message)
    return skills


def _triggers(root: Cursor) -> TriggerPrompts | None:
    holder = root.get("triggers")
    if holder is None:
        return None
    sides = (holder.get("positive"), holder.get("negative"))
    return TriggerPrompts(*(tuple(item.text() or "" for item in side.items()) if side else () for side in sides))


def _env_file(files: EvalFiles, findings: Findings) -> Path | None:
    """The `.env` whose variables the agent gets: a link must not bring in somebody else's."""
    file = files.root / ENV_FILE
    if not file.exists():
        return None
    if files.leaves(file):
        message = f"is a link that leaves {files.border}; pass --allow-outside if it may be read"
        findings.errors.append(Problem(message, file))
    return file


def _tasks(root: Cursor, reader: TaskReader) -> tuple[Task, ...]:
    tasks: list[Task] = []
    first: dict[str, Task] = {}
    entries = root.get("tasks")
    for cursor in entries.items() if entries else ():
        if not isinstance(cursor.value, dict):
            continue
        name = cursor.get("name")
        read = reader.read(cursor)
        tasks += read
        named = {task.name: task for task in read}
        if read and read[0].dataset is not None and TEMPLATE_MARK not in read[0].dataset:
            named[read[0].dataset] = read[0]  # it selects all rows
        double = next(filter(first.__contains__, named), None)
        if name is not None and double is not None:
            earlier = first[double]
            place = f"{reader.references.files.shown(earlier.file)}:{earlier.line}"
            message = f"another task is called {shown(double)} already, in {place}; names must be unique"
            reader.references.findings.error(name.mark, name.path, message)
        first |= named
    return tuple(tasks)

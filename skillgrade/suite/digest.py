"""A digest of everything in a suite that the outcome of a trial depends on.

It covers the resolved tasks, the contents of every file that goes into a workspace or to a grader, and the skills as
agents get them. It does not cover where the suite lies, comments and formatting, nor how many trials run and what
`--ci` asks of them: results of five trials and of fifty are of one suite.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import operator
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath

from skillgrade.errors import Problem, SuiteError
from skillgrade.reading import reason
from skillgrade.skill.contents import skill_contents
from skillgrade.skill.model import Skill
from skillgrade.suite.assertion_specs import asks_about_skills
from skillgrade.suite.eval_files import EvalFiles
from skillgrade.suite.model import Suite, Task
from skillgrade.suite.row_task import RowTask

_NOT_OF_THE_OUTCOME = ("file", "line", "trials", "threshold", "retries")
_CONDITIONS = ("agent", "provider")
_PLAIN = frozenset((str, int, float, bool, type(None)))
_OF_A_ROW = ("name", "instruction", "expected", "metadata", "workspace", "solution", "turns", "graders")
_of_a_row = operator.attrgetter(*_OF_A_ROW)


def content_digests(suite: Suite, contents: Iterable[Path], files: EvalFiles) -> Mapping[str, str]:
    """What the files of a suite hold, by a name that a person knows them by.

    Args:
        suite: The suite.
        contents: Files and folders whose contents count, absolute, readable.
        files: Lists what is in folders.

    Returns:
        A digest by path relative to the suite, and by the skill's name and path for what belongs to a skill.

    Raises:
        SuiteError: A file cannot be read.
    """
    found = dict(_contents((file for path in contents for file in files.scan(path).files), suite.root))
    for skill in suite.skills:
        found |= _skill(skill, suite.own_files)
    return found


def suite_digest(suite: Suite) -> str:
    """The digest of a suite whose `contents` are set, as ``sha256:`` and 64 hexadecimal digits."""
    return _digest({"tasks": list(_tasks(suite.tasks, suite.root)), "contents": suite.contents})


def task_digest(task: Task, root: Path) -> str:
    """A digest of what a task asks and how it is graded, flags included; files count by their names only.

    Who works on it under which conditions is not in it, nor are graders that ask whether a skill was used: what has the
    same digest can be compared. `conditions_digest` covers the rest.

    Args:
        task: The task.
        root: The suite's folder, to which paths are made relative.
    """
    graders = [_relative(spec, root) for spec in task.graders if not asks_about_skills(spec)]
    asked = {name: value for name, value in _task(task, root).items() if name not in _CONDITIONS}
    return _digest({**asked, "graders": graders})


def conditions_digest(task: Task, root: Path) -> str:
    """A digest of what `task_digest` leaves out: the agent, the provider, and graders that ask about skills."""
    conditions = {name: _relative(getattr(task, name), root) for name in _CONDITIONS}
    return _digest(
        {**conditions, "graders": [_relative(spec, root) for spec in task.graders if asks_about_skills(spec)]}
    )


def _digest(document: object) -> str:
    text = json.dumps(document, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _tasks(tasks: Iterable[Task], root: Path) -> Iterator[object]:
    """What the tasks say; of a dataset's rows the first one whole, and of the others only what is different in them."""
    first: Task | None = None
    for task in tasks:
        if not (isinstance(task, RowTask) and isinstance(first, RowTask) and task.origin is first.origin):
            first = task
            yield _task(task, root)
        else:
            pairs = zip(_OF_A_ROW, _of_a_row(task), _of_a_row(first), strict=True)
            yield {name: _relative(own, root) for name, own, other in pairs if own is not other}


def _task(task: Task, root: Path) -> Mapping[str, object]:
    names = (field.name for field in dataclasses.fields(task) if field.name not in _NOT_OF_THE_OUTCOME)
    return {name: _relative(getattr(task, name), root) for name in names}


def _relative(value: object, root: Path) -> object:
    """A value as JSON, with paths relative to the suite."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, dict):
        return {key: _relative(item, root) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_relative(item, root) for item in value]
    if dataclasses.is_dataclass(value):
        return {field.name: _relative(getattr(value, field.name), root) for field in dataclasses.fields(value)}
    return _name(value, root) if isinstance(value, PurePath) else value


def _contents(paths: Iterable[Path], root: Path) -> Mapping[str, str]:
    try:
        return {_name(path, root): _content(path) for path in sorted(set(paths))}
    except OSError as error:
        raise _unreadable(error, root) from None


def _skill(skill: Skill, own_files: frozenset[Path]) -> Mapping[str, str]:
    """Files and links of a skill; its folders count by what they hold, as in version control."""
    try:
        contents = skill_contents(skill.folder, own_files)
        return {
            f"skill {skill.name}: {entry.path}": f"link {entry.target}"
            if entry.kind == "link"
            else _content(contents.root / entry.path)
            for entry in contents.entries
            if entry.kind != "folder"
        }
    except OSError as error:
        raise _unreadable(error, skill.folder) from None


def _unreadable(error: OSError, folder: Path) -> SuiteError:
    return SuiteError([Problem(f"cannot be read: {reason(error)}", Path(error.filename or folder))])


def _content(path: Path) -> str:
    """What a path holds; of its mode only whether it is executable, which is all that version control keeps."""
    if path.is_symlink():
        return f"link {path.readlink()}"
    if not path.is_file():
        return "special"
    with path.open("rb") as stream:
        kind = "program" if os.fstat(stream.fileno()).st_mode & 0o100 else "file"
        return f"{kind} {hashlib.file_digest(stream, 'sha256').hexdigest()}"


def _name(path: PurePath, root: Path) -> str:
    return PurePath(os.path.relpath(path, root)).as_posix()

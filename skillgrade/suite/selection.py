"""Which tasks of a suite run, and which of their graders."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from skillgrade.errors import UsageError
from skillgrade.suite.assertion_specs import asks_about_skills
from skillgrade.suite.model import Suite, Task
from skillgrade.suite.schema import grader_types
from skillgrade.wording import did_you_mean, shown


@dataclass(frozen=True, slots=True)
class Selection:
    """What the command line selects; each part narrows what the others leave.

    Attributes:
        names: Values of --eval: a task's name, or several with commas between them.
        filters: Values of --filter: ``KEY=V1,V2``; a task must have one of the values, for each filter.
        not_filters: Values of --not-filter, of the same form; a task must have none of them.
        pattern: The value of --filter-pattern: a regular expression that is found in the task's name.
        graders: Values of --grader: a grader type, or several with commas between them.
    """

    names: Sequence[str] = ()
    filters: Sequence[str] = ()
    not_filters: Sequence[str] = ()
    pattern: str | None = None
    graders: Sequence[str] = ()


def select(suite: Suite, selection: Selection) -> Suite:
    """The suite with the selected tasks and graders only; graders keep their `index`.

    Raises:
        UsageError: A flag is malformed, names what the suite does not have, or nothing is left.
    """
    tasks = _by_name(suite.tasks, selection.names)
    for flag, specs in (("--filter", selection.filters), ("--not-filter", selection.not_filters)):
        for spec in specs:
            key, values = _parse_filter(flag, spec, suite.tasks)
            wanted = flag == "--filter"
            tasks = tuple(task for task in tasks if _has(task, key, values) is wanted)
    if selection.pattern is not None:
        tasks = _by_pattern(tasks, selection.pattern)
    if not tasks:
        raise UsageError("no task matches the selection; --list without it shows all of them")
    if selection.graders:
        types = _grader_types(selection.graders)
        tasks = tuple(_with_graders(task, types) for task in tasks)
    return dataclasses.replace(suite, tasks=tasks)


def without_skills(suite: Suite, flag: str = "--no-skill") -> Suite:
    """The suite as it runs without its skills: graders that ask whether they were used have nothing to say.

    Args:
        suite: The suite.
        flag: Why, for messages.

    Raises:
        UsageError: A task has no other graders.
    """
    tasks, asked = [], []
    for task in suite.tasks:
        graders = tuple(spec for spec in task.graders if not asks_about_skills(spec))
        if not graders and task.graders:
            raise UsageError(
                f"{flag}: the task {shown(task.name)} only asks whether a skill was used; leave it out with --eval"
            )
        if len(graders) < len(task.graders):
            asked.append(shown(task.name))
        tasks.append(dataclasses.replace(task, graders=graders))
    warnings = suite.warnings
    if asked:
        more = f" and {len(asked) - 3} more" if len(asked) > 3 else ""
        warnings += (f"{flag}: no grader asks whether a skill was used, in {', '.join(asked[:3])}{more}",)
    return dataclasses.replace(suite, tasks=tuple(tasks), skills=(), warnings=warnings)


def metadata_values(value: object) -> tuple[str, ...]:
    """A value of a task's metadata as filters compare it: a list stands for each of its items."""
    return tuple(_metadata_text(item) for item in (value if isinstance(value, list) else [value]) if item is not None)


def _metadata_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)


def _by_name(tasks: tuple[Task, ...], flags: Sequence[str]) -> tuple[Task, ...]:
    if not flags:
        return tasks
    rows = {task.dataset for task in tasks if task.dataset is not None}
    known = {task.name for task in tasks} | rows
    wanted: set[str] = set()
    for flag in flags:
        # A name may hold a comma itself.
        for name in [flag] if flag in known else _split(flag):
            if name not in known:
                hint = did_you_mean(name, known)
                raise UsageError(f"there is no eval {shown(name)}{hint or '; --list shows their names'}")
            wanted.add(name)
    if not wanted:
        raise UsageError("--eval needs the name of a task")
    return tuple(task for task in tasks if task.name in wanted or task.dataset in wanted)


def _parse_filter(flag: str, spec: str, tasks: Sequence[Task]) -> tuple[str, frozenset[str]]:
    key, equals, rest = spec.partition("=")
    key, values = key.strip(), _split(rest)
    if not (key and equals and values):
        raise UsageError(f"{flag} needs KEY=VALUE[,VALUE], such as {flag}=tier=easy, not {shown(spec)}")
    known = sorted({name for task in tasks for name in task.metadata})
    if key not in known:
        listed = f"the tasks have {', '.join(known)}" if known else "no task has `metadata`"
        raise UsageError(f"{flag}: no task has the metadata key {shown(key)}{did_you_mean(key, known)}; {listed}")
    return key, frozenset(values)


def _has(task: Task, key: str, values: frozenset[str]) -> bool:
    return not values.isdisjoint(metadata_values(task.metadata.get(key)))


def _by_pattern(tasks: tuple[Task, ...], pattern: str) -> tuple[Task, ...]:
    try:
        expression = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"--filter-pattern: {shown(pattern)} is no regular expression: {error}") from None
    return tuple(task for task in tasks if expression.search(task.name))


def _grader_types(flags: Sequence[str]) -> frozenset[str]:
    known = grader_types()
    types = [name for flag in flags for name in _split(flag)]
    for name in types:
        if name not in known:
            raise UsageError(
                f"--grader: unknown type {shown(name)}{did_you_mean(name, known)}; known: {', '.join(known)}"
            )
    if not types:
        raise UsageError("--grader needs a grader type")
    return frozenset(types)


def _with_graders(task: Task, types: frozenset[str]) -> Task:
    graders = tuple(grader for grader in task.graders if grader.type in types)
    listed = ", ".join(sorted(types))
    if not graders:
        raise UsageError(
            f"--grader={listed} leaves the task {shown(task.name)} without a grader; leave it out with --eval"
        )
    if all(grader.weight == 0 for grader in graders):
        raise UsageError(f"--grader={listed} leaves the task {shown(task.name)} with graders of weight 0 only")
    return dataclasses.replace(task, graders=graders)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]

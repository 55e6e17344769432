"""The selected tasks, for `--list`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from skillgrade.reports.terminal.console import NAME_LIMIT
from skillgrade.reports.terminal.text import one_line, printable
from skillgrade.suite.model import Suite, Task

if TYPE_CHECKING:
    from rich.console import Console


def print_tasks(console: Console, suite: Suite) -> None:
    """Print one line per task: its name, how many trials, its graders, its metadata."""
    names = _short([task.name for task in suite.tasks])
    width = max(map(len, names), default=0)
    described: dict[tuple[int, int], str] = {}  # tasks of one dataset have the same graders
    lines = []
    for task, name in zip(suite.tasks, names, strict=True):
        about = (task.trials, id(task.graders))
        if about not in described:
            described[about] = _described(task)
        lines.append(f"{name:<{width}}  {described[about]}  {_labels(task.metadata)}".rstrip())
    # Past the console, which takes texts apart for colours and widths: a dataset may have very many rows.
    console.file.write("\n".join([*lines, ""]))
    keys = sorted(set().union(*[task.metadata for task in suite.tasks]))
    console.print(f"metadata keys: {printable(', '.join(keys)) or '(none)'}", style="dim", soft_wrap=True)


def _described(task: Task) -> str:
    graders = "+".join(dict.fromkeys(grader.type for grader in task.graders))
    return f"{task.trials} trial{'' if task.trials == 1 else 's'}  {graders}"


def _short(names: Sequence[str]) -> Sequence[str]:
    together = "".join(names)
    is_plain = together.isascii() and together.isprintable() and "  " not in together
    if is_plain and max(map(len, names), default=0) <= NAME_LIMIT:
        return names  # of very many, looking at all of them at once saves most of the time
    return [one_line(name, NAME_LIMIT) for name in names]


def _labels(metadata: Mapping[str, object]) -> str:
    return printable(" ".join([f"{key}={_label(value)}" for key, value in metadata.items()]))


def _label(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(_label(item) for item in value)
    return str(value)

"""The selected tasks, for `--list`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from skillgrade.reports.terminal.console import NAME_LIMIT
from skillgrade.reports.terminal.text import one_line, printable
from skillgrade.suite.model import Suite, Task

if TYPE_CHECKING:
    from rich.console import Console


def print_tasks(console: Console, suite: Suite) -> None:
    """Print one line per task: its name, how many trials, its graders, its metadata."""
    names = [one_line(task.name, NAME_LIMIT) for task in suite.tasks]
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


def _labels(metadata: Mapping[str, object]) -> str:
    return " ".join([f"{printable(key)}={_label(value)}" for key, value in metadata.items()])


def _label(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(_label(item) for item in value)
    return printable(str(value))

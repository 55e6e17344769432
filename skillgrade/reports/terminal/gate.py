"""What the gate says, for `--ci`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillgrade.checks.gate import GateResult, Verdict
from skillgrade.reports.terminal.text import one_line

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {
    Verdict.PASSES: "green",
    Verdict.PASSES_WEAKLY: "green",
    Verdict.FAILS: "red",
    Verdict.UNDECIDED: "magenta",
}
_NAME_LIMIT = 60


def print_gate(console: Console, result: GateResult) -> None:
    """Print one line per task, and the verdict over all."""
    console.print()
    for task in result.tasks:
        line = f"{task.verdict:<10}  {one_line(task.task, _NAME_LIMIT)}: {task.reason}"
        console.print(line, style=_STYLES[task.verdict], soft_wrap=True)
    word, style = ("passed", "bold green") if result.passed else ("not passed", "bold red")
    console.print(f"gate {word}", style=style)

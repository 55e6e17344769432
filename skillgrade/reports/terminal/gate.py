"""What the gate says, for `--ci`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillgrade.checks.gate import Decision, GateResult
from skillgrade.reports.terminal.console import NAME_LIMIT
from skillgrade.reports.terminal.text import one_line

if TYPE_CHECKING:
    from rich.console import Console

_WORDS = {
    Decision.PASSES: "passes",
    Decision.PASSES_WEAKLY: "passes weakly",
    Decision.FAILS: "fails",
    Decision.UNDECIDED: "undecided",
}
_STYLES = {
    Decision.PASSES: "green",
    Decision.PASSES_WEAKLY: "green",
    Decision.FAILS: "red",
    Decision.UNDECIDED: "magenta",
}


def print_gate(console: Console, result: GateResult) -> None:
    """Print one line per task, and the decision over all."""
    console.print()
    for task in result.tasks:
        line = f"{_WORDS[task.decision]:<13}  {one_line(task.task, NAME_LIMIT)}: {task.reason}"
        console.print(line, style=_STYLES[task.decision], soft_wrap=True)
    word, style = ("passed", "bold green") if result.passed else ("not passed", "bold red")
    console.print(f"gate {word}", style=style)

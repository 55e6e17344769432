"""What `--validate` found, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillgrade.checks.validation import SOLVED, TaskValidation, Validation
from skillgrade.reports.terminal.console import NAME_LIMIT, REASON_LIMIT
from skillgrade.reports.terminal.progress import TerminalProgress
from skillgrade.reports.terminal.text import one_line
from skillgrade.results.records import TrialRecord

if TYPE_CHECKING:
    from rich.console import Console


class ValidationProgress(TerminalProgress):
    """Progress that says what was tried instead of whether it passed: an untouched workspace should not."""

    def trial_finished(self, record: TrialRecord, retried: bool) -> None:
        """Show how it ended."""
        self.count(record.outcome)
        what = "reference solution" if record.trial == SOLVED else "untouched workspace"
        self.line(f"{one_line(record.task, NAME_LIMIT)}: {what} {_reward(record)}", "dim")


def print_validation(console: Console, validation: Validation) -> None:
    """Print one block per task, then what nothing is known of."""
    console.print()
    for task in validation.tasks:
        _print_task(console, task)
    for name in validation.unsolved:
        console.print(f"not proven  {one_line(name, NAME_LIMIT)}: it has no `solution`", style="yellow", soft_wrap=True)
    if validation.left_out:
        console.print(f"left out: {', '.join(validation.left_out)} graders cannot be validated here", style="yellow")
    if validation.folder is not None:
        console.print(f"results: {validation.folder}", soft_wrap=True)


def _print_task(console: Console, task: TaskValidation) -> None:
    word, style = ("wrong", "red") if task.errors else ("proven", "green")
    if task.errored:
        word, style = "errored", "magenta"
    rewards = f"solution {_reward(task.solved)}, untouched workspace {_reward(task.untouched)}"
    console.print(f"{word:<10}  {one_line(task.task, NAME_LIMIT)}: {rewards}", style=style, soft_wrap=True)
    for error in task.errors:
        console.print(f"    error: {one_line(error, REASON_LIMIT)}", style="red", soft_wrap=True)
    for warning in task.warnings:
        console.print(f"    warning: {one_line(warning, REASON_LIMIT)}", style="yellow", soft_wrap=True)


def _reward(record: TrialRecord | None) -> str:
    return "no reward" if record is None or record.reward is None else f"{record.reward:.2f}"

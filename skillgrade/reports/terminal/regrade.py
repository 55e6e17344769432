"""What grading a run again changed, for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from skillgrade.engine.regrade import RegradedRun, TrialChange
from skillgrade.reports.terminal.console import NAME_LIMIT, REASON_LIMIT, STYLES
from skillgrade.reports.terminal.progress import TerminalProgress
from skillgrade.reports.terminal.text import one_line
from skillgrade.results.records import GraderStatus, Outcome, TrialRecord
from skillgrade.results.regrades import GradeChange

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

TRIALS_SHOWN = 40
"""How many changed trials the table lists."""


class RegradeProgress(TerminalProgress):
    """Progress without the times of trials, which are those of the agent."""

    def trial_finished(self, record: TrialRecord, retried: bool) -> None:
        """Show how it ends from now on."""
        self.count(record.outcome)
        text = f"{record.outcome:<9} {one_line(record.task, NAME_LIMIT)} #{record.trial}"
        text += "" if record.reward is None else f"  reward {record.reward:.2f}"
        if record.error:
            text += f"  {record.error.stage}: {one_line(record.error.reason, REASON_LIMIT)}"
        self.line(text, STYLES[record.outcome])


def print_regrade(console: Console, run: RegradedRun) -> None:
    """Print the grades that changed, then how many trials did and did not."""
    console.print()
    if run.changes:
        console.print("grades that changed:", style="bold")
        console.print(_table(run.changes[:TRIALS_SHOWN]))
        more = len(run.changes) - TRIALS_SHOWN
        if more > 0:
            console.print(f"… and {more} more: `regrades` of each trial in {run.folder.report}", style="dim")
    console.print("; ".join(_counts(run)), soft_wrap=True)
    if run.stopped:
        console.print("interrupted: what was graded until then stands", style="yellow")
    if run.kept is not None:
        console.print(f"the report as it was: {run.kept}", soft_wrap=True)


def _counts(run: RegradedRun) -> Iterator[str]:
    changed = len(run.changes)
    trials = "1 trial" if run.graded == 1 else f"{run.graded} trials"
    yield f"{trials} graded again: {changed} changed, {run.graded - changed} as before"
    if run.waiting:
        yield f"{run.waiting} still waiting for a review"
    if run.left_alone:
        yield f"{run.left_alone} left alone (no agent's work to grade)"


def _table(changes: Sequence[TrialChange]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
    table.add_column("task", overflow="fold", min_width=8)
    table.add_column("trial", no_wrap=True)
    for title in ("grade", "before", "now", "change"):
        table.add_column(title, justify="left" if title == "grade" else "right", no_wrap=True)
    for change in changes:
        place = [Text(one_line(change.task, NAME_LIMIT)), Text(f"#{change.trial}")]
        report = change.report
        for grader in report.graders:
            table.add_row(*place, *map(Text, _grader_cells(grader)))
            place = [Text(), Text()]
        before, after = report.reward_before, report.reward_after
        cells = ("reward", _ended(report.outcome_before, before), _ended(report.outcome_after, after))
        table.add_row(*place, *map(Text, (*cells, _difference(before, after))), style=STYLES[report.outcome_after])
    return table


def _grader_cells(change: GradeChange) -> tuple[str, str, str, str]:
    name = f"{change.grader_type} {change.grader}" + (f" (turn {change.turn})" if change.turn else "")
    before, after = (
        _answer(change.status_before, change.score_before),
        _answer(change.status_after, change.score_after),
    )
    both_answered = change.status_before is change.status_after is GraderStatus.OK
    return name, before, after, _difference(change.score_before, change.score_after) if both_answered else ""


def _answer(status: GraderStatus | None, score: float | None) -> str:
    if status is None:
        return "not asked"
    return f"{score:.2f}" if status is GraderStatus.OK and score is not None else str(status)


def _ended(outcome: Outcome, reward: float | None) -> str:
    return str(outcome) if reward is None else f"{outcome} {reward:.2f}"


def _difference(before: float | None, after: float | None) -> str:
    return "" if before is None or after is None else f"{after - before:+.2f}"

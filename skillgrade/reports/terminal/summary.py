"""What a run amounts to: a table of tasks, then everything that did not pass and why, then where it all is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from skillgrade.reports.terminal.console import NAME_LIMIT, REASON_LIMIT, STYLES
from skillgrade.reports.terminal.text import one_line, printable, seconds
from skillgrade.results.records import GraderResult, GraderStatus, Outcome
from skillgrade.results.report import RunReport, TaskReport, Totals, TrialReport
from skillgrade.results.statistics import Interval

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

SHORT_LIST = 10
"""How many trials of a kind are explained where the reader did not ask for all."""

_DASH = "–"


def print_summary(console: Console, report: RunReport, folder: Path, *, every_trial: bool) -> None:
    """Print a run's summary.

    Args:
        console: Where to.
        report: The run.
        folder: Its folder.
        every_trial: Whether to explain every trial, passed ones too, instead of the first that did not pass, and to
            repeat the notes of the run, which whoever watched it has seen.
    """
    console.print()
    console.print(_heading(report), style="bold")
    for note in report.info.notes if every_trial else ():
        console.print(f"note: {printable(note)}", style="yellow", soft_wrap=True)
    console.print(_table(report))
    totals = report.totals
    if not every_trial:
        _print_trials(console, "errored (no verdict; in no rate)", report, (Outcome.ERRORED,), totals.errored)
        _print_trials(console, "ungraded (no verdict; in no rate)", report, (Outcome.UNGRADED,), totals.ungraded)
        _print_trials(console, "failed", report, (Outcome.FAILED,), totals.failed)
    else:
        _print_trials(console, "trials", report, tuple(Outcome), None)
    if report.interrupted:
        console.print(
            f"interrupted: {totals.cancelled} of {totals.planned} trials did not run to their end", style="yellow"
        )
    if report.info.partial:
        kept = ", ".join(report.info.grader_filter)
        console.print(f"partial: rewards are over {kept} graders only (--grader)", style="yellow")
    console.print(f"results: {folder}", soft_wrap=True)


def _heading(report: RunReport) -> str:
    parts = [report.info.suite_file, *(f"skill {skill.name}" for skill in report.info.skills)]
    parts += [f"agent {report.agent}"] if report.agent else []
    if report.provider:
        parts.append(f"{report.provider} (isolation {report.isolation})")
    if report.duration_ms is not None:
        parts.append(seconds(report.duration_ms))
    return printable(" · ".join(parts))


def _table(report: RunReport) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    percent = f"{report.confidence:.0%}"
    table = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
    table.add_column("task", overflow="fold")
    for title in ("graded", "passed", f"pass rate [{percent}]", f"mean reward [{percent}]", "pass@k", "pass^k"):
        table.add_column(title, justify="right", no_wrap=True)
    for task in report.tasks:
        k = _largest_k(task)
        table.add_row(
            Text(one_line(task.info.task, NAME_LIMIT)),
            _graded(task.graded, task.info.planned),
            str(task.passed),
            _rate(task.pass_rate, task.pass_rate_interval),
            _reward(task.mean_reward, task.mean_reward_interval),
            _at_k("@", k, task.pass_at_k.get(k) if k else None),
            _at_k("^", k, task.pass_pow_k.get(k) if k else None),
        )
    if len(report.tasks) > 1:
        _add_totals(table, report.totals)
    return table


def _add_totals(table: Table, totals: Totals) -> None:
    table.add_section()
    table.add_row(
        f"all {totals.tasks} tasks",
        _graded(totals.graded, totals.planned),
        str(totals.passed),
        _rate(totals.pass_rate, totals.pass_rate_interval),
        _reward(totals.mean_reward, totals.mean_reward_interval),
        style="bold",
    )


def _graded(graded: int, planned: int) -> str:
    return f"{graded} of {planned}"


def _rate(rate: float | None, interval: Interval | None) -> str:
    if rate is None:
        return _DASH
    bounds = "" if interval is None else f" [{interval.low:.0%}, {interval.high:.0%}]"
    return f"{rate:.0%}{bounds}"


def _reward(reward: float | None, interval: Interval | None) -> str:
    if reward is None:
        return _DASH
    bounds = "" if interval is None else f" [{interval.low:.2f}, {interval.high:.2f}]"
    return f"{reward:.2f}{bounds}"


def _largest_k(task: TaskReport) -> int | None:
    """The largest k that the graded trials allow: what pass@k says of it is the least known otherwise."""
    return max((k for k, value in task.pass_at_k.items() if value is not None), default=None)


def _at_k(sign: str, k: int | None, value: float | None) -> str:
    return _DASH if k is None or value is None else f"{value:.0%} ({sign}{k})"


def _print_trials(
    console: Console, title: str, report: RunReport, outcomes: tuple[Outcome, ...], count: int | None
) -> None:
    """Explain trials: all of them where no count is given, else the first few of that many."""
    if count == 0:
        return
    console.print(f"\n{title}:" if count is None else f"\n{count} {title}:", style="bold")
    for task, trial in islice(_having(report.tasks, outcomes), None if count is None else SHORT_LIST):
        _print_trial(console, task, trial)
    if count is not None and count > SHORT_LIST:
        console.print(f"  … and {count - SHORT_LIST} more: skillgrade preview shows every trial", style="dim")


def _having(tasks: Iterable[TaskReport], outcomes: tuple[Outcome, ...]) -> Iterator[tuple[TaskReport, TrialReport]]:
    for task in tasks:
        for trial in task.trials:
            if trial.record.outcome in outcomes:
                yield task, trial


def _print_trial(console: Console, task: TaskReport, trial: TrialReport) -> None:
    record = trial.record
    line = f"  {one_line(task.info.task, NAME_LIMIT)} #{record.trial} {record.outcome}"
    if record.reward is not None:
        line += f", reward {record.reward:.2f}"
    if record.agent is not None:
        line += f", agent {_agent_end(record.agent.exit_code, record.agent.timed_out)}"
    if trial.attempts > 1:
        line += f", {trial.attempts} attempts"
    console.print(line, style=STYLES[record.outcome], soft_wrap=True)
    if record.error is not None:
        console.print(f"    {record.error.stage}: {one_line(record.error.reason, REASON_LIMIT)}", soft_wrap=True)
    for result in record.grader_results:
        _print_result(console, result)
    if record.answered_reward is not None and record.answered_reward != record.reward:
        console.print(
            f"    the graders that answered give {record.answered_reward:.2f}; it counts nowhere", style="dim"
        )
    for note in record.notes:
        console.print(f"    note: {one_line(note, REASON_LIMIT)}", style="yellow", soft_wrap=True)


def _agent_end(exit_code: int | None, timed_out: bool) -> str:
    return "ran into its deadline" if timed_out else f"exit code {exit_code}"


def _print_result(console: Console, result: GraderResult) -> None:
    score = "no score" if result.score is None else f"{result.score:.2f}"
    status = "" if result.status is GraderStatus.OK else f" {result.status}:"
    head = f"    {result.grader_type} {score} (weight {result.weight:g}){status}"
    console.print(f"{head} {one_line(result.details, REASON_LIMIT)}", soft_wrap=True)
    for check in result.checks:
        mark, style = ("✓", "green") if check.passed else ("✗", "red")
        message = f": {one_line(check.message, REASON_LIMIT)}" if check.message else ""
        console.print(f"      {mark} {one_line(check.name, NAME_LIMIT)}{message}", style=style, soft_wrap=True)

"""What a run amounts to: a table of tasks, then everything that did not pass and why, then where it all is."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from skillgrade.reports.terminal.comparison import print_comparison
from skillgrade.reports.terminal.console import NAME_LIMIT
from skillgrade.reports.terminal.judging import judging_line
from skillgrade.reports.terminal.skill_use import skill_lines
from skillgrade.reports.terminal.text import one_line, printable, seconds
from skillgrade.reports.terminal.trials import print_every_trial, print_stories
from skillgrade.results.records import Outcome
from skillgrade.results.regrades import Cause
from skillgrade.results.report import RunReport, TaskReport, Totals
from skillgrade.results.statistics import Interval

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_WIDE = 100
"""Columns of a terminal from which on pass@k and pass^k are shown."""

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
    console.print(_table(report, is_wide=console.width >= _WIDE))
    for line in skill_lines(report):
        console.print(line, style="dim", soft_wrap=True)
    if judging := judging_line(report):
        console.print(judging, style="dim", soft_wrap=True)
    if (alpha := report.totals.review_agreement) is not None:
        console.print(f"reviewers agree with Krippendorff's alpha {alpha:.2f}", style="dim")
    for again in report.regrades:
        trials = "1 trial" if again.trials == 1 else f"{again.trials} trials"
        what = "reviewed by people" if again.cause is Cause.REVIEW else "graded again"
        text = f"{what}: {trials}, {again.changed} changed"
        console.print(text, style="dim", soft_wrap=True)
    totals = report.totals
    if every_trial:
        console.print("\ntrials:", style="bold")
        print_every_trial(console, report.tasks, folder)
    else:
        no_verdict = "(no verdict; in no rate)"
        _print_stories(console, report, Outcome.ERRORED, totals.errored, f"errored {no_verdict}", folder)
        _print_stories(console, report, Outcome.UNGRADED, totals.ungraded, f"ungraded {no_verdict}", folder)
        _print_stories(console, report, Outcome.FAILED, totals.failed, "failed", folder)
    if _agent_never_succeeded(report):
        console.print(
            "the agent ended with a failure in every trial: did it find what it needs? Its output stands in "
            "trials/*/*/*/agent.stderr",
            style="yellow",
            soft_wrap=True,
        )
    if report.interrupted:
        console.print(
            f"interrupted: {totals.cancelled} of {totals.planned} trials did not run to their end", style="yellow"
        )
    if report.info.partial:
        kept = ", ".join(report.info.grader_filter)
        console.print(f"partial: rewards are over {kept} graders only (--grader)", style="yellow")
    if report.baseline is not None:
        print_comparison(console, report.baseline, "without", "with")
    _print_places(console, report, folder)


def _heading(report: RunReport) -> str:
    parts = [report.info.suite_file, *(f"skill {skill.name}" for skill in report.info.skills)]
    parts += [f"agent {report.agent}"] if report.agent else []
    if report.provider:
        parts.append(f"{report.provider} (isolation {report.isolation})")
    if report.duration_ms is not None:
        parts.append(seconds(report.duration_ms))
    return printable(" · ".join(parts))


def _table(report: RunReport, *, is_wide: bool) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    percent = f"{report.confidence:.0%}"
    table = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
    table.add_column("task", overflow="fold", min_width=8)
    titles = ("graded", "passed", f"pass rate [{percent}]", f"mean reward [{percent}]", "pass@k", "pass^k")
    for title in titles if is_wide else titles[:-2]:
        table.add_column(title, justify="right", no_wrap=True)
    for task in report.tasks:
        k = _largest_k(task)
        cells = (
            _graded(task.graded, task.info.planned),
            str(task.passed),
            _rate(task.pass_rate, task.pass_rate_interval),
            _reward(task.mean_reward, task.mean_reward_interval),
            _at_k("@", k, task.pass_at_k.get(k) if k else None),
            _at_k("^", k, task.pass_pow_k.get(k) if k else None),
        )
        table.add_row(Text(one_line(task.info.task, NAME_LIMIT)), *(cells if is_wide else cells[:-2]))
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


def _print_stories(console: Console, report: RunReport, outcome: Outcome, count: int, title: str, folder: Path) -> None:
    if count:
        console.print(f"\n{count} {title}:", style="bold")
        print_stories(console, report.tasks, outcome, folder)


def _agent_never_succeeded(report: RunReport) -> bool:
    """Whether every agent that ended by itself reported a failure: then it may not have worked at all."""
    codes = {
        trial.record.agent.exit_code for task in report.tasks for trial in task.trials if trial.record.agent is not None
    } - {None}
    return bool(codes) and 0 not in codes


def _print_places(console: Console, report: RunReport, folder: Path) -> None:
    """Where more can be read."""
    console.print(f"results: {folder}", soft_wrap=True)
    if _has_failed_assertions(report):
        console.print(f"why: skillgrade diagnose {shlex.quote(str(folder))}", soft_wrap=True)
    if report.info.baseline_run is not None:
        console.print(f"results without the skill: {folder.parent / report.info.baseline_run}", soft_wrap=True)


def _has_failed_assertions(report: RunReport) -> bool:
    """Whether a trial failed by assertions, of which more can be said."""
    return any(
        grader.assertions and trial.record.outcome is Outcome.FAILED
        for task in report.tasks
        if task.failed
        for trial in task.trials
        for grader in trial.record.grader_results
    )

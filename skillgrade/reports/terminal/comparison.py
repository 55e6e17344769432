"""Two runs side by side, for a person: what was compared, each task, what it comes to, and what it does not show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgrade.reports.terminal.console import NAME_LIMIT
from skillgrade.reports.terminal.text import one_line, printable, seconds
from skillgrade.results.comparison import ArmNumbers, ComparedRun, Comparison, TaskComparison, TotalsComparison, Verdict
from skillgrade.results.statistics import Interval

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_DASH = "–"
_NAMES_SHOWN = 10
_STYLES = {Verdict.BETTER: "green", Verdict.WORSE: "red", Verdict.UNCLEAR: "yellow"}


def print_comparison(console: Console, comparison: Comparison, before: str, after: str) -> None:
    """Print a comparison.

    Args:
        console: Where to.
        comparison: The two runs.
        before: What to call the first.
        after: What to call the second.
    """
    console.print()
    console.print(printable(_heading(comparison, before, after)), style="bold", soft_wrap=True)
    console.print(_table(comparison, before, after))
    totals = comparison.totals
    for line in _conclusion(comparison):
        console.print(printable(line), style=_STYLES[totals.verdict], soft_wrap=True)
    for line in _costs(totals, before, after):
        console.print(printable(line), style="dim", soft_wrap=True)
    for line in _warnings(comparison, before, after):
        console.print(printable(line), style="yellow", soft_wrap=True)


def _heading(comparison: Comparison, before: str, after: str) -> str:
    arms = comparison.before, comparison.after
    if not comparison.differs:
        return f"{before} → {after}: the same skills, agents, models and providers; what differs is luck"
    changes = [f"{name} {_named(arms[0], name)} → {_named(arms[1], name)}" for name in comparison.differs]
    return f"{before} → {after}: {' · '.join(changes)}"


def _named(arm: ComparedRun, name: str) -> str:
    if name == "agent settings":
        return f"of {arm.run_id}"
    return ", ".join(getattr(arm, name)) or "none"


def _table(comparison: Comparison, before: str, after: str) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
    table.add_column("task", overflow="fold", min_width=8)
    for title in ("pass rate", "mean reward", "gain", before, after):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for task in comparison.tasks:
        table.add_row(
            Text(one_line(task.task, NAME_LIMIT)),
            _points(task.pass_rate_difference),
            _points(task.mean_reward_difference),
            _share(task.normalised_gain),
            _passed(task.before),
            _passed(task.after),
            _says(task),
        )
    if len(comparison.tasks) > 1:
        totals = comparison.totals
        table.add_section()
        table.add_row(
            f"all {totals.tasks} tasks",
            _points(totals.pass_rate_difference),
            _points(totals.mean_reward_difference),
            _share(totals.normalised_gain),
            _share(totals.before.pass_rate),
            _share(totals.after.pass_rate),
            _says(totals),
            style="bold",
        )
    return table


def _says(compared: TaskComparison | TotalsComparison) -> str:
    p_value = "" if compared.p_value is None else f" (p = {compared.p_value:.2g})"
    trials = "trial" if compared.more_trials == 1 else "trials"
    more = f", {compared.more_trials} more {trials}" if compared.more_trials else ""
    return f"{compared.verdict}{p_value}{more}"


def _conclusion(comparison: Comparison) -> Iterator[str]:
    totals = comparison.totals
    if totals.pass_rate_difference is None:
        yield "nothing can be compared: no task has graded trials in both arms"
        return
    percent = f"{comparison.confidence:.0%}"
    line = f"pass rate {_points(totals.pass_rate_difference)}"
    if totals.pass_rate_interval is not None:
        line += f" [{percent} over tasks: {_range(totals.pass_rate_interval)}]"
    line += f", mean reward {_points(totals.mean_reward_difference)}"
    if totals.mean_reward_interval is not None:
        line += f" [{_range(totals.mean_reward_interval)}]"
    yield line
    yield _verdict(comparison)
    if totals.more_tasks is not None:
        yield (
            f"for tasks like these it is open: the interval holds 0, and it would take {totals.more_tasks} more tasks "
            "to tell a difference of this size"
        )


def _verdict(comparison: Comparison) -> str:
    totals = comparison.totals
    test = "by the interval" if totals.p_value is None else f"exact test, p = {totals.p_value:.2g}"
    if totals.verdict is not Verdict.UNCLEAR:
        return f"{totals.verdict} on these tasks ({test})"
    if totals.more_trials is None:
        return f"no difference shows on these tasks ({test}); that does not prove that there is none"
    return (
        f"not enough trials to tell ({test}): {totals.more_trials} more per task and arm would show a difference of "
        f"this size, if it is real, with a chance of {comparison.power:.0%}"
    )


def _costs(totals: TotalsComparison, before: str, after: str) -> Iterator[str]:
    parts = []
    for name, arm in ((before, totals.before), (after, totals.after)):
        known = [seconds(arm.duration_ms)] if arm.duration_ms is not None else []
        known += [f"{sum(arm.tokens.values()):.0f} tokens"] if arm.tokens is not None else []
        known += [f"${arm.cost_usd:.4f}"] if arm.cost_usd is not None else []
        parts += [f"{name} {', '.join(known)}"] if known else []
    if parts:
        yield f"the agent, mean of a graded trial: {'; '.join(parts)}"


def _warnings(comparison: Comparison, before: str, after: str) -> Iterator[str]:
    totals = comparison.totals
    for name, run in ((before, comparison.before), (after, comparison.after)):
        counts = [(task.before if run is comparison.before else task.after) for task in comparison.tasks]
        missing = sum(arm.planned - arm.graded for arm in counts)
        if missing:
            yield f"{name}: {missing} of {sum(arm.planned for arm in counts)} trials have no verdict and are left out"
        if run.interrupted:
            yield f"{name}: interrupted"
    if totals.tasks_compared < totals.tasks:
        yield f"only {totals.tasks_compared} of {totals.tasks} tasks have graded trials in both arms"
    if comparison.before.graded_again != comparison.after.graded_again:
        yield "only one of them was graded again: its rubrics and judges may differ from the other's"
    if totals.tasks_worse:
        yield f"got worse: {_some(totals.tasks_worse)}"
    if passing := [f"{task.task}: {check}" for task in comparison.tasks for check in task.passes_anyway]:
        yield f"pass in nearly all trials of both, so they measure nothing here: {_some(passing)}"
    if left_out := [f"{task.task}: {grader}" for task in comparison.tasks for grader in task.graders_left_out]:
        yield f"left out of the rewards, since only one arm has them: {_some(left_out)}"


def _some(names: list[str] | tuple[str, ...]) -> str:
    more = len(names) - _NAMES_SHOWN
    shown = ", ".join(one_line(name, NAME_LIMIT) for name in names[:_NAMES_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown


def _passed(arm: ArmNumbers) -> str:
    left_out = f" ({arm.planned} planned)" if arm.graded < arm.planned else ""
    return f"{arm.passed} of {arm.graded}{left_out}"


def _points(difference: float | None) -> str:
    return _DASH if difference is None else f"{100 * difference:+.1f} pp"


def _range(interval: Interval) -> str:
    return f"{100 * interval.low:+.1f}, {100 * interval.high:+.1f}"


def _share(value: float | None) -> str:
    return _DASH if value is None else f"{value:.0%}"

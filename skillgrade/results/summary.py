"""From recorded attempts to the numbers of a task and of a run."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.results.report import TaskReport, Totals, TrialReport
from skillgrade.results.run_info import TaskInfo
from skillgrade.results.statistics import (
    Interval,
    bounds,
    mean,
    mean_interval,
    pass_at_k,
    pass_pow_k,
    usual_ks,
    wilson_interval,
)


class Usage:
    """Tokens and money, added up over attempts; what nobody reported stays None."""

    def __init__(self) -> None:
        self.tokens: Counter[str] | None = None
        self.cost_usd: float | None = None

    def add(self, record: TrialRecord) -> None:
        """Count an attempt."""
        if record.tokens is not None:
            self.tokens = (self.tokens or Counter()) + Counter(record.tokens)
        if record.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + record.cost_usd


def trial_report(attempts: Sequence[TrialRecord]) -> TrialReport:
    """One trial from its attempts, in their order."""
    errors = tuple(record.error for record in attempts[:-1] if record.error is not None)
    return TrialReport(attempts[-1], len(attempts), errors)


def task_report(
    info: TaskInfo, recorded: Iterable[Sequence[TrialRecord]], trials: Iterable[TrialReport], usage: Usage
) -> TaskReport:
    """The numbers of a task.

    Args:
        info: The task as planned.
        recorded: The attempts of each recorded trial; read once.
        trials: What the report's `trials` will be.
        usage: Where every attempt is counted.
    """
    outcomes: Counter[Outcome] = Counter()
    rewards = array("d")
    images: set[str] = set()
    for attempts in recorded:
        last = attempts[-1]
        outcomes[last.outcome] += 1
        if last.reward is not None:
            rewards.append(last.reward)
        for record in attempts:
            usage.add(record)
            images.update([record.image] if record.image else [])
    passed, graded = outcomes[Outcome.PASSED], len(rewards)
    errored, ungraded = outcomes[Outcome.ERRORED], outcomes[Outcome.UNGRADED]
    return TaskReport(
        info=info,
        graded=graded,
        passed=passed,
        failed=outcomes[Outcome.FAILED],
        errored=errored,
        ungraded=ungraded,
        cancelled=info.planned - graded - errored - ungraded,
        mean_reward=mean(rewards),
        mean_reward_interval=mean_interval(rewards),
        mean_reward_bounds=bounds(rewards, info.planned),
        pass_rate=passed / graded if graded else None,
        pass_rate_interval=wilson_interval(passed, graded),
        pass_at_k={k: pass_at_k(graded, passed, k) for k in usual_ks(info.planned)},
        pass_pow_k={k: pass_pow_k(graded, passed, k) for k in usual_ks(info.planned)},
        images=tuple(sorted(images)),
        trials=trials,
    )


def totals(tasks: Sequence[TaskReport], usage: Usage) -> Totals:
    """The numbers of a run, with tasks as the unit."""
    rewards = [task.mean_reward for task in tasks if task.mean_reward is not None]
    rates = [task.pass_rate for task in tasks if task.pass_rate is not None]
    lows = [task.mean_reward_bounds.low for task in tasks]
    highs = [task.mean_reward_bounds.high for task in tasks]
    low, high = mean(lows), mean(highs)
    return Totals(
        tasks=len(tasks),
        tasks_graded=len(rewards),
        planned=sum(task.info.planned for task in tasks),
        graded=sum(task.graded for task in tasks),
        passed=sum(task.passed for task in tasks),
        failed=sum(task.failed for task in tasks),
        errored=sum(task.errored for task in tasks),
        ungraded=sum(task.ungraded for task in tasks),
        cancelled=sum(task.cancelled for task in tasks),
        mean_reward=mean(rewards),
        mean_reward_interval=mean_interval(rewards),
        mean_reward_bounds=None if low is None or high is None else Interval(low, high),
        pass_rate=mean(rates),
        pass_rate_interval=mean_interval(rates),
        tokens=usage.tokens,
        cost_usd=usage.cost_usd,
    )

"""From recorded attempts to the numbers of a task and of a run."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

from skillgrade.results.judge_tally import JudgeTally
from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.results.regrades import AttemptHistory, Cause, regrade_reports
from skillgrade.results.report import RegradeTotals, TaskReport, Totals, TrialReport
from skillgrade.results.review_tally import ReviewTally
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
from skillgrade.results.trigger_tally import TriggerTally


class Usage:
    """Tokens and money of agents and judges, added up over attempts, and what people said; what is unknown is None."""

    def __init__(self) -> None:
        self.tokens: Counter[str] | None = None
        self.cost_usd: float | None = None
        self.judging = JudgeTally()
        self.reviews = ReviewTally()

    def add(self, record: TrialRecord) -> None:
        """Count an attempt."""
        if record.tokens is not None:
            self.tokens = (self.tokens or Counter()) + Counter(record.tokens)
        if record.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + record.cost_usd
        self.judging.add(record)


class RegradeCounts:
    """How many trials were graded again, by cause."""

    def __init__(self) -> None:
        self._trials: Counter[Cause] = Counter()
        self._changed: Counter[Cause] = Counter()

    def add(self, history: AttemptHistory) -> None:
        """Count the attempt of a trial that counts."""
        changed: dict[Cause, bool] = {}
        for report in regrade_reports(history):
            changed[report.cause] = changed.get(report.cause, False) or report.changed
        self._trials.update(changed.keys())
        self._changed.update(cause for cause, did in changed.items() if did)

    def totals(self) -> tuple[RegradeTotals, ...]:
        """One entry for each cause that there was."""
        return tuple(
            RegradeTotals(cause, self._trials[cause], self._changed[cause]) for cause in Cause if self._trials[cause]
        )


def trial_report(attempts: Sequence[AttemptHistory]) -> TrialReport:
    """One trial from its attempts, in their order."""
    latest = [attempt.latest for attempt in attempts]
    errors = tuple(record.error for record in latest[:-1] if record.error is not None)
    return TrialReport(latest[-1], len(latest), errors, tuple(regrade_reports(attempts[-1])))


def task_report(
    info: TaskInfo,
    recorded: Iterable[Sequence[AttemptHistory]],
    trials: Iterable[TrialReport],
    usage: Usage,
    regrades: RegradeCounts,
) -> TaskReport:
    """The numbers of a task.

    Args:
        info: The task as planned.
        recorded: The attempts of each recorded trial; read once.
        trials: What the report's `trials` will be.
        usage: Where every attempt is counted.
        regrades: Where every trial is counted that was graded again.
    """
    judging, reviews, triggers = JudgeTally(), ReviewTally(), TriggerTally()
    outcomes: Counter[Outcome] = Counter()
    rewards = array("d")
    images: set[str] = set()
    for attempts in recorded:
        last = attempts[-1].latest
        regrades.add(attempts[-1])
        reviews.add(last)
        triggers.add(last)
        usage.reviews.add(last)
        outcomes[last.outcome] += 1
        if last.reward is not None:
            rewards.append(last.reward)
        for record in (attempt.latest for attempt in attempts):
            usage.add(record)
            judging.add(record)
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
        judges=tuple(sorted(judging.judges)),
        judge_agreement=judging.agreement,
        judge_tokens=judging.tokens,
        judge_cost_usd=judging.cost_usd,
        review_agreement=reviews.agreement,
        triggers=triggers.counts(),
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
        judge_agreement=mean([task.judge_agreement for task in tasks if task.judge_agreement is not None]),
        judge_tokens=usage.judging.tokens,
        judge_cost_usd=usage.judging.cost_usd,
        review_agreement=usage.reviews.agreement,
    )

"""Two arms of the same tasks side by side: what changed from the first to the second, and whether that can be told."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from skillgrade.results.paired import (
    POWER,
    PassCounts,
    difference_interval,
    exact_test,
    normalised_gain,
    pass_variance,
    tasks_needed,
    trials_needed,
)
from skillgrade.results.statistics import CONFIDENCE, Interval, mean

COMPARISON_FORMAT = 1
"""Raised when a field changes its meaning; new fields do not raise it."""


class Verdict(StrEnum):
    """What the pass rates say. `BETTER` and `WORSE` are of the second arm, and only where the exact test tells."""

    BETTER = "better"
    WORSE = "worse"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class ArmNumbers:
    """One arm of a task, or of all tasks that have graded trials in both arms. Only graded trials enter a mean.

    Attributes:
        planned: Trials planned.
        graded: Trials with a verdict.
        passed: Graded trials that passed.
        mean_reward: Of the graded trials; over tasks, the mean of theirs. None when none is graded.
        pass_rate: Likewise.
        tokens: By kind, the mean of a graded trial; None unless every one knows its tokens. Over tasks, the mean of
            theirs, as for the two below.
        cost_usd: The agent's, the mean of a graded trial; None unless every one knows it.
        duration_ms: How long the agent took, the mean of a graded trial.
    """

    planned: int
    graded: int
    passed: int
    mean_reward: float | None
    pass_rate: float | None
    tokens: Mapping[str, float] | None = None
    cost_usd: float | None = None
    duration_ms: float | None = None


@dataclass(frozen=True, slots=True)
class TaskComparison:
    """One task in both arms. Differences are the second arm minus the first, in -1..1; None without graded trials.

    Attributes:
        task: The task's name.
        before: The first arm.
        after: The second arm.
        pass_rate_difference: Of the pass rates.
        mean_reward_difference: Of the mean rewards.
        normalised_gain: Of the pass rate; None where all trials of the first arm passed.
        p_value: Fisher's exact test of the pass rates, two-sided.
        verdict: What that says.
        more_trials: How many more trials per arm would show a difference of this size; None where it shows already,
            or where none was seen.
        graders_left_out: Graders that only one of the arms has, as ``type number``; rewards are over the others.
        passes_anyway: Checks that pass in nearly all trials of both arms, and so measure nothing here.
    """

    task: str
    before: ArmNumbers
    after: ArmNumbers
    pass_rate_difference: float | None
    mean_reward_difference: float | None
    normalised_gain: float | None
    p_value: float | None
    verdict: Verdict
    more_trials: int | None
    graders_left_out: tuple[str, ...] = ()
    passes_anyway: tuple[str, ...] = ()

    @property
    def got_worse(self) -> bool:
        """Whether fewer of the second arm's trials passed, or as many with a lower reward; luck is not ruled out."""
        return (self.pass_rate_difference or 0.0, self.mean_reward_difference or 0.0) < (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class TotalsComparison:
    """All tasks that have graded trials in both arms, each weighing the same.

    Attributes:
        tasks: Tasks in both runs.
        tasks_compared: Those with graded trials in both arms; only they enter the numbers below.
        before: The first arm.
        after: The second arm.
        pass_rate_difference: Mean of the tasks' differences.
        pass_rate_interval: Its paired confidence interval over tasks; None below two.
        mean_reward_difference: Mean of the tasks' differences.
        mean_reward_interval: Its paired confidence interval over tasks; None below two.
        normalised_gain: Of the pass rate.
        p_value: The exact test of the pass rates on these tasks, two-sided; None where there are too many trials.
        verdict: What that says; with too many trials for it, what the interval of the pass rate says.
        more_trials: How many more trials per task and arm would show a difference of this size on these tasks; None
            where it shows already, or where none was seen.
        more_tasks: How many more tasks like these it would take for the interval to leave out 0; None where it does
            so already, where no difference was seen, and below two tasks.
        tasks_worse: Names of the tasks that got worse.
    """

    tasks: int
    tasks_compared: int
    before: ArmNumbers
    after: ArmNumbers
    pass_rate_difference: float | None
    pass_rate_interval: Interval | None
    mean_reward_difference: float | None
    mean_reward_interval: Interval | None
    normalised_gain: float | None
    p_value: float | None
    verdict: Verdict
    more_trials: int | None
    more_tasks: int | None
    tasks_worse: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """The run that an arm is.

    Attributes:
        run_id: Its id.
        skills: What agents got, each as its name and the beginning of its digest; empty without a skill.
        agents: The agents of its tasks, with their versions.
        models: Their models.
        providers: What ran its trials.
        graded_again: Whether `skillgrade regrade` changed its grades, perhaps by other rubrics.
        interrupted: Whether it was stopped or killed before its end.
    """

    run_id: str
    skills: tuple[str, ...]
    agents: tuple[str, ...]
    models: tuple[str, ...]
    providers: tuple[str, ...]
    graded_again: bool = False
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of the same tasks.

    Attributes:
        before: The first.
        after: The second.
        differs: What is not the same in them: ``skills``, ``agents``, ``models``, ``providers``; and ``agent settings``
            where who works is of the same name, but set otherwise, such as another command.
        totals: All tasks.
        tasks: Each task, in the order of the second run.
        format: The version of the document's format.
        confidence: The level of the intervals, and 1 minus that of the tests.
        power: The chance that the trials and tasks asked for show the difference, if it is real.
    """

    before: ComparedRun
    after: ComparedRun
    differs: tuple[str, ...]
    totals: TotalsComparison
    tasks: tuple[TaskComparison, ...]
    format: int = COMPARISON_FORMAT
    confidence: float = CONFIDENCE
    power: float = POWER


def compare_task(
    task: str,
    before: ArmNumbers,
    after: ArmNumbers,
    *,
    graders_left_out: tuple[str, ...] = (),
    passes_anyway: tuple[str, ...] = (),
) -> TaskComparison:
    """One task in two arms; arguments as the attributes of a `TaskComparison`."""
    counts = _counts(before, after)
    difference = _difference(before.pass_rate, after.pass_rate)
    p_value = exact_test([counts] if counts else [])
    verdict = _verdict(difference, None if p_value is None else p_value < 1 - CONFIDENCE)
    return TaskComparison(
        task=task,
        before=before,
        after=after,
        pass_rate_difference=difference,
        mean_reward_difference=_difference(before.mean_reward, after.mean_reward),
        normalised_gain=normalised_gain(before.pass_rate, after.pass_rate),
        p_value=p_value,
        verdict=verdict,
        more_trials=_more_trials(difference, verdict, [counts] if counts else []),
        graders_left_out=graders_left_out,
        passes_anyway=passes_anyway,
    )


def compare_totals(tasks: Sequence[TaskComparison]) -> TotalsComparison:
    """All tasks together."""
    paired = [task for task in tasks if task.pass_rate_difference is not None]
    rates = [task.pass_rate_difference for task in paired if task.pass_rate_difference is not None]
    rewards = [task.mean_reward_difference for task in paired if task.mean_reward_difference is not None]
    counts = [found for task in paired if (found := _counts(task.before, task.after))]
    before, after = _together([task.before for task in paired]), _together([task.after for task in paired])
    difference, interval, p_value = mean(rates), difference_interval(rates), exact_test(counts)
    leaves_out_0 = None if interval is None else interval.low > 0 or interval.high < 0
    verdict = _verdict(difference, leaves_out_0 if p_value is None else p_value < 1 - CONFIDENCE)
    return TotalsComparison(
        tasks=len(tasks),
        tasks_compared=len(paired),
        before=before,
        after=after,
        pass_rate_difference=difference,
        pass_rate_interval=interval,
        mean_reward_difference=mean(rewards),
        mean_reward_interval=difference_interval(rewards),
        normalised_gain=normalised_gain(before.pass_rate, after.pass_rate),
        p_value=p_value,
        verdict=verdict,
        more_trials=_more_trials(difference, verdict, counts),
        more_tasks=_more_tasks(rates, counts) if leaves_out_0 is False else None,
        tasks_worse=tuple(task.task for task in paired if task.got_worse),
    )


def mean_by_kind(tokens: Sequence[Mapping[str, float] | None]) -> Mapping[str, float] | None:
    """Mean tokens by kind; None of nothing, and where any are unknown. A kind that is not named is 0."""
    known = [each for each in tokens if each is not None]
    if not known or len(known) < len(tokens):
        return None
    kinds = dict.fromkeys(kind for each in known for kind in each)
    return {kind: math.fsum(each.get(kind, 0) for each in known) / len(known) for kind in kinds}


def mean_if_known(values: Sequence[float | None]) -> float | None:
    """The mean; None of nothing, and where any value is unknown."""
    known = [value for value in values if value is not None]
    return mean(known) if len(known) == len(values) else None


def _together(arms: Sequence[ArmNumbers]) -> ArmNumbers:
    return ArmNumbers(
        planned=sum(arm.planned for arm in arms),
        graded=sum(arm.graded for arm in arms),
        passed=sum(arm.passed for arm in arms),
        mean_reward=mean_if_known([arm.mean_reward for arm in arms]),
        pass_rate=mean_if_known([arm.pass_rate for arm in arms]),
        tokens=mean_by_kind([arm.tokens for arm in arms]),
        cost_usd=mean_if_known([arm.cost_usd for arm in arms]),
        duration_ms=mean_if_known([arm.duration_ms for arm in arms]),
    )


def _counts(before: ArmNumbers, after: ArmNumbers) -> PassCounts | None:
    both_graded = before.graded and after.graded
    return PassCounts(before.passed, before.graded, after.passed, after.graded) if both_graded else None


def _difference(before: float | None, after: float | None) -> float | None:
    # Rounded so that thirds that cancel give 0 and not 5e-17, which some huge number of trials would show.
    return None if before is None or after is None else round(after - before, 12)


def _verdict(difference: float | None, tells: bool | None) -> Verdict:
    if not difference or not tells:
        return Verdict.UNCLEAR
    return Verdict.BETTER if difference > 0 else Verdict.WORSE


def _variances(counts: PassCounts) -> tuple[float, float]:
    return pass_variance(counts.passed_before, counts.before), pass_variance(counts.passed_after, counts.after)


def _more_trials(difference: float | None, verdict: Verdict, counts: Sequence[PassCounts]) -> int | None:
    if difference is None or verdict is not Verdict.UNCLEAR:
        return None
    needed = trials_needed(difference, [sum(_variances(each)) for each in counts])
    # The test said no with those that there are, whatever the formula says of them.
    return None if needed is None else max(1, needed - min(min(each.before, each.after) for each in counts))


def _more_tasks(differences: Sequence[float], counts: Sequence[PassCounts]) -> int | None:
    noises = []
    for each in counts:
        before, after = _variances(each)
        noises.append(before / each.before + after / each.after)
    needed = tasks_needed(differences, noises)
    return None if needed is None else max(1, needed - len(differences))

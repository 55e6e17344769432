"""Whether two arms of the same tasks differ, and how sure that is: the formulas behind a comparison, with sources.

A difference is that of the second arm minus the first, -1..1. Tests are two-sided.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist, variance

from skillgrade.results.statistics import CONFIDENCE, Interval, mean, mean_interval

POWER = 0.8
"""The chance that the trials asked for show a difference as large as the one observed, if it is real."""

MOST_FLIPPED = 30
"""Tasks that differ up to which every flip of their signs is counted; beyond, Student's t interval is as good."""

_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) + NormalDist().inv_cdf(POWER)


def difference_interval(differences: Sequence[float]) -> Interval | None:
    """Confidence interval for the mean of paired differences, one per task, in -1..1; None below two tasks.

    Student's t interval over the tasks' differences: Miller, "Adding Error Bars to Evals" (arXiv:2411.00640), section
    4. Equal differences have no spread to estimate from; what `mean_interval` does then holds here as well, since the
    differences are moved to 0..1 and the interval is moved back.
    """
    interval = mean_interval([(difference + 1) / 2 for difference in differences])
    return None if interval is None else Interval(2 * interval.low - 1, 2 * interval.high - 1)


def fisher_exact(passed_before: int, before: int, passed_after: int, after: int) -> float | None:
    """Fisher's exact test: how likely so unequal a split of the passes is, or a less likely one, if rates are equal.

    The trials of one task in two arms are two independent samples. Fisher, "Statistical Methods for Research Workers",
    5th edition, 1934, section 21.02. Counted in whole numbers, so equally likely splits are exactly equal.

    Args:
        passed_before: Passed of `before`.
        before: Graded trials of the first arm.
        passed_after: Passed of `after`.
        after: Graded trials of the second arm.

    Returns:
        The p-value; None when an arm has no trials.
    """
    if not before or not after:
        return None
    passed = passed_before + passed_after
    splits = [
        math.comb(before, first) * math.comb(after, passed - first)
        for first in range(max(0, passed - after), min(before, passed) + 1)
    ]
    observed = math.comb(before, passed_before) * math.comb(after, passed_after)
    return sum(ways for ways in splits if ways <= observed) / math.comb(before + after, passed)


def sign_flip_test(differences: Sequence[Fraction]) -> float | None:
    """The exact paired permutation test: the share of all flips of signs whose sum is as far from 0 as the observed.

    Where no arm is better, each task's difference could as well have had the other sign (Fisher, "The Design of
    Experiments", 1935, section 21). With one trial per task and arm it is McNemar's exact test.

    Args:
        differences: One per task, exact.

    Returns:
        The p-value; None without tasks, and when more than `MOST_FLIPPED` tasks differ.
    """
    changed = [difference for difference in differences if difference]
    if not differences or len(changed) > MOST_FLIPPED:
        return None
    scale = math.lcm(*(difference.denominator for difference in changed))
    sizes = [abs(int(difference * scale)) for difference in changed]
    observed = abs(sum(int(difference * scale) for difference in changed))
    if observed == 0:
        return 1.0
    half = len(sizes) // 2
    ones, others = _flipped_sums(sizes[:half]), sorted(_flipped_sums(sizes[half:]))
    extreme = sum(
        bisect_right(others, -observed - one) + len(others) - bisect_left(others, observed - one) for one in ones
    )
    return float(Fraction(extreme, 2 ** len(sizes)))


def normalised_gain(before: float | None, after: float | None) -> float | None:
    """The share of what was still to be gained that was gained: (after - before) / (1 - before).

    Hake, "Interactive-engagement versus traditional methods", American Journal of Physics 66 (1998). None where a rate
    is unknown or nothing was to be gained; a loss is negative, and may be less than -1.
    """
    if before is None or after is None or before == 1:
        return None
    return (after - before) / (1 - before)


def pass_variance(passed: int, graded: int) -> float:
    """The variance of one trial's verdict, from the rate (passed + 1) / (graded + 2).

    Laplace's rate instead of the observed one: a task that passed 2 of 2 would have no variance at all.
    """
    rate = (passed + 1) / (graded + 2)
    return rate * (1 - rate)


def trials_needed(difference: float, variances: float) -> int | None:
    """Trials per arm of one task after which a difference as large as the observed would show.

    (z_(a/2) + z_b)^2 (s1^2 + s2^2) / d^2: Miller, section 5, for one task. The level is `CONFIDENCE`, two-sided, the
    power is `POWER`.

    Args:
        difference: Of the pass rates.
        variances: The sum of both arms' `pass_variance`.

    Returns:
        None where no difference was seen, which no number of trials makes one.
    """
    return math.ceil(_Z**2 * variances / difference**2) if difference else None


def suite_trials_needed(
    differences: Sequence[float], variances: Sequence[float], trials: Sequence[float]
) -> tuple[int | None, int | None]:
    """Trials per task and arm, or tasks, after which a mean difference as large as the observed would show.

    n = (z_(a/2) + z_b)^2 (w^2 + s^2 / K) / d^2 (Miller, section 5), solved once for K with the n tasks that there are,
    and once for n with the trials that there are. w^2, the variance of the tasks' true differences, is what the
    observed differences vary by beyond what their trials explain.

    Args:
        differences: Of the pass rates, one per task; at least two.
        variances: By task the sum of both arms' `pass_variance`.
        trials: By task how many trials an arm has (the harmonic mean of both arms).

    Returns:
        The trials; None where no difference was seen, or where tasks differ so much that more trials of the same tasks
        do not tell. The tasks; None where no difference was seen.
    """
    observed = mean(differences) or 0.0
    if not observed:
        return None, None
    noise = math.fsum(each / count for each, count in zip(variances, trials, strict=True)) / len(variances)
    between = max(0.0, variance(differences) - noise)
    allowed = len(differences) * observed**2 / _Z**2 - between
    within = math.fsum(variances) / len(variances)
    return math.ceil(within / allowed) if allowed > 0 else None, math.ceil(_Z**2 * (between + noise) / observed**2)


def _flipped_sums(sizes: Sequence[int]) -> list[int]:
    sums = [0]
    for size in sizes:
        sums = [total + signed for total in sums for signed in (size, -size)]
    return sums

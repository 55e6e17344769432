"""Whether two arms of the same tasks differ, and how sure that is: the formulas behind a comparison, with sources.

A difference is that of the second arm minus the first, -1..1. Tests are two-sided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist, variance

from skillgrade.results.statistics import CONFIDENCE, Interval, mean_interval

POWER = 0.8
"""The chance that the trials asked for show a difference as large as the one observed, if it is real."""

MOST_COUNTED = 2000
"""Trials of both arms up to which an exact test counts every case; beyond, the interval is as good."""

_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) + NormalDist().inv_cdf(POWER)


@dataclass(frozen=True, slots=True)
class PassCounts:
    """Of one task, the graded trials of both arms, and how many of them passed."""

    passed_before: int
    before: int
    passed_after: int
    after: int


def difference_interval(differences: Sequence[float]) -> Interval | None:
    """Confidence interval for the mean of paired differences, one per task, in -1..1; None below two tasks.

    Student's t interval over the tasks' differences: Miller, "Adding Error Bars to Evals" (arXiv:2411.00640), section
    4. Equal differences have no spread to estimate from; what `mean_interval` does then holds here as well, since the
    differences are moved to 0..1 and the interval is moved back.
    """
    interval = mean_interval([(difference + 1) / 2 for difference in differences])
    return None if interval is None else Interval(2 * interval.low - 1, 2 * interval.high - 1)


def exact_test(counts: Sequence[PassCounts]) -> float | None:
    """The exact test of equal chances within each task, Cochran, Mantel and Haenszel's with nothing approximated.

    Given how many trials of a task passed in both arms together, and equal chances, the passes of one arm are
    hypergeometric; the sum over tasks is compared. Task by task, so that easy and hard tasks are never pooled. Of one
    task it is Fisher's exact test, and with one trial per task and arm McNemar's. The p-value is that of all sums that
    are at most as likely as the observed one. It speaks of these very tasks, and of their verdicts alone.

    Mehta, Patel and Gray, "Computing an Exact Confidence Interval for the Common Odds Ratio in Several 2x2 Contingency
    Tables", JASA 80 (1985). Counted in whole numbers, so that equally likely sums are exactly equal.

    Args:
        counts: One per task with graded trials in both arms.

    Returns:
        The p-value; None without tasks, and beyond `MOST_COUNTED` trials.
    """
    if not counts or sum(each.before + each.after for each in counts) > MOST_COUNTED:
        return None
    ways, least = [1], 0
    for each in counts:
        passed = each.passed_before + each.passed_after
        low = max(0, passed - each.before)
        splits = [
            math.comb(each.after, passes) * math.comb(each.before, passed - passes)
            for passes in range(low, min(each.after, passed) + 1)
        ]
        ways, least = _convolved(ways, splits), least + low
    observed = ways[sum(each.passed_after for each in counts) - least]
    return float(Fraction(sum(each for each in ways if each <= observed), sum(ways)))


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


def trials_needed(difference: float, variances: Sequence[float]) -> int | None:
    """Trials per task and arm after which a difference as large as the observed would show on these tasks.

    n = (z_(a/2) + z_b)^2 (w^2 + s^2 / K) / d^2 (Miller, section 5), solved for K with the tasks taken as given, w = 0.
    The level is `CONFIDENCE`, two-sided, the power is `POWER`.

    Args:
        difference: Of the pass rates, averaged over the tasks.
        variances: By task the sum of both arms' `pass_variance`; at least one.

    Returns:
        None where no difference was seen, which no number of trials makes one.
    """
    return math.ceil(_Z**2 * math.fsum(variances) / (len(variances) * difference) ** 2) if difference else None


def tasks_needed(differences: Sequence[float], noises: Sequence[float]) -> int | None:
    """Tasks after which a mean difference as large as the observed would show for tasks like these.

    The same formula, for n with the trials that there are. w^2, the variance of the tasks' true differences, is what
    the observed differences vary by beyond what their trials explain.

    Args:
        differences: Of the pass rates, one per task; at least two.
        noises: By task the sum of both arms' `pass_variance`, each divided by the arm's trials.

    Returns:
        None where no difference was seen.
    """
    observed, noise = math.fsum(differences) / len(differences), math.fsum(noises) / len(noises)
    between = max(0.0, variance(differences) - noise)
    return math.ceil(_Z**2 * (between + noise) / observed**2) if observed else None


def _convolved(ways: Sequence[int], splits: Sequence[int]) -> list[int]:
    sums = [0] * (len(ways) + len(splits) - 1)
    for offset, split in enumerate(splits):
        for place, way in enumerate(ways, offset):
            sums[place] += way * split
    return sums

"""How often, and how sure: the formulas behind a report's numbers, each with its source.

All intervals are two-sided at the level `CONFIDENCE`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from skillgrade.results.student_t import t_quantile

CONFIDENCE = 0.95
"""The level of every interval."""

_NORMAL_QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
_USUAL_KS = (1, 2, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of values, both ends included."""

    low: float
    high: float


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Confidence interval for the mean of independent values in 0..1; None below two values.

    Student's t interval, mean +- t(n-1) * SE with SE = sqrt(sum((x - mean)^2) / (n - 1) / n), cut to 0..1. Over the
    rewards of one task this is the textbook interval (Gosset 1908); over the means of tasks it is the standard error
    with tasks as clusters of equal weight, as Miller, "Adding Error Bars to Evals" (arXiv:2411.00640), advises.

    Equal values have no spread to estimate from, and an interval of width zero would claim certainty after two trials.
    A variable in 0..1 with mean m has a variance of at most m(1 - m) (Bhatia and Davis 2000), that of a yes-or-no
    variable, so Wilson's interval stands in there.
    """
    n, centre = len(values), mean(values)
    if n < 2 or centre is None:
        return None
    if min(values) == max(values):
        return _score_interval(centre, n)
    standard_error = math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (n - 1) / n)
    reach = t_quantile((1 + CONFIDENCE) / 2, n - 1) * standard_error
    return Interval(max(0.0, centre - reach), min(1.0, centre + reach))


def wilson_interval(passed: int, n: int) -> Interval | None:
    """Wilson's score interval for a rate, passed of n; None of nothing.

    Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927).
    """
    return _score_interval(passed / n, n) if n else None


def pass_at_k(n: int, passed: int, k: int) -> float | None:
    """Unbiased estimate of the chance that at least one of k trials passes; None where k > n.

    1 - C(n - c, k) / C(n, k): Chen et al., "Evaluating Large Language Models Trained on Code" (arXiv:2107.03374).
    """
    return None if k > n else (math.comb(n, k) - math.comb(n - passed, k)) / math.comb(n, k)


def pass_pow_k(n: int, passed: int, k: int) -> float | None:
    """Unbiased estimate of the chance that all of k trials pass; None where k > n.

    C(c, k) / C(n, k): Yao et al., "tau-bench" (arXiv:2406.12045).
    """
    return None if k > n else math.comb(passed, k) / math.comb(n, k)


def usual_ks(planned: int) -> tuple[int, ...]:
    """The k for which a report says pass@k and pass^k: the usual ones up to the planned trials, and those."""
    return tuple(sorted({k for k in _USUAL_KS if k < planned} | {planned}))


def bounds(rewards: Iterable[float], planned: int) -> Interval:
    """The mean reward over all planned trials if each without a verdict had got 0, and if it had got 1.

    Manski's worst-case bounds for missing data ("Nonparametric Bounds on Treatment Effects", 1990).
    """
    known = list(rewards)
    total, missing = math.fsum(known), planned - len(known)
    return Interval(total / planned, (total + missing) / planned)


def _score_interval(rate: float, n: int) -> Interval:
    square = _NORMAL_QUANTILE**2
    centre = (rate + square / (2 * n)) / (1 + square / n)
    reach = _NORMAL_QUANTILE * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n)) / (1 + square / n)
    # At the ends the formula gives 0 and 1 but for rounding.
    return Interval(max(0.0, centre - reach) if rate > 0 else 0.0, min(1.0, centre + reach) if rate < 1 else 1.0)

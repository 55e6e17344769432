"""Quantiles of Student's t distribution, in plain Python (scipy is the tests' oracle, not a dependency)."""

from __future__ import annotations

import functools
import math

_TINY = 1e-300
_CONVERGED = 1e-16
_MAX_TERMS = 100_000


@functools.cache
def t_quantile(probability: float, degrees: int) -> float:
    """The value below which Student's t with `degrees` degrees of freedom falls with a probability in 0.5..1.

    Bisection on the distribution function P(T <= t) = 1 - I_x(degrees/2, 1/2) / 2 with x = degrees / (degrees + t^2),
    for t >= 0 (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.1 and 26.5.27).
    """
    both_tails = 2 * (1 - probability)

    def too_small(t: float) -> bool:
        square = t * t
        return (
            _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + square), square / (degrees + square)) > both_tails
        )

    low, high = 0.0, 1.0
    while too_small(high):
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if too_small(middle) else (low, middle)
    return high


def _incomplete_beta(a: float, b: float, x: float, one_minus_x: float) -> float:
    """The regularised incomplete beta function I_x(a, b); 1 - x comes along because it may be tiny.

    The continued fraction of the NIST Digital Library of Mathematical Functions, 8.17.22, which converges fast for
    x < (a + 1) / (a + b + 2); beyond that by the symmetry I_x(a, b) = 1 - I_(1-x)(b, a), 8.17.4.
    """
    if x <= 0 or one_minus_x <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, one_minus_x, x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(one_minus_x)
    return math.exp(log_front) / a / _continued_fraction(a, b, x)


def _continued_fraction(a: float, b: float, x: float) -> float:
    """The fraction's denominator 1 + d1/(1 + d2/(1 + ...)) by Lentz's method (DLMF 3.10(iii))."""
    value = numerator = 1.0
    denominator = 0.0
    for term in range(1, _MAX_TERMS):
        m = term // 2
        if term % 2:
            coefficient = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            coefficient = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        denominator = 1 / ((1 + coefficient * denominator) or _TINY)
        numerator = (1 + coefficient / numerator) or _TINY
        value *= numerator * denominator
        if abs(numerator * denominator - 1) < _CONVERGED:
            break
    return value

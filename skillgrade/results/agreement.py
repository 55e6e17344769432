"""How far reviewers agree: Krippendorff's alpha with the interval metric, where not everybody reviewed everything.

Source: K. Krippendorff, *Content Analysis*, 4th ed. (2019), chapter 12, and "Computing Krippendorff's
Alpha-Reliability" (2011), https://repository.upenn.edu/asc_papers/43, section E.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


def krippendorff_alpha(units: Iterable[Sequence[float]]) -> float | None:
    """Alpha = 1 - observed / expected disagreement; 1 is full agreement, 0 what chance would give, below 0 is worse.

    With the squared difference of two values as their disagreement, the observed one is the sum over the pairs of
    values in each unit, each unit's divided by its number of values less one, over n; the expected one is the sum over
    all pairs of values, over n (n - 1). n counts the values of units that have at least two.

    Args:
        units: What each trial got: a value from everybody who reviewed it, in any order.

    Returns:
        None without a unit that has two values, or where all values are the same, which leaves nothing to agree on.
    """
    paired = [tuple(unit) for unit in units if len(unit) > 1]
    values = [value for unit in paired for value in unit]
    if not values or min(values) == max(values):
        return None
    observed = math.fsum(_disagreement(unit) / (len(unit) - 1) for unit in paired) / len(values)
    expected = _disagreement(values) / (len(values) * (len(values) - 1))
    return None if expected == 0 else 1 - observed / expected


def _disagreement(values: Sequence[float]) -> float:
    """The sum of squared differences over all ordered pairs: 2 n times the sum of squares about the mean."""
    middle = math.fsum(values) / len(values)
    return 2 * len(values) * math.fsum((value - middle) ** 2 for value in values)

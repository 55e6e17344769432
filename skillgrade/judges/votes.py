"""From the answers of judges to one score: the median per judge, and the mean of these.

A judge that could not be read even once leaves the whole undecided: what is left after leaving its answers out would be
another measurement, and a judge may well fail on just those trials that are hard to grade.
"""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from skillgrade.results.records import Sample


@dataclass(frozen=True, slots=True)
class Vote:
    """What judges said together.

    Attributes:
        score: 0..1; None where an answer could not be read.
        points: What each section of the rubric got, in its order, by the same rule as the score; empty without
            sections or score.
        spread: The largest minus the smallest score of all answers; None below two.
        agreement: 1 minus the mean absolute difference of the judges' medians, pair by pair; None below two judges.
    """

    score: float | None
    points: tuple[float, ...]
    spread: float | None
    agreement: float | None


def count_votes(by_judge: Sequence[Sequence[Sample]]) -> Vote:
    """Make one score of the answers of one or more judges, each of which answered at least once."""
    scores = [[sample.score for sample in samples if sample.score is not None] for samples in by_judge]
    medians = [statistics.median(of_one) for of_one in scores if of_one]
    answered = list(itertools.chain.from_iterable(scores))
    decided = len(answered) == sum(map(len, by_judge))
    pairs = [abs(one - other) for one, other in itertools.combinations(medians, 2)]
    return Vote(
        _rounded(statistics.fmean(medians)) if decided else None,
        _points(by_judge) if decided else (),
        _rounded(max(answered) - min(answered)) if len(answered) > 1 else None,
        _rounded(1 - statistics.fmean(pairs)) if pairs else None,
    )


def total_tokens(samples: Iterable[Sample]) -> Mapping[str, int] | None:
    """By kind, summed over the samples that know them; None when none does."""
    known = [sample.tokens for sample in samples if sample.tokens is not None]
    total = Counter[str]()
    for tokens in known:
        total.update(tokens)
    return dict(total) if known else None


def total_cost(samples: Iterable[Sample]) -> float | None:
    """Summed over the samples; None unless every sample knows it."""
    costs = [sample.cost_usd for sample in samples]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _points(by_judge: Sequence[Sequence[Sample]]) -> tuple[float, ...]:
    medians = [[statistics.median(column) for column in _columns(samples)] for samples in by_judge]
    return tuple(_rounded(statistics.fmean(column)) for column in zip(*medians, strict=True))


def _columns(samples: Sequence[Sample]) -> Iterable[tuple[float, ...]]:
    return zip(*(sample.points for sample in samples), strict=True)


def _rounded(number: float) -> float:
    """Without what binary fractions leave of decimal ones: 0.9 - 0.6 is 0.3."""
    return round(number, 9)

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]  # it ships no types

from skillgrade.results.statistics import (
    CONFIDENCE,
    Interval,
    bounds,
    mean,
    mean_interval,
    pass_at_k,
    pass_pow_k,
    usual_ks,
    wilson_interval,
)
from skillgrade.results.student_t import t_quantile

_rewards = st.lists(st.floats(0, 1), min_size=2, max_size=40)


@given(st.integers(1, 100_000), st.sampled_from([0.6, 0.9, 0.95, 0.975, 0.995, 0.9995]))
def test_t_quantile_is_that_of_scipy(degrees: int, probability: float) -> None:
    assert t_quantile(probability, degrees) == pytest.approx(float(stats.t.ppf(probability, degrees)), rel=1e-8)


@given(_rewards.filter(lambda values: max(values) - min(values) > 1e-3))
def test_mean_interval_is_the_t_interval(values: list[float]) -> None:
    low, high = stats.t.interval(CONFIDENCE, len(values) - 1, loc=stats.tmean(values), scale=stats.sem(values))
    interval = mean_interval(values)
    assert interval is not None
    assert interval.low == pytest.approx(max(0, low), abs=1e-9)
    assert interval.high == pytest.approx(min(1, high), abs=1e-9)


@given(_rewards)
def test_mean_interval_lies_in_range_around_the_mean(values: list[float]) -> None:
    interval, centre = mean_interval(values), mean(values)
    assert interval is not None
    assert centre is not None
    assert 0 <= interval.low <= centre + 1e-12
    assert centre - 1e-12 <= interval.high <= 1


def test_equal_rewards_claim_no_certainty() -> None:
    assert mean_interval([1.0, 1.0]) == wilson_interval(2, 2)
    interval = mean_interval([1.0] * 30)
    assert interval is not None
    assert interval.high == 1.0
    assert interval.low == pytest.approx(0.8865, abs=1e-4)


@pytest.mark.parametrize("values", [[], [0.5]])
def test_mean_interval_needs_two_values(values: list[float]) -> None:
    assert mean_interval(values) is None


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_interval_is_that_of_scipy(counts: tuple[int, int]) -> None:
    expected = stats.binomtest(*counts).proportion_ci(CONFIDENCE, method="wilson")
    interval = wilson_interval(*counts)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_interval_of_nothing_is_none() -> None:
    assert wilson_interval(0, 0) is None


@given(st.lists(st.booleans(), max_size=9), st.integers(1, 10))
def test_pass_at_k_and_pass_pow_k_count_every_choice_of_k_trials(outcomes: list[bool], k: int) -> None:
    choices = list(combinations(outcomes, k))
    at_k = float(Fraction(sum(map(any, choices)), len(choices))) if choices else None
    pow_k = float(Fraction(sum(map(all, choices)), len(choices))) if choices else None
    assert pass_at_k(len(outcomes), sum(outcomes), k) == at_k
    assert pass_pow_k(len(outcomes), sum(outcomes), k) == pow_k


def test_pass_at_k_of_many_trials_does_not_overflow() -> None:
    assert pass_at_k(5000, 1, 2500) == 0.5
    assert pass_pow_k(5000, 4999, 2500) == 0.5


@pytest.mark.parametrize(
    ("planned", "expected"),
    [(1, (1,)), (2, (1, 2)), (4, (1, 2, 3, 4)), (5, (1, 2, 3, 5)), (30, (1, 2, 3, 5, 10, 30))],
)
def test_usual_ks(planned: int, expected: tuple[int, ...]) -> None:
    assert usual_ks(planned) == expected


def test_bounds_take_missing_verdicts_as_0_and_as_1() -> None:
    assert bounds([1.0, 0.5], 4) == Interval(0.375, 0.875)
    assert bounds([], 3) == Interval(0.0, 1.0)


def test_mean_of_nothing_is_none() -> None:
    assert mean([]) is None
    assert mean([0.1] * 10) == pytest.approx(0.1, abs=math.ulp(0.1))

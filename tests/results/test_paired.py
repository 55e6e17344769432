from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]  # it ships no types

from skillgrade.results.paired import (
    MOST_FLIPPED,
    difference_interval,
    fisher_exact,
    normalised_gain,
    pass_variance,
    sign_flip_test,
    suite_trials_needed,
    trials_needed,
)
from skillgrade.results.statistics import CONFIDENCE

_counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
_fractions = st.lists(st.fractions(-1, 1, max_denominator=6), min_size=1, max_size=9)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40).filter(lambda it: max(it) - min(it) > 1e-3))
def test_the_interval_of_differences_is_that_of_the_paired_t_test(differences: list[float]) -> None:
    expected = stats.ttest_1samp(differences, 0).confidence_interval(CONFIDENCE)
    interval = difference_interval(differences)
    assert interval is not None
    assert interval.low == pytest.approx(max(-1, expected.low), abs=1e-9)
    assert interval.high == pytest.approx(min(1, expected.high), abs=1e-9)


def test_equal_differences_claim_no_certainty() -> None:
    interval = difference_interval([0.0] * 5)
    assert interval is not None
    assert interval.low == pytest.approx(-interval.high)
    assert interval.high == pytest.approx(0.6592, abs=1e-4)
    assert difference_interval([0.5]) is None


@given(_counts, _counts)
def test_fisher_is_that_of_scipy(before: tuple[int, int], after: tuple[int, int]) -> None:
    (passed_before, n_before), (passed_after, n_after) = before, after
    table = [[passed_before, n_before - passed_before], [passed_after, n_after - passed_after]]
    assert fisher_exact(*before, *after) == pytest.approx(float(stats.fisher_exact(table).pvalue), rel=1e-6)
    assert fisher_exact(*before, *after) == fisher_exact(*after, *before)


def test_fisher_of_known_tables() -> None:
    assert fisher_exact(2, 5, 5, 5) == pytest.approx(2 * 1 / 12)
    assert fisher_exact(1, 5, 5, 5) == pytest.approx(1 / 21)
    assert fisher_exact(3, 3, 3, 3) == 1.0
    assert fisher_exact(0, 0, 3, 3) is None


@given(_fractions)
def test_every_flip_of_signs_counts(differences: list[Fraction]) -> None:
    observed = abs(sum(differences, Fraction()))
    flips = [
        abs(sum((sign * each for sign, each in zip(signs, differences, strict=True)), Fraction()))
        for signs in product((1, -1), repeat=len(differences))
    ]
    extreme = sum(flipped >= observed for flipped in flips)
    assert sign_flip_test(differences) == pytest.approx(extreme / len(flips), rel=1e-12)
    assert sign_flip_test([-difference for difference in differences]) == sign_flip_test(differences)


@given(st.integers(0, 15), st.integers(0, 15), st.integers(0, 5))
def test_with_one_trial_per_task_it_is_the_exact_test_of_mcnemar(better: int, worse: int, same: int) -> None:
    differences = [Fraction(1)] * better + [Fraction(-1)] * worse + [Fraction(0)] * same
    if not differences:
        assert sign_flip_test(differences) is None
        return
    expected = float(stats.binomtest(better, better + worse).pvalue) if better + worse else 1.0
    assert sign_flip_test(differences) == pytest.approx(expected, rel=1e-9)


def test_six_tasks_all_one_way_are_the_fewest_that_tell() -> None:
    assert sign_flip_test([Fraction(1)] * 5) == 0.0625
    assert sign_flip_test([Fraction(1)] * 6) == 0.03125


def test_many_tasks_are_left_to_the_interval() -> None:
    assert sign_flip_test([Fraction(1, 3)] * MOST_FLIPPED) == pytest.approx(2 / 2**MOST_FLIPPED)
    assert sign_flip_test([Fraction(1, 3)] * (MOST_FLIPPED + 1)) is None


def test_normalised_gain_of_known_rates() -> None:
    assert normalised_gain(0.339, 0.505) == pytest.approx(0.251, abs=1e-3)
    assert normalised_gain(0.9, 0.5) == pytest.approx(-4)
    assert normalised_gain(1.0, 0.5) is None
    assert normalised_gain(None, 0.5) is None
    assert normalised_gain(0.5, None) is None


def test_trials_needed_of_known_rates() -> None:
    # Two-sided 5 %, 80 %: 7.849 * (0.9 * 0.1 + 0.7 * 0.3) / 0.2^2 = 58.9.
    assert trials_needed(0.2, 0.9 * 0.1 + 0.7 * 0.3) == 59
    assert trials_needed(-0.2, 0.9 * 0.1 + 0.7 * 0.3) == 59
    assert trials_needed(0.0, 0.3) is None
    assert pass_variance(2, 2) == pytest.approx(0.75 * 0.25)
    assert pass_variance(0, 2) == pass_variance(2, 2)


def test_more_trials_help_where_tasks_are_alike() -> None:
    # d = 0.2 in each of 4 tasks, s^2 = 0.3 per trial pair, K = 5: K' = 0.3 / (4 * 0.04 / 7.849) = 14.7.
    trials, tasks = suite_trials_needed([0.2] * 4, [0.3] * 4, [5.0] * 4)
    assert (trials, tasks) == (15, 12)


def test_only_more_tasks_help_where_tasks_differ() -> None:
    trials, tasks = suite_trials_needed([1.0, -0.8, 0.9, -0.7], [0.02] * 4, [50.0] * 4)
    assert trials is None
    assert tasks is not None
    assert tasks > 700
    assert suite_trials_needed([0.5, -0.5], [0.3] * 2, [5.0] * 2) == (None, None)

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]  # it ships no types

from skillgrade.results.paired import (
    MOST_COUNTED,
    PassCounts,
    difference_interval,
    exact_test,
    normalised_gain,
    pass_variance,
    tasks_needed,
    trials_needed,
)
from skillgrade.results.statistics import CONFIDENCE

_counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
_few = st.integers(1, 5).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


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
def test_of_one_task_it_is_the_exact_test_of_fisher(before: tuple[int, int], after: tuple[int, int]) -> None:
    (passed_before, n_before), (passed_after, n_after) = before, after
    table = [[passed_before, n_before - passed_before], [passed_after, n_after - passed_after]]
    expected = float(stats.fisher_exact(table).pvalue)
    assert exact_test([PassCounts(*before, *after)]) == pytest.approx(expected, rel=1e-6)


@given(st.integers(0, 15), st.integers(0, 15), st.integers(0, 3), st.integers(0, 3))
def test_with_one_trial_per_task_it_is_the_exact_test_of_mcnemar(
    better: int, worse: int, passed: int, failed: int
) -> None:
    counts = [PassCounts(0, 1, 1, 1)] * better + [PassCounts(1, 1, 0, 1)] * worse
    counts += [PassCounts(1, 1, 1, 1)] * passed + [PassCounts(0, 1, 0, 1)] * failed
    if not counts:
        assert exact_test(counts) is None
        return
    expected = float(stats.binomtest(better, better + worse).pvalue) if better + worse else 1.0
    assert exact_test(counts) == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.tuples(_few, _few), min_size=2, max_size=3))
def test_it_counts_every_exchange_of_trials_within_tasks(tasks: list[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    """Every choice of which trials of a task are those of the second arm, by brute force."""
    sums: Counter[int] = Counter({0: 1})
    for (passed_before, n_before), (passed_after, n_after) in tasks:
        verdicts = [1] * (passed_before + passed_after)
        verdicts += [0] * (n_before + n_after - len(verdicts))
        choices = Counter(map(sum, combinations(verdicts, n_after)))
        added: Counter[int] = Counter()
        for (total, ways), (passes, choice) in product(sums.items(), choices.items()):
            added[total + passes] += ways * choice
        sums = added
    observed = sums[sum(passed for _, (passed, _) in tasks)]
    expected = sum(ways for ways in sums.values() if ways <= observed) / sum(sums.values())
    assert exact_test([PassCounts(*before, *after) for before, after in tasks]) == pytest.approx(expected, rel=1e-12)


@given(st.lists(st.tuples(_counts, _counts), min_size=1, max_size=6))
def test_the_order_of_the_arms_does_not_matter(tasks: list[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    ways = [PassCounts(*before, *after) for before, after in tasks]
    assert exact_test(ways) == exact_test([PassCounts(*after, *before) for before, after in tasks])


def test_exact_tests_of_known_tables() -> None:
    assert exact_test([PassCounts(2, 5, 5, 5)]) == pytest.approx(2 * 1 / 12)
    assert exact_test([PassCounts(1, 5, 5, 5)]) == pytest.approx(1 / 21)
    assert exact_test([PassCounts(3, 3, 3, 3)]) == 1.0
    assert exact_test([PassCounts(0, 1, 1, 1)] * 5) == 0.0625
    assert exact_test([PassCounts(0, 1, 1, 1)] * 6) == 0.03125
    # Three tasks with three trials each, all of them better: 2 / C(6, 3)^3.
    assert exact_test([PassCounts(0, 3, 3, 3)] * 3) == pytest.approx(2 / 20**3)


def test_many_trials_are_left_to_the_interval() -> None:
    assert exact_test([PassCounts(10, 20, 11, 20)] * (MOST_COUNTED // 40)) is not None
    assert exact_test([PassCounts(10, 20, 11, 20)] * (MOST_COUNTED // 40 + 1)) is None


def test_normalised_gain_of_known_rates() -> None:
    assert normalised_gain(0.339, 0.505) == pytest.approx(0.251, abs=1e-3)
    assert normalised_gain(0.9, 0.5) == pytest.approx(-4)
    assert normalised_gain(1.0, 0.5) is None
    assert normalised_gain(None, 0.5) is None
    assert normalised_gain(0.5, None) is None


def test_trials_needed_of_known_rates() -> None:
    # Two-sided 5 %, 80 %: 7.849 * (0.9 * 0.1 + 0.7 * 0.3) / 0.2^2 = 58.9.
    spread = 0.9 * 0.1 + 0.7 * 0.3
    assert trials_needed(0.2, [spread]) == 59
    assert trials_needed(-0.2, [spread]) == 59
    assert trials_needed(0.2, [spread] * 4) == 15
    assert trials_needed(0.0, [spread]) is None
    assert pass_variance(2, 2) == pytest.approx(0.75 * 0.25)
    assert pass_variance(0, 2) == pass_variance(2, 2)


def test_tasks_needed_of_known_differences() -> None:
    # Alike: only the noise of 5 trials per arm, 7.849 * 0.06 / 0.2^2 = 11.8.
    assert tasks_needed([0.2] * 4, [0.06] * 4) == 12
    # Different: 7.849 * variance / mean^2; the noise is part of the variance that is observed.
    differences = [0.9, -0.3, 0.6, 0.0]
    assert tasks_needed(differences, [0.06] * 4) == tasks_needed(differences, [0.0] * 4) == 27
    assert tasks_needed([0.5, -0.5], [0.1] * 2) is None

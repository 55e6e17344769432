from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.results.comparison import (
    ArmNumbers,
    TaskComparison,
    Verdict,
    compare_task,
    compare_totals,
    mean_by_kind,
    mean_if_known,
)
from skillgrade.results.encoding import decode, encode


def arm(passed: int, graded: int, **fields: Any) -> ArmNumbers:
    rate = passed / graded if graded else None
    return ArmNumbers(
        **{"planned": graded, "mean_reward": rate, **fields}, graded=graded, passed=passed, pass_rate=rate
    )


def tasks(*counts: tuple[int, int, int, int]) -> list[TaskComparison]:
    return [compare_task(f"task {i}", arm(*each[:2]), arm(*each[2:])) for i, each in enumerate(counts)]


_arms = st.integers(0, 9).flatmap(lambda n: st.builds(arm, st.integers(0, n), st.just(n)))
_pairs = st.lists(st.tuples(_arms, _arms), max_size=6)
OPPOSITE = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER, Verdict.UNCLEAR: Verdict.UNCLEAR}


def test_a_task_that_a_skill_makes_pass() -> None:
    (task,) = tasks((1, 5, 5, 5))
    assert task.pass_rate_difference == pytest.approx(0.8)
    assert task.normalised_gain == 1.0
    assert task.p_value == pytest.approx(1 / 21)
    assert (task.verdict, task.more_trials, task.got_worse) == (Verdict.BETTER, None, False)


def test_too_few_trials_say_how_many_more() -> None:
    (task,) = tasks((2, 5, 5, 5))
    assert task.p_value == pytest.approx(1 / 6)
    # 7.849 * (3/7 * 4/7 + 6/7 * 1/7) / 0.6^2 = 8.01
    assert (task.verdict, task.more_trials) == (Verdict.UNCLEAR, 4)
    (task,) = tasks((0, 1, 1, 1))
    assert task.more_trials == 3


def test_no_difference_has_no_number_of_trials() -> None:
    (task,) = tasks((3, 5, 3, 5))
    assert (task.verdict, task.more_trials, task.p_value) == (Verdict.UNCLEAR, None, 1.0)


def test_thirds_that_cancel_are_no_difference() -> None:
    totals = compare_totals(tasks((1, 3, 2, 3), (1, 3, 0, 3)))
    assert (totals.pass_rate_difference, totals.more_trials, totals.more_tasks) == (0, None, None)


def test_tasks_without_graded_trials_in_both_arms_are_not_compared() -> None:
    compared = tasks((0, 0, 3, 3), (1, 3, 2, 3))
    assert (compared[0].pass_rate_difference, compared[0].p_value, compared[0].more_trials) == (None, None, None)
    totals = compare_totals(compared)
    assert (totals.tasks, totals.tasks_compared, totals.before.graded, totals.after.graded) == (2, 1, 3, 3)
    assert totals.pass_rate_difference == pytest.approx(1 / 3)
    assert totals.pass_rate_interval is None


def test_all_tasks_weigh_the_same() -> None:
    totals = compare_totals(tasks((0, 10, 10, 10), (2, 2, 1, 2)))
    assert totals.pass_rate_difference == pytest.approx(0.25)
    assert (totals.before.pass_rate, totals.after.pass_rate) == (0.5, 0.75)
    assert totals.normalised_gain == 0.5
    assert totals.tasks_worse == ("task 1",)


def test_few_tasks_with_many_trials_tell_about_themselves_but_not_about_others() -> None:
    totals = compare_totals(tasks((0, 15, 15, 15), (5, 15, 6, 15)))
    assert totals.verdict is Verdict.BETTER
    assert totals.p_value is not None
    assert totals.p_value < 1e-4
    assert totals.pass_rate_interval is not None
    assert totals.pass_rate_interval.low < 0
    assert totals.more_trials is None
    assert totals.more_tasks == 11


def test_with_too_many_trials_to_count_the_interval_decides() -> None:
    totals = compare_totals(tasks(*[(50, 100, 70 + i, 100) for i in range(12)]))
    assert totals.p_value is None
    assert totals.verdict is Verdict.BETTER
    assert totals.more_tasks is None


def test_a_lower_reward_at_the_same_pass_rate_is_worse() -> None:
    assert compare_task("a", arm(2, 2, mean_reward=0.9), arm(2, 2, mean_reward=0.8)).got_worse
    assert not compare_task("a", arm(1, 2, mean_reward=0.9), arm(2, 2, mean_reward=0.8)).got_worse


def test_tokens_and_money_are_unknown_where_one_trial_does_not_know_them() -> None:
    assert mean_by_kind([{"input": 2}, {"input": 4, "output": 3}]) == {"input": 3, "output": 1.5}
    assert mean_by_kind([{"input": 2}, None]) is None
    assert mean_by_kind([]) is None
    assert mean_if_known([1.0, 2.0]) == 1.5
    assert mean_if_known([1.0, None]) is None
    assert mean_if_known([]) is None


@given(_pairs)
def test_the_arms_exchanged_give_the_opposite(pairs: list[tuple[ArmNumbers, ArmNumbers]]) -> None:
    one = compare_totals([compare_task("a", before, after) for before, after in pairs])
    other = compare_totals([compare_task("a", after, before) for before, after in pairs])
    assert other.p_value == one.p_value
    assert (other.before, other.after) == (one.after, one.before)
    if one.pass_rate_difference is None:
        assert other.pass_rate_difference is None
        return
    assert other.pass_rate_difference == pytest.approx(-one.pass_rate_difference)
    assert other.verdict is OPPOSITE[one.verdict]
    if one.pass_rate_interval is not None and other.pass_rate_interval is not None:
        assert other.pass_rate_interval.low == pytest.approx(-one.pass_rate_interval.high)


@given(st.lists(_arms, max_size=6))
def test_the_same_arm_twice_is_no_difference(arms: list[ArmNumbers]) -> None:
    totals = compare_totals([compare_task("a", each, each) for each in arms])
    assert totals.verdict is Verdict.UNCLEAR
    assert totals.pass_rate_difference in (0, None)
    assert totals.p_value in (1, None)
    assert (totals.more_trials, totals.more_tasks, totals.tasks_worse) == (None, None, ())


@given(_arms, _arms)
def test_a_task_alone_and_all_tasks_say_the_same(before: ArmNumbers, after: ArmNumbers) -> None:
    task = compare_task("a", before, after)
    totals = compare_totals([task])
    for name in ("pass_rate_difference", "normalised_gain", "p_value", "verdict", "more_trials"):
        assert getattr(totals, name) == getattr(task, name)
    assert decode(TaskComparison, encode(task)) == task

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import Stage
from skillgrade.graders.verdict import TrialVerdict, weigh
from skillgrade.results.records import GraderResult, GraderStatus, Outcome, TrialError


def result(
    score: float | None, weight: float = 1.0, status: GraderStatus = GraderStatus.OK, n: int = 0
) -> GraderResult:
    return GraderResult("deterministic", n, status, score, weight, "why")


def test_the_reward_is_the_weighted_mean() -> None:
    verdict = weigh([result(1.0, 0.7), result(0.5, 0.2), result(0.0, 0.1)], 0.5, agent_timed_out=False)
    assert verdict == TrialVerdict(Outcome.PASSED, 0.8, 0.8)


def test_weights_need_not_sum_to_one_and_zero_weights_do_not_count() -> None:
    assert weigh([result(1.0, 3), result(0.0, 1), result(0.0, 0)], 0.5, agent_timed_out=False).reward == 0.75


@pytest.mark.parametrize(("score", "outcome"), [(0.5, Outcome.PASSED), (0.49, Outcome.FAILED), (0.0, Outcome.FAILED)])
def test_a_trial_passes_at_the_threshold(score: float, outcome: Outcome) -> None:
    assert weigh([result(score)], 0.5, agent_timed_out=False).outcome is outcome


def test_full_marks_in_all_parts_are_exactly_one() -> None:
    assert weigh([result(1.0, 0.7), result(1.0, 0.2), result(1.0, 0.1)], 1.0, agent_timed_out=False).reward == 1.0


def test_a_grader_that_errored_leaves_no_reward_but_the_others_are_shown() -> None:
    broken = GraderResult("deterministic", 1, GraderStatus.ERROR, None, 0.3, "it crashed")
    assert weigh([result(0.5, 0.7), broken], 0.5, agent_timed_out=False) == TrialVerdict(
        Outcome.ERRORED, None, 0.5, TrialError(Stage.GRADE, "deterministic grader 1: it crashed")
    )


def test_an_undecided_grader_makes_the_trial_ungraded() -> None:
    verdict = weigh([result(1.0), result(None, status=GraderStatus.UNGRADED)], 0.5, agent_timed_out=False)
    assert verdict == TrialVerdict(Outcome.UNGRADED, None, 1.0)


def test_an_error_wins_over_an_undecided_grader() -> None:
    results = [result(None, status=GraderStatus.UNGRADED), result(None, status=GraderStatus.ERROR)]
    assert weigh(results, 0.5, agent_timed_out=False).outcome is Outcome.ERRORED


@pytest.mark.parametrize("status", [GraderStatus.OK, GraderStatus.ERROR])
def test_an_agent_that_ran_into_its_deadline_has_failed_whatever_the_graders_say(status: GraderStatus) -> None:
    score = 1.0 if status is GraderStatus.OK else None
    verdict = weigh([result(score, status=status)], 0.5, agent_timed_out=True)
    assert verdict == TrialVerdict(Outcome.FAILED, 0.0, score)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 100)), min_size=1))
def test_the_reward_lies_between_the_lowest_and_the_highest_score(parts: list[tuple[float, float]]) -> None:
    reward = weigh([result(score, weight) for score, weight in parts], 0.5, agent_timed_out=False).reward
    scores = [score for score, _ in parts]
    assert reward is not None
    assert min(scores) - 1e-9 <= reward <= max(scores) + 1e-9

"""From grader results to a reward and an outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillgrade.errors import Stage
from skillgrade.graders import RECORD_GRADERS
from skillgrade.results.records import GraderResult, GraderStatus, Outcome, TrialError


@dataclass(frozen=True, slots=True)
class TrialVerdict:
    """What the graders of a trial amount to; the fields are those of a `TrialRecord`."""

    outcome: Outcome
    reward: float | None
    answered_reward: float | None
    error: TrialError | None = None


def weigh(results: Sequence[GraderResult], pass_threshold: float, agent_timed_out: bool) -> TrialVerdict:
    """Weigh what the graders said.

    The reward is sum(score * weight) / sum(weight) over all graders. It exists only when every grader answered: an
    error of a grader makes the trial errored, one that stayed undecided makes it ungraded. An agent that ran into its
    own deadline has failed whatever the graders say, with reward 0; what they say is kept beside it.

    Args:
        results: One per selected grader; their weights are not all 0.
        pass_threshold: The reward at which the trial passes.
        agent_timed_out: Whether the agent ran into its deadline.
    """
    answered = _weighted_mean([result for result in results if result.status is GraderStatus.OK])
    if agent_timed_out:
        return TrialVerdict(Outcome.FAILED, 0.0, answered)
    failed = [result for result in results if result.status is GraderStatus.ERROR]
    if failed:
        reason = "; ".join(f"{result.grader_type} grader {result.grader}: {result.details}" for result in failed)
        by_record = all(result.grader_type in RECORD_GRADERS for result in failed)
        stage = Stage.JUDGE if by_record else Stage.GRADE
        return TrialVerdict(Outcome.ERRORED, None, answered, TrialError(stage, reason))
    undecided = any(result.status is GraderStatus.UNGRADED for result in results)
    if undecided or answered is None:
        return TrialVerdict(Outcome.UNGRADED, None, answered)
    return TrialVerdict(Outcome.PASSED if answered >= pass_threshold else Outcome.FAILED, answered, answered)


def turn_failed(results: Sequence[GraderResult], pass_threshold: float) -> bool:
    """Whether the graders that ran in the workspace after a turn say that it failed.

    A grader that did not answer says nothing of the turn; it makes the trial errored anyway.

    Args:
        results: Of those graders.
        pass_threshold: The reward below which it failed.
    """
    reward = _weighted_mean([result for result in results if result.status is GraderStatus.OK])
    return reward is not None and reward < pass_threshold


def _weighted_mean(results: Sequence[GraderResult]) -> float | None:
    total = sum(result.weight for result in results)
    if total <= 0:
        return None
    # Rounded so that weights such as 0.7 and 0.3 that are all met give 1 and not 0.9999999999999999.
    return round(sum((result.score or 0.0) * result.weight for result in results) / total, 12)

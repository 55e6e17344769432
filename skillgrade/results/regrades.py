"""Grades that came after a trial's end: what they are, and what they changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from skillgrade.results.records import GraderResult, GraderStatus, Outcome, TrialError, TrialRecord


class Cause(StrEnum):
    """Why a trial was graded again: `skillgrade regrade`, or a person's review that came in."""

    REGRADE = "regrade"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Regrade:
    """The grades of one attempt from then on; everything else of it stays as it was recorded.

    Attributes:
        task: The task's name.
        trial: The trial's number, from 0.
        attempt: The attempt's number, from 0.
        at: When, ISO 8601, UTC.
        cause: Why.
        outcome: As in a `TrialRecord`, like the four below.
        reward: 0..1; None unless the outcome is passed or failed.
        answered_reward: Over those graders that did answer.
        error: Set when the outcome is errored.
        grader_results: Of all graders, those that were not asked again too.
    """

    task: str
    trial: int
    attempt: int
    at: str
    cause: Cause
    outcome: Outcome
    reward: float | None
    answered_reward: float | None
    error: TrialError | None = None
    grader_results: tuple[GraderResult, ...] = ()

    def applied_to(self, record: TrialRecord) -> TrialRecord:
        """The attempt with these grades."""
        return replace(
            record,
            outcome=self.outcome,
            reward=self.reward,
            answered_reward=self.answered_reward,
            error=self.error,
            grader_results=self.grader_results,
        )


@dataclass(frozen=True, slots=True)
class AttemptHistory:
    """One attempt as it was recorded, and what its grades became, in the order of time."""

    record: TrialRecord
    regrades: tuple[Regrade, ...] = ()

    @property
    def latest(self) -> TrialRecord:
        """The attempt with the grades that count."""
        return self.regrades[-1].applied_to(self.record) if self.regrades else self.record


@dataclass(frozen=True, slots=True)
class GradeChange:
    """What became of one grader's answer.

    Attributes:
        grader: The grader's number in the task, from 0.
        grader_type: Its type.
        turn: The turn after which it stands, from 0.
        status_before: Its status until then; None for a grader that had not been asked.
        status_after: Its status from then on.
        score_before: 0..1; None where there was none.
        score_after: 0..1; None where there is none.
    """

    grader: int
    grader_type: str
    turn: int
    status_before: GraderStatus | None
    status_after: GraderStatus
    score_before: float | None
    score_after: float | None


@dataclass(frozen=True, slots=True)
class RegradeReport:
    """What grading a trial again changed.

    Attributes:
        at: When, ISO 8601, UTC.
        cause: Why.
        outcome_before: How the trial ended until then.
        outcome_after: How it ends from then on.
        reward_before: 0..1; None without a verdict.
        reward_after: 0..1; None without a verdict.
        graders: The graders whose status or score changed.
    """

    at: str
    cause: Cause
    outcome_before: Outcome
    outcome_after: Outcome
    reward_before: float | None
    reward_after: float | None
    graders: tuple[GradeChange, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything did: the outcome, the reward, or a grader's status or score."""
        before, after = (self.outcome_before, self.reward_before), (self.outcome_after, self.reward_after)
        return bool(self.graders) or before != after


def regrade_report(before: TrialRecord, regrade: Regrade) -> RegradeReport:
    """What a regrade changed of an attempt.

    Args:
        before: The attempt with the grades that it had until then.
        regrade: The grades from then on.
    """
    return RegradeReport(
        at=regrade.at,
        cause=regrade.cause,
        outcome_before=before.outcome,
        outcome_after=regrade.outcome,
        reward_before=before.reward,
        reward_after=regrade.reward,
        graders=tuple(_grade_changes(before.grader_results, regrade.grader_results)),
    )


def regrade_reports(history: AttemptHistory) -> Iterator[RegradeReport]:
    """What each regrade of an attempt changed, in the order of time."""
    before = history.record
    for regrade in history.regrades:
        yield regrade_report(before, regrade)
        before = regrade.applied_to(history.record)


def _grade_changes(before: Sequence[GraderResult], after: Iterable[GraderResult]) -> Iterator[GradeChange]:
    earlier = {(result.turn, result.grader): result for result in before}
    for result in after:
        old = earlier.get((result.turn, result.grader))
        if old is None or (old.status, old.score) != (result.status, result.score):
            yield GradeChange(
                grader=result.grader,
                grader_type=result.grader_type,
                turn=result.turn,
                status_before=None if old is None else old.status,
                status_after=result.status,
                score_before=None if old is None else old.score,
                score_after=result.score,
            )

"""The human grader: asks a person, and takes the answer when it comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from skillgrade.graders.base import Needs, RecordContext
from skillgrade.results.records import Check, GraderResult, GraderStatus, Review
from skillgrade.results.redaction import Redactor
from skillgrade.results.review_file import ReviewProblem, read_review
from skillgrade.results.reviews import (
    HUMAN,
    ReviewContext,
    ReviewPlace,
    deadline_after,
    review_place,
    write_context,
)
from skillgrade.stop import Stop
from skillgrade.suite.model import GraderSpec, HumanSpec

TIMED_OUT = "timed_out: true"
"""What the details of a score hold that nobody gave."""


class HumanGrader:
    """Asks, and leaves the waiting to whoever leads the run: no trial holds a place while a person thinks."""

    type = HUMAN

    def problem(self, spec: GraderSpec) -> str | None:
        """Nothing keeps it from running."""
        return None

    def needs(self, spec: GraderSpec) -> Needs:
        """The files, and what changed in them."""
        return Needs(diff=True, workspace=True)

    def grade(self, spec: GraderSpec, context: RecordContext, stop: Stop) -> GraderResult:
        """Write the question; the answer is still to come.

        Raises:
            StorageError: It could not be written.
        """
        spec = _of_our_type(spec)
        stop.check()
        evidence = context.evidence
        place = review_place(context.folder, context.task.name, context.trial, context.earlier, evidence.turn)
        question = ReviewContext(
            task=context.task.name,
            trial=context.trial,
            turn=evidence.turn,
            prompt=context.redactor.text(spec.prompt),
            instruction=evidence.instruction,
            transcript=evidence.transcript,
            workspace=str(place.workspace),
            result_path=str(place.result()),
            deadline=deadline_after(spec.timeout),
            timeout=spec.timeout,
        )
        left = write_context(place, question)
        return GraderResult(
            grader_type=spec.type,
            grader=spec.index,
            status=GraderStatus.UNGRADED,
            score=None,
            weight=spec.weight,
            details=f"waiting for review: {place.result()}",
            checks=_tampering(left),
            turn=evidence.turn,
            waiting=True,
        )


def answered(result: GraderResult, place: ReviewPlace, redactor: Redactor) -> tuple[GraderResult, list[ReviewProblem]]:
    """What a human grader says by the answers that are there now.

    Args:
        result: What it said until now.
        place: Where it asked.
        redactor: Takes secrets out of what people wrote.

    Returns:
        Its result: with the mean of the scores, or unchanged where there is no answer; and what is wrong with files
        that are none.
    """
    found = [read_review(path, reviewer) for reviewer, path in place.results()]
    reviews = tuple(
        replace(review, details=redactor.text(review.details)) for review in found if isinstance(review, Review)
    )
    problems = [problem for problem in found if isinstance(problem, ReviewProblem)]
    if not reviews:
        return result, problems
    score = round(fmean(review.score for review in reviews), 12)
    return _scored(result, score, _in_words(reviews), reviews), problems


def timed_out(result: GraderResult, timeout: float) -> GraderResult:
    """What a human grader says when nobody answered in time."""
    return _scored(result, 0.0, f"no review came within {timeout:g} seconds ({TIMED_OUT})", ())


def _scored(result: GraderResult, score: float, details: str, reviews: tuple[Review, ...]) -> GraderResult:
    return replace(result, status=GraderStatus.OK, score=score, details=details, waiting=False, reviews=reviews)


def _in_words(reviews: Sequence[Review]) -> str:
    if len(reviews) == 1:
        return reviews[0].details
    return "\n".join(
        f"{review.reviewer or 'reviewer'} ({review.score:g}): {review.details}".rstrip(": ") for review in reviews
    )


def _tampering(left: Sequence[str]) -> tuple[Check, ...]:
    if not left:
        return ()
    named = ", ".join(left[:3]) + (f" and {len(left) - 3} more" if len(left) > 3 else "")
    message = f"tampering: where reviews belong, the agent had left {named}; it was removed before the review"
    return (Check("review-folder", passed=False, message=message),)


def _of_our_type(spec: GraderSpec) -> HumanSpec:
    if isinstance(spec, HumanSpec):
        return spec
    raise TypeError(f"{spec.type} is no human grader")

"""The grader that is made of assertions."""

from __future__ import annotations

from collections.abc import Sequence

from skillgrade.graders.assertions.checking import check_assertions, share
from skillgrade.graders.assertions.subjects import Subjects
from skillgrade.graders.base import Needs, RecordContext
from skillgrade.results.records import AssertionResult, AssertionStatus, Check, GraderResult, GraderStatus
from skillgrade.stop import Stop
from skillgrade.suite.assertion_types import SHAPES, Shape
from skillgrade.suite.model import AssertionsSpec, GraderSpec, Subject


class AssertionsGrader:
    """Checks one assertion after another; the score is the weighted share of those that hold.

    With a threshold, the score is 1 where the share reaches it, and else 0.
    """

    type = "assertions"

    def problem(self, spec: GraderSpec) -> str | None:
        """None: what cannot be evaluated was refused when the file was read."""
        return None

    def needs(self, spec: GraderSpec) -> Needs:
        """The files that its assertions name, and those that the agent made where one looks at its work."""
        asked = _of_our_type(spec).assertions
        files = {each.file for each in asked if each.file is not None}
        files |= {str(each.target) for each in asked if SHAPES.get(each.type) is Shape.PATH and each.fault is None}
        return Needs(artifacts=tuple(sorted(files)), created=any(each.subject is Subject.WORK for each in asked))

    def grade(self, spec: GraderSpec, context: RecordContext, stop: Stop) -> GraderResult:
        """Check all of them; one that cannot be told is an error of the grader, with the others beside it.

        Raises:
            Cancelled: The stop came.
        """
        stop.check()
        spec = _of_our_type(spec)
        results = check_assertions(spec.assertions, Subjects.of_evidence(context.evidence), stop)
        untold = [each.detail for each in results if each.status is AssertionStatus.ERROR]
        return GraderResult(
            grader_type=self.type,
            grader=spec.index,
            status=GraderStatus.ERROR if untold else GraderStatus.OK,
            score=None if untold else score(results, spec.threshold),
            weight=spec.weight,
            details="; ".join(untold) or _in_words(results, spec.threshold),
            checks=tuple(_check(each) for each in results if each.status is not AssertionStatus.ERROR),
            assertions=results,
            turn=context.evidence.turn,
        )


def score(results: Sequence[AssertionResult], threshold: float | None) -> float:
    """The score of a grader whose assertions came out so, 0..1.

    Args:
        results: What came of them; none is an error.
        threshold: The share that makes it 1; None where the score is the share.
    """
    held = share(results)
    return held if threshold is None else float(held >= threshold)


def _check(result: AssertionResult) -> Check:
    name = f"{'not ' if result.negated else ''}{result.type}: {result.target}"
    return Check(name, result.status is AssertionStatus.PASSED, result.detail)


def _in_words(results: Sequence[AssertionResult], threshold: float | None) -> str:
    held = sum(each.status is AssertionStatus.PASSED for each in results)
    words = f"{held} of {len(results)} assertion{'s' if len(results) > 1 else ''} held"
    return words if threshold is None else f"{words}, {share(results):.2f} of their weight; {threshold:g} is enough"


def _of_our_type(spec: GraderSpec) -> AssertionsSpec:
    if isinstance(spec, AssertionsSpec):
        return spec
    raise TypeError(f"{spec.type} is no assertions grader")

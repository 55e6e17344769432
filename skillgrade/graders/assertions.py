"""The assertions grader: checks on what was kept of a trial, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skillgrade.graders.base import Needs, RecordContext
from skillgrade.results.evidence import Evidence
from skillgrade.results.records import Check, GraderResult, GraderStatus, TriggerStatus
from skillgrade.stop import Stop
from skillgrade.suite.model import SKILL_USED, Assertion, AssertionsSpec, GraderSpec


class AssertionsGrader:
    """Checks one assertion after another; the score is the weighted share of those that hold."""

    type = "assertions"

    def problem(self, spec: GraderSpec) -> str | None:
        """It runs `skill_used` and no other type of assertion."""
        others = dict.fromkeys(each.type for each in _of_our_type(spec).assertions if each.type != SKILL_USED)
        if not others:
            return None
        return (
            f"{', '.join(others)} assertions are not part of this version; take them out, or leave these graders out "
            "with --grader"
        )

    def needs(self, spec: GraderSpec) -> Needs:
        """What was observed of skills is kept anyway."""
        return Needs()

    def grade(self, spec: GraderSpec, context: RecordContext, stop: Stop) -> GraderResult:
        """Check all of them; one that cannot be told is an error of the grader, with the others beside it.

        Raises:
            Cancelled: The stop came.
        """
        stop.check()
        spec = _of_our_type(spec)
        found = [_skill_used(each, context.evidence) for each in spec.assertions]
        untold = [each.check.message for each in found if not each.is_known]
        return GraderResult(
            grader_type=self.type,
            grader=spec.index,
            status=GraderStatus.ERROR if untold else GraderStatus.OK,
            score=None if untold else _share(spec.assertions, found),
            weight=spec.weight,
            details="; ".join(untold) or _in_words(found),
            checks=tuple(each.check for each in found if each.is_known),
            turn=context.evidence.turn,
        )


class _Found(NamedTuple):
    """What came of an assertion, and whether that could be told at all."""

    check: Check
    is_known: bool = True


def _skill_used(assertion: Assertion, evidence: Evidence) -> _Found:
    """Only a skill that was used is used; one that was merely asked for counts as neither used nor left alone."""
    skill = str(assertion.target)
    name = f"{'not ' if assertion.negated else ''}{SKILL_USED}: {skill}"
    trigger = next((each for each in evidence.triggers if each.skill == skill), None)
    if trigger is None:
        message = f"nothing was kept of whether the skill {skill} was used: start a new run"
        return _Found(Check(name, passed=False, message=message), is_known=False)
    if trigger.status is TriggerStatus.UNKNOWN:
        message = f"whether the skill {skill} was used cannot be told: {trigger.evidence}"
        return _Found(Check(name, passed=False, message=message), is_known=False)
    wanted = TriggerStatus.NOT_TRIGGERED if assertion.negated else TriggerStatus.TRIGGERED
    return _Found(Check(name, trigger.status is wanted, f"{trigger.status}: {trigger.evidence}"))


def _share(assertions: Sequence[Assertion], found: Sequence[_Found]) -> float:
    total = sum(each.weight for each in assertions)
    held = sum(each.weight for each, one in zip(assertions, found, strict=True) if one.check.passed)
    return round(held / total, 12)


def _in_words(found: Sequence[_Found]) -> str:
    held = sum(one.check.passed for one in found)
    return f"{held} of {len(found)} assertion{'s' if len(found) > 1 else ''} held"


def _of_our_type(spec: GraderSpec) -> AssertionsSpec:
    if isinstance(spec, AssertionsSpec):
        return spec
    raise TypeError(f"{spec.type} is no assertions grader")

"""The check of whether a skill was used."""

from __future__ import annotations

from skillgrade.graders.assertions.base import Finding, Look
from skillgrade.graders.assertions.subjects import UntoldError
from skillgrade.results.records import TriggerStatus
from skillgrade.suite.model import Assertion


def skill_used(assertion: Assertion, look: Look) -> Finding:
    """Only a skill that was used is used; one that was merely asked for counts as neither used nor left alone."""
    skill = str(assertion.target)
    trigger = next((each for each in look.subjects.triggers if each.skill == skill), None)
    if trigger is None:
        raise UntoldError(f"nothing was kept of whether the skill {skill} was used: start a new run")
    if trigger.status is TriggerStatus.UNKNOWN:
        raise UntoldError(f"whether the skill {skill} was used cannot be told: {trigger.evidence}")
    return Finding(
        trigger.status is TriggerStatus.TRIGGERED,
        f"{trigger.status}: {trigger.evidence}",
        fails_negated=trigger.status is TriggerStatus.ATTEMPTED,
    )

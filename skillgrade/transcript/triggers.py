"""Whether an agent used a skill by itself, as its stream shows it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from skillgrade.results.records import Trigger, TriggerStatus
from skillgrade.transcript.events import CallStatus
from skillgrade.transcript.failure import failure
from skillgrade.transcript.summary import SkillSeen, TranscriptSummary


@dataclass(frozen=True, slots=True)
class ObservedTurn:
    """What the agent was told, and what its stream came to.

    Attributes:
        instruction: What it was told.
        summary: What its stream came to.
        place: Where in a conversation that was, such as ``in turn 1``; empty where it was told one thing only.
    """

    instruction: str
    summary: TranscriptSummary
    place: str = ""


def observed_trigger(skill: str, turns: Sequence[ObservedTurn]) -> Trigger:
    """What all turns of a trial show of a skill: the most that any of them does.

    Args:
        skill: The skill's name.
        turns: What was told and done, in order; at least one.
    """
    found = [_in_turn(skill, turn) for turn in turns]
    for status in (TriggerStatus.TRIGGERED, TriggerStatus.ATTEMPTED, TriggerStatus.UNKNOWN):
        if hit := next((trigger for trigger in found if trigger.status is status), None):
            return hit
    return found[0]


def _in_turn(skill: str, turn: ObservedTurn) -> Trigger:
    summary = turn.summary
    where = f" {turn.place}" if turn.place else ""
    seen = [each for each in summary.skills if _is(skill, each.use.name)]
    for each in seen:
        if each.use.status is CallStatus.OK:
            return Trigger(skill, TriggerStatus.TRIGGERED, f"{_done(each)}{where}")
    if seen:
        return Trigger(skill, TriggerStatus.ATTEMPTED, f"{_done(seen[0])}{where}, which ended as {seen[0].use.status}")
    if reason := _blind_spot(skill, turn):
        return Trigger(skill, TriggerStatus.UNKNOWN, f"{reason}{where}")
    calls = sum(summary.calls.values())
    return Trigger(skill, TriggerStatus.NOT_TRIGGERED, f"nothing that it did opened the skill (tool calls: {calls})")


def _is(skill: str, name: str) -> bool:
    """Whether a name, which may have a plugin's before it, is the skill's: all of it, never a part."""
    return name == skill or name.rsplit(":", 1)[-1] == skill


def _done(seen: SkillSeen) -> str:
    act = "called its skill tool" if seen.use.how == "tool" else "read its SKILL.md"
    return f"event {seen.place}: the agent {act}"


def _blind_spot(skill: str, turn: ObservedTurn) -> str:
    """Why the skill may have been used although nothing shows it; empty when it was not."""
    summary = turn.summary
    if not summary.shows_calls:
        return "the agent's output does not show what tools it called"
    if _names_it(skill, turn.instruction):
        return "the instruction calls the skill by its name, which leaves no event"
    if summary.truncated:
        return "a part of the agent's output was not kept"
    if summary.end is None:
        return "the stream ends before the agent does"
    if reason := failure(summary):
        return reason
    return ""


def _names_it(skill: str, instruction: str) -> bool:
    """Whether an instruction calls a skill explicitly, as ``/name`` or ``$name``."""
    return re.search(rf"(?<![\w/$.~-])[/$](?:[\w.-]+:)?{re.escape(skill)}(?![\w/-]|\.\w)", instruction) is not None

"""What a stream came to: the figures and findings that a trial's record needs, gathered while its events pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from skillgrade.transcript.base import Parser
from skillgrade.transcript.events import CallStatus, End, Error, Event, Message, Role, SkillUse, ToolCall, Usage
from skillgrade.transcript.tools import READ_ONLY

_ERRORS = 20
_SKILLS = 200
_ORDER = (CallStatus.PENDING, CallStatus.DENIED, CallStatus.ERROR, CallStatus.OK)


@dataclass(frozen=True, slots=True)
class SkillSeen:
    """The best use that was made of a skill, and the number of its event, from 1."""

    use: SkillUse
    place: int


@dataclass(frozen=True, slots=True)
class TranscriptSummary:
    """What a stream came to.

    Attributes:
        format: The stream's format, a key of `skillgrade.transcript.PARSERS`.
        recognized: Lines that say something in that format.
        noise: Lines that do not.
        first_noise: The first of these, cut.
        shows_calls: Whether the stream tells what tools were called.
        conversation: The stream's own id of the conversation that it belongs to; None when it says none.
        truncated: Whether a part of the stream was not kept.
        events: How many events it came to.
        answers: Messages and thoughts of its model.
        calls: Tool calls, by how they ended.
        acted: Calls that succeeded and may have changed something.
        refused: The first call that was denied; None when none was.
        errors: The first errors, and the last fatal one.
        skills: What was opened or tried, each name that the agent wrote once.
        tokens: By kind; None when the stream does not say.
        cost_usd: None when the stream does not say.
        end: How it ended by its own account; None when it does not say.
    """

    format: str
    recognized: int
    noise: int
    first_noise: str
    shows_calls: bool
    conversation: str | None
    truncated: bool
    events: int
    answers: int
    calls: Mapping[CallStatus, int]
    acted: int
    refused: ToolCall | None
    errors: tuple[Error, ...]
    skills: tuple[SkillSeen, ...]
    tokens: Mapping[str, int] | None
    cost_usd: float | None
    end: End | None


@dataclass(slots=True)
class Tally:
    """Gathers a summary, event by event."""

    events: int = 0
    answers: int = 0
    calls: dict[CallStatus, int] = field(default_factory=dict)
    acted: int = 0
    refused: ToolCall | None = None
    errors: list[Error] = field(default_factory=list)
    skills: dict[str, SkillSeen] = field(default_factory=dict)
    usage: Usage | None = None
    end: End | None = None

    def add(self, event: Event) -> None:
        """Count an event."""
        self.events += 1
        match event:
            case Message():
                self.answers += event.role is not Role.USER
            case ToolCall():
                self._add_call(event)
            case SkillUse():
                self._add_skill(event)
            case Error():
                if len(self.errors) < _ERRORS:
                    self.errors.append(event)
                elif event.fatal:
                    self.errors[-1] = event
            case Usage():
                self.usage = event
            case End():
                self.end = event

    def _add_call(self, call: ToolCall) -> None:
        self.calls[call.status] = self.calls.get(call.status, 0) + 1
        if call.status is CallStatus.OK and call.tool not in READ_ONLY:
            self.acted += 1
        if call.status is CallStatus.DENIED and self.refused is None:
            self.refused = call

    def _add_skill(self, use: SkillUse) -> None:
        before = self.skills.get(use.name)
        if before is None and len(self.skills) >= _SKILLS:
            return
        if before is None or _ORDER.index(use.status) > _ORDER.index(before.use.status):
            self.skills[use.name] = SkillSeen(use, self.events)

    def summary(self, format_name: str, parser: Parser, *, truncated: bool) -> TranscriptSummary:
        """What it came to, once the parser is through; see `TranscriptSummary`."""
        return TranscriptSummary(
            format=format_name,
            recognized=parser.recognized,
            noise=parser.noise,
            first_noise=parser.first_noise,
            shows_calls=parser.shows_calls,
            conversation=parser.conversation,
            truncated=truncated,
            events=self.events,
            answers=self.answers,
            calls=dict(self.calls),
            acted=self.acted,
            refused=self.refused,
            errors=tuple(self.errors),
            skills=tuple(self.skills.values()),
            tokens=(self.usage.tokens or None) if self.usage else None,
            cost_usd=self.usage.cost_usd if self.usage else None,
            end=self.end,
        )

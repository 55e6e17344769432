"""The normal form of what an agent did: the same few kinds of events, whatever program printed them.

Each event is one line of JSON in ``transcript.jsonl``, with its kind as ``event`` beside the fields of its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from skillgrade.results.encoding import FormatError, decode, dump, encode


class Role(StrEnum):
    """Who said something. `REASONING` is what a model thought aloud."""

    ASSISTANT = "assistant"
    USER = "user"
    REASONING = "reasoning"


class CallStatus(StrEnum):
    """How a tool call ended. `DENIED` means refused before it ran; `PENDING` that nobody heard of its end."""

    PENDING = "pending"
    OK = "ok"
    ERROR = "error"
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class Message:
    """Something that was said.

    Attributes:
        role: Who said it.
        text: The words, cut in the middle where they are very long.
        parent: The id of the call in which a subagent said it; None for the agent itself.
    """

    role: Role
    text: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool, told once: when it ended, or at the stream's end.

    Attributes:
        id: The stream's own id of it.
        name: The tool as the agent calls it.
        tool: The same tool's name across agents; see `skillgrade.transcript.tools`.
        args: What it was called with, long strings cut.
        status: How it ended.
        output: What it answered, cut in the middle where it is long; empty when the stream does not say.
        parent: The id of the call in which a subagent made it; None for the agent itself.
    """

    id: str
    name: str
    tool: str
    args: Mapping[str, Any]
    status: CallStatus
    output: str = ""
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class SkillUse:
    """A call that opened a skill; follows that call.

    Attributes:
        name: The skill, as the agent named it (``plugin:name`` stays as it is).
        status: How the call ended, as far as this skill is concerned.
        call: The id of the call.
        how: ``tool`` for a tool made for skills, ``read`` for reading its SKILL.md.
    """

    name: str
    status: CallStatus
    call: str
    how: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What the whole stream used; stands once, near its end.

    Attributes:
        tokens: By kind: ``input`` (all of it), ``cached_input`` (the part that came from a cache), ``output`` (all of
            it), ``reasoning`` (the part that was thought); only kinds that the stream knows.
        cost_usd: None when the stream does not say.
    """

    tokens: Mapping[str, int]
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Error:
    """Something that went wrong beside tools.

    Attributes:
        message: The stream's words.
        code: An HTTP status or a name, when the stream gives one.
        fatal: Whether the agent gave up on it.
    """

    message: str
    code: str | None = None
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class End:
    """The agent said that it is done; the last event. A stream without one was cut.

    Attributes:
        reason: In the stream's own word.
        ok: Whether it says that all went well.
    """

    reason: str
    ok: bool


Event: TypeAlias = Message | ToolCall | SkillUse | Usage | Error | End

_KINDS: Mapping[str, type[Event]] = {
    "message": Message,
    "tool_call": ToolCall,
    "skill_use": SkillUse,
    "usage": Usage,
    "error": Error,
    "end": End,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


@dataclass(frozen=True, slots=True)
class _Kind:
    event: str = field()


def event_line(event: Event) -> bytes:
    """An event as a line of JSON, with its newline."""
    return dump({"event": _NAMES[type(event)], **encode(event)}) + b"\n"


def read_event(document: Mapping[str, Any]) -> Event:
    """An event from the object of its line.

    Raises:
        FormatError: It is none.
    """
    name = decode(_Kind, document).event
    if name not in _KINDS:
        raise FormatError(f"must be one of {', '.join(_KINDS)}", "event")
    return decode(_KINDS[name], document)

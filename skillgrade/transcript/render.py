"""Events as a text for judges, graders and people.

Left out is what differs between runs that did the same (ids, usage), what the reader has already (the user's words),
and what was only thought.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillgrade.transcript.events import CallStatus, End, Error, Event, Message, Role, SkillUse, ToolCall
from skillgrade.transcript.shorten import shortened

ARGUMENT_LIMIT = 2_000
"""Characters of one argument that are shown."""

OUTPUT_LIMIT = 4_000
"""Characters of a tool's output that are shown."""


def render(events: Iterable[Event]) -> str:
    """The events as blocks with an empty line between; each begins with what it is, in square brackets."""
    return _clean("\n".join(f"{block}\n" for event in events for block in _block(event)))


def spoken(events: Iterable[Event]) -> str:
    """What the agent itself said to the user, without its tools and subagents."""
    return _clean(
        "\n".join(
            event.text
            for event in events
            if isinstance(event, Message) and event.role is Role.ASSISTANT and event.parent is None
        )
    )


def _clean(text: str) -> str:
    # JSON can spell half of a surrogate pair, which no file can hold.
    return text.encode("utf-8", "replace").decode("utf-8")


def _block(event: Event) -> Iterator[str]:
    match event:
        case Message(role=Role.ASSISTANT):
            yield f"[{'subagent' if event.parent else 'assistant'}]\n{event.text.strip()}"
        case ToolCall():
            yield _call(event)
        case SkillUse():
            verb = "opened" if event.status is CallStatus.OK else f"not opened: {event.status}"
            yield f"[skill] {event.name} ({verb})"
        case Error():
            code = f" {event.code}" if event.code else ""
            yield f"[{'fatal error' if event.fatal else 'error'}{code}] {event.message.strip()}"
        case End():
            yield f"[end] {event.reason}"


def _call(call: ToolCall) -> str:
    name = call.tool if call.tool == call.name else f"{call.tool} ({call.name})"
    lines = [f"[{'subagent ' if call.parent else ''}tool] {name}: {call.status}"]
    lines += _arguments(call.args)
    if call.output.strip():
        lines += ["  output:", _indented(shortened(call.output.strip("\n"), OUTPUT_LIMIT))]
    return "\n".join(lines)


def _arguments(args: Mapping[str, Any]) -> Iterator[str]:
    for key, value in args.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        text = shortened(text, ARGUMENT_LIMIT)
        yield f"  {key}:\n{_indented(text)}" if "\n" in text.strip() else f"  {key}: {text.strip()}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())

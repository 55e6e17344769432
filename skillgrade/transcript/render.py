"""Events as a text for judges, graders and people.

Left out is what differs between runs that did the same (ids, usage), what the reader has already (the user's words),
and what was only thought.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillgrade.transcript.events import CallStatus, End, Error, Event, Message, Role, SkillUse, ToolCall
from skillgrade.transcript.shorten import shortened

ARGUMENT_LIMIT = 2_000
"""Characters of one argument that are shown."""

OUTPUT_LIMIT = 4_000
"""Characters of a tool's output that are shown."""


_OURS = re.compile(r"^\[(?=(?:assistant|subagent|tool|skill|error|fatal error|end|turn)\b)", re.MULTILINE)
"""How our own lines begin; in what an agent says they are indented, so that it cannot make up what it did."""


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


def last_words(events: Iterable[Event]) -> str:
    """What the agent itself said last: all after its last call of a tool; if that is nothing, its last message."""
    words: list[str] = []
    last = ""
    for event in events:
        if isinstance(event, ToolCall) and event.parent is None:
            words = []
        elif isinstance(event, Message) and event.role is Role.ASSISTANT and event.parent is None:
            words.append(event.text)
            last = event.text if event.text.strip() else last
    said = "\n".join(words)
    return _clean(said if said.strip() else last)


def _clean(text: str) -> str:
    # JSON can spell half of a surrogate pair, which no file can hold.
    return text.encode("utf-8", "replace").decode("utf-8")


def _block(event: Event) -> Iterator[str]:
    match event:
        case Message(role=Role.ASSISTANT):
            text = _OURS.sub(r"  \g<0>", event.text.strip())
            yield f"[{'subagent' if event.parent else 'assistant'}]\n{text}"
        case ToolCall():
            yield _call(event)
        case SkillUse():
            verb = "opened" if event.status is CallStatus.OK else f"not opened: {event.status}"
            yield f"[skill] {_one_line(event.name)} ({verb})"
        case Error():
            code = f" {_one_line(event.code)}" if event.code else ""
            yield f"[{'fatal error' if event.fatal else 'error'}{code}] {_one_line(event.message)}"
        case End():
            yield f"[end] {_one_line(event.reason)}"


def _call(call: ToolCall) -> str:
    name = call.tool if call.tool == call.name else f"{call.tool} ({call.name})"
    lines = [f"[{'subagent ' if call.parent else ''}tool] {_one_line(name)}: {call.status}"]
    lines += _arguments(call.args)
    if call.output.strip():
        lines += ["  output:", _indented(shortened(call.output.strip("\n"), OUTPUT_LIMIT))]
    return "\n".join(lines)


def _arguments(args: Mapping[str, Any]) -> Iterator[str]:
    for key, value in args.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        text = shortened(text, ARGUMENT_LIMIT)
        name = _one_line(key)
        yield f"  {name}:\n{_indented(text)}" if len(text.splitlines()) > 1 else f"  {name}: {text.strip()}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())

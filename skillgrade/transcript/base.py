"""What a parser is, and what all parsers of JSON lines have in common.

A stream comes from a program that may be killed, log between its lines, say things twice or change its mind about a
field's type. So nothing here raises over what it reads: what cannot be used is counted and left.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from skillgrade.transcript.events import CallStatus, End, Error, Event, Message, Role, ToolCall, Usage
from skillgrade.transcript.shorten import MESSAGE_LIMIT, OUTPUT_LIMIT, short_arguments, shortened
from skillgrade.transcript.tools import canonical

OPEN_CALLS = 1_000
"""Calls whose end is awaited; of more, the oldest is told as pending."""

LONGEST_ID = 500
"""Characters of an id; what is longer is none."""

_REMEMBERED = 10_000
"""Ids that are remembered, so that what is said twice counts once."""

AROUND = "\ufeff\0 \t\r\n"
"""What may stand around a line."""

_DECODE = json.JSONDecoder().raw_decode

Document = dict[str, Any]
Handler = Callable[[Document], None]


class Parser(Protocol):
    """Turns one stream into events, line by line. Never raises over what it reads.

    Attributes:
        recognized: Lines so far that say something in this format, also where no event comes of them.
        noise: Lines so far that do not, and are not empty.
        first_noise: The first of these, cut.
        shows_calls: Whether the stream tells what tools were called.
        conversation: The stream's own id of the conversation that it begins or goes on with; None when it says none.
    """

    recognized: int
    noise: int
    first_noise: str
    shows_calls: bool
    conversation: str | None

    def feed(self, line: str) -> list[Event]:
        """Take a line; give back the events that are certain by now."""

    def end(self) -> list[Event]:
        """Give back the rest: messages and calls that are still open, the usage, the end."""


class Remembered:
    """The newest ids of a stream."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}

    def add(self, name: str) -> None:
        """Remember an id, at the price of the oldest; not one that is too long to be any."""
        if len(name) > LONGEST_ID:
            return
        self._ids[name] = None
        if len(self._ids) > _REMEMBERED:
            del self._ids[next(iter(self._ids))]

    def __contains__(self, name: object) -> bool:
        """Whether it is remembered."""
        return name in self._ids


class JsonParser:
    """A stream of JSON objects, one per line; see `Parser`.

    A parser fills `_handlers`: by the value of an object's `type`, what takes such objects.
    """

    def __init__(self) -> None:
        self.recognized = 0
        self.noise = 0
        self.first_noise = ""
        self.shows_calls = True
        self.conversation: str | None = None
        self._handlers: Mapping[str, Handler] = {}
        self._events: list[Event] = []
        self._open: dict[str, ToolCall] = {}
        self._closed = Remembered()
        self._seen = Remembered()
        self._tokens: dict[str, int] = {}
        self._cost: float | None = None
        self._end: End | None = None

    def feed(self, line: str) -> list[Event]:
        """See `Parser.feed`."""
        if not line.startswith("{"):
            line = line.strip(AROUND)
            if not line:
                return []
        try:
            # Not json.loads, which looks for blanks around: a third of the time of a short line.
            document, end = _DECODE(line)
        except (ValueError, RecursionError):
            self._count_noise(line)
            return []
        if end != len(line) and line[end:].strip(AROUND):
            self._count_noise(line)
            return []
        if type(document) is not dict:
            self._count_noise(line)
            return []
        self._take(document)
        events = self._events
        if events:
            self._events = []
        return events

    def end(self) -> list[Event]:
        """See `Parser.end`."""
        self._flush()
        events: list[Event] = [*self._events, *self._open.values()]
        self._events, self._open = [], {}
        if self._tokens or self._cost is not None:
            events.append(Usage(self._tokens, self._cost))
        if self._end is not None:
            events.append(self._end)
        return events

    def _take(self, document: Document) -> None:
        kind = document.get("type")
        handler = self._handlers.get(kind) if type(kind) is str else None
        if handler is None:
            self._count_noise(f"an object of type {kind}" if type(kind) is str else "an object without a type")
        else:
            self.recognized += 1
            handler(document)

    def _count_noise(self, line: str) -> None:
        self.noise += 1
        if not self.first_noise:
            self.first_noise = line[:200]

    def _flush(self) -> None:
        """Tell what is complete now that something else follows; for streams whose messages come in pieces."""

    def _is_repeat(self, name: object) -> bool:
        """Whether something with this id was seen before; it is from now on."""
        if type(name) is not str or not name:
            return False
        if name in self._seen:
            return True
        self._seen.add(name)
        return False

    def _say(self, role: Role, text: str, parent: str | None = None) -> None:
        if text.strip():
            self._events.append(Message(role, shortened(text, MESSAGE_LIMIT), parent))

    def _fail(self, message: str, code: object = None, *, fatal: bool) -> None:
        self._flush()
        code = code if type(code) in (str, int) else None
        self._events.append(Error(shortened(message, OUTPUT_LIMIT), None if code is None else str(code)[:100], fatal))

    def _start(self, name: object, tool: object, args: object, parent: str | None = None) -> None:
        """A call began, or says more of its arguments.

        Args:
            name: Its id.
            tool: The tool as the agent calls it.
            args: What it is called with.
            parent: The id of the call that it belongs to.
        """
        if type(name) is not str or type(tool) is not str or not 0 < len(name) <= LONGEST_ID or name in self._closed:
            return
        tool = tool[:LONGEST_ID]
        known = self._open.get(name)
        if known is not None and known.args == args:
            return
        self._flush()
        if known is not None:
            parent = known.parent
        elif len(self._open) >= OPEN_CALLS:
            self._tell(self._open.pop(next(iter(self._open))))
        self._open[name] = ToolCall(
            name, tool, canonical(tool), short_arguments(args), CallStatus.PENDING, parent=parent
        )

    def _finish(self, name: object, status: CallStatus, output: str) -> None:
        """A call ended."""
        call = self._open.pop(name, None) if type(name) is str else None
        if call is None:
            return
        output = shortened(output, OUTPUT_LIMIT)
        self._tell(ToolCall(call.id, call.name, call.tool, call.args, status, output, call.parent))

    def _tell(self, call: ToolCall) -> None:
        self._flush()
        self._closed.add(call.id)
        self._events.append(call)


def text_of(value: object) -> str:
    """A value that should be a text; empty when it is none."""
    return value if type(value) is str else ""


def id_of(value: object) -> str | None:
    """A value that should be an id; None when it is none."""
    return value if type(value) is str and 0 < len(value) <= LONGEST_ID else None


def word_of(value: object) -> str:
    """A value that should be a word; empty when it is none."""
    return value if type(value) is str and len(value) <= LONGEST_ID else ""


def object_of(value: object) -> Document:
    """A value that should be an object; empty when it is none."""
    return value if type(value) is dict else {}


def list_of(value: object) -> list[Any]:
    """A value that should be a list; empty when it is none."""
    return value if type(value) is list else []


def count_of(value: object) -> int | None:
    """A value that should be a count; None when it is none."""
    return value if type(value) is int and 0 <= value < 2**53 else None


def amount_of(value: object) -> float | None:
    """A value that should be an amount of money; None when it is none."""
    if type(value) not in (int, float) or not isinstance(value, int | float):
        return None
    try:
        amount = float(value)
    except OverflowError:
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None


def text_of_content(value: object) -> str:
    """The text of a message's content: a text, or a list of blocks that have one."""
    if type(value) is str:
        return value
    return "\n".join(
        block if type(block) is str else text_of(object_of(block).get("text"))
        for block in list_of(value)
        if type(block) is str or text_of(object_of(block).get("text"))
    )


def tokens_of(inputs: list[object], cached: object, outputs: list[object], reasoning: object) -> dict[str, int]:
    """Tokens by kind.

    Args:
        inputs: Counts that are all of the input, together.
        cached: The part of the input that came from a cache.
        outputs: Counts that are all of the output, together.
        reasoning: The part of the output that was thought.
    """
    sums = {
        "input": [count_of(value) for value in inputs],
        "cached_input": [count_of(cached)],
        "output": [count_of(value) for value in outputs],
        "reasoning": [count_of(reasoning)],
    }
    return {
        kind: sum(value for value in values if value is not None)
        for kind, values in sums.items()
        if values[0] is not None
    }

"""From what an agent printed to a file of events, in flat memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from skillgrade.capture import Captured
from skillgrade.errors import StorageError
from skillgrade.reading import reason
from skillgrade.results.encoding import FormatError, load_document
from skillgrade.storage import storing
from skillgrade.transcript import PARSERS
from skillgrade.transcript.base import Parser
from skillgrade.transcript.events import Event, ToolCall, event_line, read_event
from skillgrade.transcript.skills import skill_uses
from skillgrade.transcript.summary import Tally, TranscriptSummary

LINE_LIMIT = 8 * 1024 * 1024
"""Bytes of the longest line that is read; a longer one counts as noise."""

_CHUNK = 256 * 1024


def convert(captured: Captured, format_name: str, target: Path) -> TranscriptSummary:
    """Read what an agent printed, redacted, and write its events to a file, one per line.

    Args:
        captured: The stream.
        format_name: A key of `skillgrade.transcript.PARSERS`.
        target: The file; a former one is replaced.

    Raises:
        StorageError: The stream could not be read, or the events could not be written.
    """
    parser = PARSERS[format_name]()
    tally = Tally()
    with storing(target), target.open("wb") as stream:
        for event in parsed(parser, captured.path):
            tally.add(event)
            stream.write(event_line(event))
    return tally.summary(format_name, parser, truncated=captured.truncated)


def parsed(parser: Parser, raw: Path) -> Iterator[Event]:
    """The events of a stream, with the skills that calls opened.

    Raises:
        StorageError: It could not be read.
    """
    for line in _lines(raw):
        if events := parser.feed(line):
            yield from _with_skills(events)
    yield from _with_skills(parser.end())


def events_in(path: Path) -> Iterator[Event]:
    """The events that `convert` wrote.

    Raises:
        StorageError: The file is gone, or was changed into something else.
    """
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                try:
                    yield read_event(load_document(line))
                except FormatError as error:
                    raise StorageError(f"{path}:{number}: was changed ({error})") from error
    except OSError as error:
        raise StorageError(f"{path}: cannot be read ({reason(error)})") from error


def _with_skills(events: list[Event]) -> Iterator[Event]:
    for event in events:
        yield event
        if isinstance(event, ToolCall):
            yield from skill_uses(event)


def _lines(raw: Path) -> Iterator[str]:
    """The lines of a file as texts; of a line that is too long, its beginning, which no parser takes for a whole."""
    try:
        with raw.open("rb", buffering=_CHUNK) as stream:
            while line := stream.readline(LINE_LIMIT):
                yield line.decode("utf-8", "replace").rstrip("\r\n")
                while len(line) == LINE_LIMIT and not line.endswith(b"\n"):
                    line = stream.readline(LINE_LIMIT)
    except OSError as error:
        raise StorageError(f"{raw}: cannot be read ({reason(error)})") from error

"""Recorded streams of real agents, and short ways through a parser."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from skillgrade.capture import Captured
from skillgrade.transcript import PARSERS
from skillgrade.transcript.conversion import convert, events_in, parsed
from skillgrade.transcript.events import Event
from skillgrade.transcript.summary import TranscriptSummary

FOLDER = Path(__file__).parents[1] / "transcript" / "streams"
STREAMS = sorted(FOLDER.iterdir())
_FORMATS = {
    "claude": "claude-stream-json",
    "codex": "codex-jsonl",
    "gemini": "gemini-stream-json",
    "opencode": "opencode-json",
    "acp": "acp",
}


def format_of(stream: Path) -> str:
    return _FORMATS[stream.name.replace(".", "-").split("-")[0]]


def lines_of(name: str) -> list[str]:
    return (FOLDER / name).read_text("utf-8").splitlines()


def events_of(lines: Iterable[str], format_name: str) -> tuple[list[Event], list[Event]]:
    """What is certain before the end, and what the end adds."""
    parser = PARSERS[format_name]()
    return [event for line in lines for event in parser.feed(line)], parser.end()


def all_events(lines: Iterable[str], format_name: str) -> list[Event]:
    before, after = events_of(lines, format_name)
    return [*before, *after]


def converted(path: Path, folder: Path) -> tuple[TranscriptSummary, list[Event]]:
    """A recorded stream, converted and read back."""
    target = folder / "transcript.jsonl"
    summary = convert(Captured(path, path.stat().st_size, truncated=False), format_of(path), target)
    events = list(events_in(target))
    assert events == list(parsed(PARSERS[format_of(path)](), path))
    return summary, events


def summary_of(
    documents: Iterable[Any], format_name: str, folder: Path, *, truncated: bool = False
) -> TranscriptSummary:
    """What a stream of JSON values comes to."""
    raw = folder / "raw"
    raw.write_text("".join(f"{json.dumps(document)}\n" for document in documents), "utf-8")
    return convert(Captured(raw, raw.stat().st_size, truncated), format_name, folder / "transcript.jsonl")

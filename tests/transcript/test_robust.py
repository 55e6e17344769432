"""Whatever happens to a stream on its way, what is left of it is read, nothing is counted twice, and nothing raises."""

from __future__ import annotations

import copy
import json
import tempfile
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.capture import Captured
from skillgrade.transcript import PARSERS
from skillgrade.transcript.base import OPEN_CALLS
from skillgrade.transcript.conversion import LINE_LIMIT, convert, parsed
from skillgrade.transcript.events import CallStatus, Event, Message, Role, SkillUse, ToolCall, Usage, event_line
from skillgrade.transcript.render import render
from skillgrade.transcript.skills import skill_uses
from tests.support.streams import STREAMS, all_events, events_of, format_of

FORMATS = sorted(PARSERS)
NOISE = st.sampled_from(
    [
        "", " ", "\0\0", "[debug] connected", "{", "}", "{}", "[]", "null", "17", '"text"', "{'type': 'result'}",
        '{"type":',
        '{"type": "nobody.knows.this", "id": "x"}', '{"type": ["result"]}', "\ufffd\ufffd", "NaN", "\x1b[32mok\x1b[0m",
        "[" * 5000, '{"type": "assistant", "message": ' + "[" * 100_000,
    ]
)  # fmt: skip
STREAM = st.sampled_from(STREAMS)


def read(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def calls_of(events: list[Event]) -> list[ToolCall]:
    return [event for event in events if isinstance(event, ToolCall)]


@given(STREAM, st.data())
def test_cut_anywhere_what_stands_before_the_cut_is_the_same(stream: Path, data: st.DataObject) -> None:
    text = stream.read_text("utf-8")
    cut = data.draw(st.integers(0, len(text)))
    whole, _ = events_of(text.splitlines(), format_of(stream))
    before, after = events_of(text[:cut].splitlines(), format_of(stream))
    assert before == whole[: len(before)]
    known = {call.id for call in calls_of(all_events(read(stream), format_of(stream)))}
    counted = Counter(call.id for call in calls_of([*before, *after]))
    assert set(counted) <= known
    assert set(counted.values()) <= {1}


@given(STREAM, st.lists(st.tuples(st.integers(0, 1000), NOISE), max_size=5))
def test_noise_between_lines_changes_nothing(stream: Path, noise: list[tuple[int, str]]) -> None:
    clean, lines = read(stream), read(stream)
    if stream.suffix == ".json":  # one object over many lines, which a brace would open or close
        noise = [(place, line) for place, line in noise if "{" not in line and "}" not in line]
    for place, line in noise:
        lines.insert(place % (len(lines) + 1), line)
    assert all_events(lines, format_of(stream)) == all_events(clean, format_of(stream))


@given(STREAM, st.data())
def test_doubled_lines_count_once(stream: Path, data: st.DataObject) -> None:
    clean = read(stream)
    if stream.suffix == ".json":
        return
    doubled = [line for line in clean for _ in range(data.draw(st.integers(1, 3)))]
    events, expected = all_events(doubled, format_of(stream)), all_events(clean, format_of(stream))
    assert calls_of(events) == calls_of(expected)
    assert [event for event in events if isinstance(event, Usage)] == [e for e in expected if isinstance(e, Usage)]
    if not stream.name.startswith("acp"):  # whose pieces of messages have no ids, and may well be alike
        assert events == expected


@given(STREAM, st.binary(max_size=30), st.data())
def test_broken_bytes_are_read_around(stream: Path, junk: bytes, data: st.DataObject) -> None:
    content = stream.read_bytes()
    place = data.draw(st.integers(0, len(content)))
    with tempfile.NamedTemporaryFile() as raw:
        raw.write(content[:place] + junk + content[place:])
        raw.flush()
        events = list(parsed(PARSERS[format_of(stream)](), Path(raw.name)))
    render(events).encode("utf-8")
    assert all(event_line(event).endswith(b"\n") for event in events)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def paths_in(value: Any) -> list[tuple[Any, ...]]:
    """The ways to every value inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, item in items for path in [(key,), *((key, *rest) for rest in paths_in(item))]]


@given(STREAM, st.data())
def test_values_of_any_type_are_read_around(stream: Path, data: st.DataObject) -> None:
    text = stream.read_text("utf-8")
    documents = [json.loads(text)] if stream.suffix == ".json" else [json.loads(line) for line in text.splitlines()]
    for document in documents:
        for _ in range(data.draw(st.integers(0, 2))):
            paths = paths_in(document)
            if not paths:
                break
            *way, last = data.draw(st.sampled_from(paths))
            target = document
            for key in way:
                target = target[key]
            target[last] = data.draw(JSON)
    events = all_events((json.dumps(document) for document in documents), format_of(stream))
    for event in events:
        assert event_line(event)
        if isinstance(event, ToolCall):
            list(skill_uses(event))
    render(events).encode("utf-8")


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
def test_values_that_are_nested_as_deep_as_json_is_read_raise_nothing(stream: Path) -> None:
    deep = ["[" * depth + "]" * depth for depth in (600, 930, 960)]
    text = stream.read_text("utf-8")
    lines = [text] if stream.suffix == ".json" else text.splitlines()
    parsers = [PARSERS[format_of(stream)]() for _ in deep]
    for line in lines:
        document = json.loads(line)
        for *way, last in paths_in(document):
            changed = copy.deepcopy(document)
            target = changed
            for key in way:
                target = target[key]
            target[last] = "@"
            text = json.dumps(changed)
            for parser, value in zip(parsers, deep, strict=True):
                parser.feed(text.replace('"@"', value))
    for parser in parsers:
        parser.end()


def test_ids_that_are_too_long_are_not_kept() -> None:
    name = "x" * 5_000_000
    lines = [
        json.dumps({"type": "tool_use", "tool_id": name, "tool_name": "read_file", "parameters": {}}),
        json.dumps({"type": "tool_result", "tool_id": name, "status": "success"}),
    ]
    assert all_events(lines, "gemini-stream-json") == []
    call = {"sessionUpdate": "tool_call", "toolCallId": "_" * 5_000_000, "title": "x", "status": "completed"}
    assert all_events([json.dumps({"method": "session/update", "params": {"update": call}})], "acp") == []


@pytest.mark.parametrize("format_name", FORMATS)
@given(lines=st.lists(st.text(max_size=50) | JSON.map(json.dumps), max_size=5))
def test_no_line_at_all_raises(format_name: str, lines: list[str]) -> None:
    render(all_events(lines, format_name)).encode("utf-8")


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
def test_a_byte_order_mark_nul_bytes_and_windows_line_ends_are_read_around(stream: Path, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.write_bytes(b"\xef\xbb\xbf" + stream.read_bytes().replace(b"\n", b"\r\n") + b"\0\0\n")
    if stream.suffix != ".json":
        raw.write_bytes(raw.read_bytes().replace(b"\r\n", b"\0\r\n"))
    assert list(parsed(PARSERS[format_of(stream)](), raw)) == list(parsed(PARSERS[format_of(stream)](), stream))


def test_a_line_that_is_too_long_is_noise_and_the_next_one_is_read(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    with raw.open("wb") as stream:
        stream.write(b'{"type": "assistant", "message": {"content": "' + b"x" * (LINE_LIMIT + 10) + b'"}}\n')
        stream.write(b'{"type": "assistant", "message": {"content": "short"}}\n')
    parser = PARSERS["claude-stream-json"]()
    assert list(parsed(parser, raw)) == [Message(Role.ASSISTANT, "short")]
    assert parser.noise == 1


def test_of_too_many_open_calls_the_oldest_are_told_as_pending() -> None:
    lines = [
        json.dumps({"type": "tool_use", "tool_id": f"t{number}", "tool_name": "read_file", "parameters": {}})
        for number in range(OPEN_CALLS + 2)
    ]
    before, after = events_of(
        [*lines, '{"type": "tool_result", "tool_id": "t0", "status": "success"}'], "gemini-stream-json"
    )
    assert [(call.id, call.status) for call in calls_of(before)] == [
        ("t0", CallStatus.PENDING),
        ("t1", CallStatus.PENDING),
    ]
    assert len(after) == OPEN_CALLS


def test_memory_does_not_grow_with_the_stream(tmp_path: Path) -> None:
    def write(path: Path, calls: int) -> Path:
        with path.open("w") as stream:
            for number in range(calls):
                item: dict[str, Any] = {
                    "id": f"item_{number}",
                    "type": "command_execution",
                    "command": "ls",
                    "status": "in_progress",
                }
                stream.write(json.dumps({"type": "item.started", "item": item}) + "\n")
                item |= {"aggregated_output": "x" * 2000, "exit_code": 0, "status": "completed"}
                stream.write(json.dumps({"type": "item.completed", "item": item}) + "\n")
        return path

    def peak(raw: Path) -> int:
        tracemalloc.start()
        convert(Captured(raw, 0, truncated=False), "codex-jsonl", tmp_path / "events")
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    peak(write(tmp_path / "warm", 10))
    few, many = write(tmp_path / "few", 200), write(tmp_path / "many", 2000)
    assert peak(many) - peak(few) < 500_000 < many.stat().st_size / 8


def test_long_outputs_and_arguments_are_cut_in_the_middle() -> None:
    item = {
        "id": "1", "type": "command_execution", "command": "a" * 50_000, "aggregated_output": "b" * 50_000,
        "exit_code": 0, "status": "completed",
    }  # fmt: skip
    call = calls_of(all_events([json.dumps({"type": "item.completed", "item": item})], "codex-jsonl"))[0]
    assert "[... 42080 characters left out here ...]" in call.output
    assert "[... 34080 characters left out here ...]" in call.args["command"]


@pytest.mark.parametrize("format_name", [name for name in FORMATS if name != "text"])
def test_an_empty_stream_comes_to_nothing(format_name: str) -> None:
    assert all_events([], format_name) == []


def test_plain_text_is_one_message() -> None:
    assert all_events(["one", "", "two"], "text") == [Message(Role.ASSISTANT, "one\n\ntwo\n")]


def test_no_event_of_a_skill_comes_from_a_parser_itself() -> None:
    assert not any(isinstance(e, SkillUse) for s in STREAMS for e in all_events(read(s), format_of(s)))

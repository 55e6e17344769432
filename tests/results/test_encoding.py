from __future__ import annotations

import datetime as dt
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.results.encoding import (
    FormatError,
    decode,
    decode_record,
    dump,
    encode,
    load_document,
    require_format,
)
from skillgrade.results.records import TrialRecord
from skillgrade.results.run_info import RunHeader, TaskInfo
from tests.support.results import INFO, full_trial, plan, trial


def test_a_record_comes_back_as_it_was() -> None:
    for record in (full_trial(), trial(reward=None), trial(reward=0.0)):
        assert decode_record(load_document(dump(encode(record)))) == record


@given(st.builds(trial, task=st.text(), notes=st.lists(st.text(st.characters())).map(tuple), reward=st.floats(0, 1)))
def test_any_text_and_reward_come_back(record: TrialRecord) -> None:
    line = dump(encode(record))
    assert b"\n" not in line
    assert decode_record(load_document(line)) == record


def test_a_flat_field_stands_in_its_parent() -> None:
    header = RunHeader(INFO, (plan(),))
    document = encode(header)
    assert document["run_id"] == INFO.run_id
    assert decode(RunHeader, json.loads(dump(document))) == header


def test_unknown_keys_pass() -> None:
    assert decode_record({**encode(trial()), "mood": "good"}) == trial()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("trial", True, "trial: must be a whole number"),
        ("trial", 1.0, "trial: must be a whole number"),
        ("trial", -1, "trial: must not be negative"),
        ("attempt", -1, "attempt: must not be negative"),
        ("task", 42, "task: must be a string"),
        ("outcome", "won", "outcome: must be one of passed, failed, errored, ungraded, cancelled"),
        ("reward", "1", "reward: must be a number"),
        ("reward", True, "reward: must be a number"),
        ("reward", math.nan, "reward: must be a finite number"),
        ("reward", 1.5, "reward: must lie in 0..1"),
        ("reward", None, "reward: does not fit the outcome passed"),
        ("outcome", "errored", "reward: does not fit the outcome errored"),
        ("notes", "text", "notes: must be a list"),
        ("notes", ["a", 1], "notes[1]: must be a string"),
        ("files", [], "files: must be an object"),
        ("files", {"out": 1}, "files.out: must be a string"),
        ("agent", 3, "agent: must be an object"),
        ("agent", {"exit_code": 0, "timed_out": False}, "agent.duration_ms: is missing"),
        ("error", {"stage": "lunch", "reason": ""}, "error.stage: must be one of"),
        ("grader_results", [{"grader_type": 1}], "grader_results[0].grader_type: must be a string"),
    ],
)
def test_a_foreign_record_is_refused_with_its_place(key: str, value: Any, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        decode_record({**encode(trial()), key: value})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("data", [b"", b"[1]", b"{", b"\xff\xfe", b"\x00" * 20, b"[" * 100_000, b'{"a": 1} x'])
def test_what_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match="no JSON"):
        load_document(data)


def test_labels_from_yaml_are_kept_as_json_or_as_text() -> None:
    labels = {"since": dt.date(2026, 1, 2), 3: [math.nan, 1.5, None, True], "deep": {"x": ("y",)}}
    document = json.loads(dump(encode(plan(metadata=labels))))
    assert document["metadata"] == {"since": "2026-01-02", "3": ["nan", 1.5, None, True], "deep": {"x": ["y"]}}
    assert decode(TaskInfo, document).metadata == document["metadata"]


def test_a_record_with_nan_is_never_written() -> None:
    with pytest.raises(ValueError, match="nan has no place"):
        encode(trial(reward=math.nan))


@pytest.mark.parametrize("found", [None, 2, "1"])
def test_another_format_is_refused(found: object) -> None:
    with pytest.raises(FormatError, match="format: must be 1"):
        require_format({"format": found}, 1)

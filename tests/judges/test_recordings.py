from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import RecordingError, StorageError
from skillgrade.judges.base import Judge
from skillgrade.judges.recordings import (
    PRODUCER,
    Entry,
    RecordedSample,
    Recording,
    read_recording,
    recording_file,
    write_recording,
)

SAMPLE = RecordedSample("flash-001", '{"tag": "x"}', {"input": 10, "output": 2}, {"temperature": 0})
NO_RECORDING = "is no recording of verdicts that can be read"
CHANGED = (
    'no recorded verdict of task "a" is for what is asked now: the rubric, the task, the graders before it or what the '
    "agent did changed"
)
DIGEST = "sha256:" + "0" * 64


def entry(
    task: str = "a", request: str = DIGEST, model: str = "flash", provider: str = "gemini", version: str = "1"
) -> Entry:
    return Entry(task, request, provider, model, version, (SAMPLE,))


RECORDING = Recording(entries=(entry(),))


@pytest.mark.parametrize(
    ("suite", "name"),
    [
        ("eval.yaml", "eval.json"),
        ("eval.yml", "eval.json"),
        ("eval.yaml.example", "eval.json"),
        ("smoke.eval.yaml", "smoke.eval.json"),
        ("suite", "suite.json"),
        (".yaml", ".yaml.json"),
    ],
)
def test_a_recording_lies_beside_its_suite(suite: str, name: str) -> None:
    assert recording_file(Path("/skill") / suite) == Path("/skill/judge-recordings") / name


def test_a_recording_is_text_with_one_thing_a_line(tmp_path: Path) -> None:
    path = tmp_path / "judge-recordings" / "eval.json"
    write_recording(
        path,
        Recording(
            "A script, which judges nothing.", (replace(entry(), samples=(replace(SAMPLE, reply="ü\n\u200b\ud800"),)),)
        ),
    )
    assert path.read_text("utf-8") == (
        '{\n  "format": 1,\n  "producer": "A script, which judges nothing.",\n  "entries": [\n    {\n'
        f'      "task": "a",\n      "request": "{DIGEST}",\n      "provider": "gemini",\n      "model": "flash",\n'
        '      "prompt_version": "1",\n      "samples": [\n        {\n          "answered_by": "flash-001",\n'
        '          "reply": "ü\\n\u200b\\ud800",\n'
        '          "tokens": {\n            "input": 10,\n            "output": 2\n          },\n'
        '          "sent": {\n            "temperature": 0\n          }\n        }\n      ]\n    }\n  ]\n}\n'
    )
    assert read_recording(path).entries[0].samples[0].reply == "ü\n\u200b\ud800"


@given(
    st.lists(st.builds(entry, st.text(max_size=3), st.text(max_size=2), st.text(max_size=2)), max_size=6), st.randoms()
)
def test_the_order_of_recording_does_not_show(entries: list[Entry], random: object) -> None:
    forwards = Recording().merged(entries, ())
    once = {one.key: one for one in entries}
    backwards = Recording().merged(reversed(list(once.values())), ())
    assert forwards == backwards
    assert [one.key for one in forwards.entries] == sorted(once)


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    recording = Recording("me").merged([entry("b"), entry("a", model="x"), entry("a")], ())
    write_recording(path, recording)
    assert read_recording(path) == recording
    before = path.read_bytes()
    write_recording(path, read_recording(path))
    assert path.read_bytes() == before


def test_new_entries_replace_those_of_their_key_and_of_the_tasks_that_ran() -> None:
    old = Recording("by hand").merged(
        [entry("a", "old"), entry("a", "same"), entry("b", "old"), entry("c", "same")], ()
    )
    fresh = [replace(entry("a", "same"), samples=()), replace(entry("c", "same"), samples=())]
    merged = old.merged(fresh, ["a"])
    assert merged.producer == "by hand"
    assert [(one.task, one.request, len(one.samples)) for one in merged.entries] == [
        ("a", "same", 0),
        ("b", "old", 1),
        ("c", "same", 0),
    ]


def test_a_new_recording_says_where_it_comes_from() -> None:
    assert Recording().producer == PRODUCER == "The models that the entries name."


def test_an_entry_is_found_by_its_judge_with_or_without_the_model() -> None:
    recording = Recording(entries=(entry(), entry(provider="openai", model="mini")))
    assert recording.find("a", DIGEST, "1", Judge("gemini"), 1).model == "flash"
    assert recording.find("a", DIGEST, "1", Judge("openai", "mini"), 1).provider == "openai"


@pytest.mark.parametrize(
    ("task", "request_", "version", "judge", "count", "message"),
    [
        ("b", DIGEST, "1", Judge("gemini"), 1, 'no verdict is recorded for task "b"'),
        (
            "a",
            "sha256:1",
            "1",
            Judge("gemini"),
            1,
            CHANGED,
        ),
        (
            "a",
            "sha256:1",
            "2",
            Judge("gemini"),
            1,
            'the verdicts of task "a" were recorded with prompt 1, and this is prompt 2',
        ),
        (
            "a",
            DIGEST,
            "1",
            Judge("gemini", "pro"),
            1,
            'the judge gemini:pro is asked about task "a", and verdicts of gemini:flash are recorded',
        ),
        (
            "a",
            DIGEST,
            "1",
            Judge("openai"),
            1,
            'the judge openai is asked about task "a", and verdicts of gemini:flash are recorded',
        ),
        ("a", DIGEST, "1", Judge("gemini"), 3, 'the recording has 1 of the 3 samples that task "a" asks for'),
    ],
)
def test_a_miss_says_why(task: str, request_: str, version: str, judge: Judge, count: int, message: str) -> None:
    with pytest.raises(RecordingError) as caught:
        RECORDING.find(task, request_, version, judge, count)
    assert str(caught.value) == message


def test_a_judge_without_a_model_that_could_be_two_is_refused() -> None:
    recording = Recording(entries=(entry(model="flash"), entry(model="pro")))
    with pytest.raises(RecordingError) as caught:
        recording.find("a", DIGEST, "1", Judge("gemini"), 1)
    assert str(caught.value) == (
        'the judge gemini is asked about task "a", and verdicts of gemini:flash, gemini:pro are recorded'
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no recording of verdicts"),
        (b"", f"{NO_RECORDING} (no JSON)"),
        (b"[]", f"{NO_RECORDING} (no JSON object)"),
        (
            b"{}",
            f"{NO_RECORDING} (format: must be 1 for this version of skillgrade, and is None)",
        ),
        (
            b'{"format": 2}',
            f"{NO_RECORDING} (format: must be 1 for this version of skillgrade, and is 2)",
        ),
        (
            b'{"format": 1, "producer": "x", "entries": [{"task": 1}]}',
            f"{NO_RECORDING} (entries[0].task: must be a string)",
        ),
    ],
)
def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "r.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecordingError) as caught:
        read_recording(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be read: Is a directory"):
        read_recording(tmp_path)


def test_a_recording_that_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        write_recording(tmp_path / "file" / "r.json", RECORDING)


def test_a_recording_made_by_hand_needs_no_order_and_no_usage(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    plain = {"answered_by": "me", "reply": "{}"}
    entries = [
        {"task": task, "request": "r", "provider": "openai", "model": "m", "prompt_version": "1", "samples": [plain]}
        for task in ("b", "a")
    ]
    path.write_text(json.dumps({"entries": entries, "producer": "by hand", "format": 1}))
    assert [one.task for one in read_recording(path).entries] == ["a", "b"]

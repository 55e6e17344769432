from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.results.records import Review
from skillgrade.results.review_file import ReviewProblem, read_review, write_review


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "fix-0.result.json"


def problem(file: Path) -> str:
    found = read_review(file)
    assert isinstance(found, ReviewProblem)
    assert found.text.startswith(str(file))
    assert found.text.endswith('; write {"score": 0.8, "details": "why"}')
    return found.text.removeprefix(str(file)).removesuffix('; write {"score": 0.8, "details": "why"}')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"score": 0.8, "details": "colours are off"}', Review(0.8, "colours are off")),
        ('\ufeff{"score": 1, "details": ""}\r\n', Review(1.0)),
        ('{"score": 0}\n\n', Review(0.0)),
        ('{"details": null, "score": 1e-1, "more": [1]}', Review(0.1)),
    ],
)
def test_an_answer(file: Path, text: str, expected: Review) -> None:
    file.write_bytes(text.encode())
    assert read_review(file) == expected


def test_an_answer_has_the_name_of_its_reviewer(file: Path) -> None:
    file.write_text('{"score": 0.5}')
    assert read_review(file, "ann") == Review(0.5, "", "ann")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", ": is empty"),
        (b" \n", ": is empty"),
        (b'{"score": 0.', ":1:12: is no complete JSON (Expecting ',' delimiter)"),
        (b'{"score": 0.8,\n "deta', ":2:2: is no complete JSON (Unterminated string starting at)"),
        (b'{"score": 0.8}}', ":1:15: is no complete JSON (Extra data)"),
        (b"[0.8]", ": is no JSON object but a list"),
        (b"0.8", ": is no JSON object but 0.8"),
        (b'{"details": "good"}', ': has no "score"'),
        (b'{"score": 1.1}', ': its "score" must be a number from 0 to 1, not 1.1'),
        (b'{"score": -0.1}', ': its "score" must be a number from 0 to 1, not -0.1'),
        (b'{"score": 1e999}', ': its "score" must be a number from 0 to 1, not inf'),
        (b'{"score": NaN}', ": NaN is no number from 0 to 1"),
        (b'{"score": true}', ': its "score" must be a number from 0 to 1, not true'),
        (b'{"score": "0.8"}', ': its "score" must be a number from 0 to 1, not "0.8"'),
        (b'{"score": null}', ': its "score" must be a number from 0 to 1, not nothing'),
        (b'{"score": 0.8, "details": 5}', ': its "details" must be a text, not 5'),
        (b'{"score": 0.8, "details": "\xff"}', ":1:28: is not UTF-8 text"),
        (b"[" * 100_000, ": is no JSON that can be read"),
        (b'{"score": ' + b"9" * 5000 + b"}", ": is no JSON that can be read"),
        (b'{"details": "' + b"x" * 1024 * 1024 + b'", "score": 1}', ": is larger than 1024 KiB"),
    ],
)
def test_what_is_no_answer_is_told_and_never_raised(file: Path, content: bytes, said: str) -> None:
    file.write_bytes(content)
    assert problem(file) == said


def test_without_a_file_there_is_no_answer_and_no_problem(file: Path) -> None:
    assert read_review(file) is None
    assert read_review(file / "below") is None


def test_a_link_a_folder_and_a_pipe_are_no_answers(tmp_path: Path) -> None:
    (tmp_path / "true.json").write_text('{"score": 1}')
    (tmp_path / "link.json").symlink_to("true.json")
    (tmp_path / "dangling.json").symlink_to("nowhere")
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    assert problem(tmp_path / "link.json") == ": is a link, which is not followed"
    assert problem(tmp_path / "dangling.json") == ": is a link, which is not followed"
    assert problem(tmp_path / "folder.json") == ": is no regular file"
    assert problem(tmp_path / "pipe.json") == ": is no regular file"


@given(st.binary(max_size=60))
def test_no_content_raises(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.result.json"
    file.write_bytes(content)
    assert isinstance(read_review(file), (Review, ReviewProblem))


@given(st.floats(0, 1), st.text())
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, score: float, details: str) -> None:
    file = tmp_path_factory.getbasetemp() / "written.result.json"
    write_review(file, Review(score, details))
    assert read_review(file) == Review(score, details)

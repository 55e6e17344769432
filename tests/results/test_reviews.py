from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skillgrade.errors import StorageError, UserError
from skillgrade.results.folder import RunFolder
from skillgrade.results.records import GraderStatus
from skillgrade.results.reviews import (
    ReviewContext,
    ReviewPlace,
    deadline_after,
    local_time,
    read_context,
    review_places,
    write_context,
)
from tests.support.results import result, trial


def context(place: ReviewPlace) -> ReviewContext:
    return ReviewContext(
        task=place.task,
        trial=place.trial,
        turn=0,
        prompt="Is it good?",
        instruction="Do it.",
        transcript="done – “really”\n",
        workspace=str(place.workspace),
        result_path=str(place.result()),
        deadline="2026-12-01T08:30:00+00:00",
        timeout=1800.0,
    )


def place(root: Path, ordinal: int = 1, task: str = "fix") -> ReviewPlace:
    return ReviewPlace(root / "workspace", task, 3, ordinal)


def test_the_names_of_the_files(tmp_path: Path) -> None:
    folder = tmp_path / "workspace" / ".review"
    first, second = place(tmp_path), place(tmp_path, 2)
    assert first.context == folder / "fix-3.json"
    assert first.result() == folder / "fix-3.result.json"
    assert first.result("ann") == folder / "fix-3.ann.result.json"
    assert second.context == folder / "fix-3.2.json"
    assert second.result() == folder / "fix-3.2.result.json"
    assert second.result("ann") == folder / "fix-3.2.ann.result.json"


@pytest.mark.parametrize("task", ["../../etc/passwd", "a/b", "A B", "", "x" * 300, "..", "\udc80"])
def test_odd_task_names_stay_in_the_folder(tmp_path: Path, task: str) -> None:
    odd = place(tmp_path, task=task)
    write_context(odd, context(odd) if task != "\udc80" else context(place(tmp_path)))
    assert odd.context.parent == odd.folder
    assert [path.name for path in odd.folder.iterdir()] == [odd.context.name]


def test_the_question_is_written_as_it_is_read(tmp_path: Path) -> None:
    asked = place(tmp_path)
    assert write_context(asked, context(asked)) == ()
    document = json.loads(asked.context.read_text("utf-8"))
    assert {"task", "trial", "turn", "prompt", "instruction", "transcript", "workspace", "result_path", "deadline"} <= (
        document.keys()
    )
    assert document["result_path"] == str(asked.result())
    assert read_context(asked) == context(asked)


@pytest.mark.parametrize("text", [None, "{", "[]", '{"task": 1}'])
def test_a_question_that_is_lost_is_named(tmp_path: Path, text: str | None) -> None:
    asked = place(tmp_path)
    asked.folder.mkdir(parents=True)
    if text is not None:
        asked.context.write_text(text)
    with pytest.raises(UserError, match=r"fix-3\.json: what was asked of the reviewer is lost: "):
        read_context(asked)


def test_what_the_agent_left_is_removed_and_named(tmp_path: Path) -> None:
    asked = place(tmp_path)
    asked.folder.mkdir(parents=True)
    asked.result().write_text('{"score": 1, "details": "trust me"}')
    (asked.folder / "deep").mkdir()
    assert write_context(asked, context(asked)) == (".review/deep", ".review/fix-3.result.json")
    assert [path.name for path in asked.folder.iterdir()] == ["fix-3.json"]


@pytest.mark.parametrize("kind", ["file", "link", "dangling link", "empty folder"])
def test_whatever_stands_in_the_folder_s_place_goes(tmp_path: Path, kind: str) -> None:
    asked = place(tmp_path)
    asked.workspace.mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    match kind:
        case "file":
            asked.folder.write_text("x")
        case "link":
            asked.folder.symlink_to(outside)
        case "dangling link":
            asked.folder.symlink_to(tmp_path / "nowhere")
        case _:
            asked.folder.mkdir()
    assert write_context(asked, context(asked)) == (".review",)
    assert asked.folder.is_dir()
    assert not asked.folder.is_symlink()
    assert [path.name for path in outside.iterdir()] == ["kept"]


def test_a_second_question_leaves_the_first_alone(tmp_path: Path) -> None:
    first, second = place(tmp_path), place(tmp_path, 2)
    write_context(first, context(first))
    first.result().write_text('{"score": 1}')
    assert write_context(second, context(second)) == ()
    assert sorted(path.name for path in first.folder.iterdir()) == ["fix-3.2.json", "fix-3.json", "fix-3.result.json"]


def test_answers_are_found_by_their_names(tmp_path: Path) -> None:
    first, second = place(tmp_path), place(tmp_path, 2)
    write_context(first, context(first))
    names = ["fix-3.result.json", "fix-3.zoe.result.json", "fix-3.Ann-1.result.json"]
    others = ["fix-3.2.result.json", "fix-3.2.ann.result.json", "fix-30.result.json", "fix-3.result.json~"]
    others += [".fix-3.result.json.77.tmp", "fix-3.a.b.result.json", "fix-3..result.json", "fix-3.é.result.json"]
    for name in (*names, *others):
        (first.folder / name).touch()
    assert [reviewer for reviewer, _ in first.results()] == [None, "Ann-1", "zoe"]
    assert first.results()[0] == (None, first.result())
    assert first.results()[2] == ("zoe", first.result("zoe"))
    assert [reviewer for reviewer, _ in second.results()] == [None, "ann"]


def test_without_a_folder_there_are_no_answers(tmp_path: Path) -> None:
    assert place(tmp_path).results() == []


def test_a_folder_that_cannot_be_written_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    asked = place(tmp_path)
    asked.workspace.write_text("a file")
    with pytest.raises(StorageError, match=r"fix-3\.json: cannot be written"):
        write_context(asked, context(asked))


def test_places_follow_from_a_record(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    record = trial(
        "Odd name",
        2,
        None,
        attempt=1,
        grader_results=(
            result(),
            result("human", 1, None, status=GraderStatus.UNGRADED, waiting=True),
            result("llm_rubric", 2),
            result("human", 3, None, status=GraderStatus.UNGRADED, waiting=True),
        ),
    )
    places = review_places(run, record)
    attempt = run.attempt_path("Odd name", 2, 1)
    assert places == {
        (0, 1): ReviewPlace(attempt / "workspace", "Odd name", 2, 1),
        (0, 3): ReviewPlace(attempt / "workspace", "Odd name", 2, 2),
    }


def test_each_turn_has_files_of_its_own(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    attempt = run.attempt_path("fix", 0, 0)
    for turn in (0, 1):
        (attempt / f"turn-{turn}" / "workspace").mkdir(parents=True)
    record = trial(grader_results=(result("human", 0, turn=0), result("human", 1, turn=1), result("human", 2, turn=1)))
    assert review_places(run, record) == {
        (0, 0): ReviewPlace(attempt / "turn-0" / "workspace", "fix", 0, 1),
        (1, 1): ReviewPlace(attempt / "turn-1" / "workspace", "fix", 0, 1),
        (1, 2): ReviewPlace(attempt / "turn-1" / "workspace", "fix", 0, 2),
    }


def test_a_deadline_is_a_time_however_far(tmp_path: Path) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    end = datetime.fromisoformat(deadline_after(60))
    assert 60 <= (end - before).total_seconds() <= 62
    assert deadline_after(1e18).startswith("9999-")


def test_a_deadline_reads_as_a_local_time() -> None:
    now = datetime.now(UTC)
    today = now.astimezone().replace(hour=12, minute=34)
    assert local_time(today.astimezone(UTC).isoformat()) == "12:34"
    assert local_time("2020-01-02T12:00:00+00:00").startswith("2020-01-0")
    assert local_time("9999-12-31T23:59:59+00:00").startswith("9999-12-31 ")

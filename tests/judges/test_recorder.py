from __future__ import annotations

import threading
from pathlib import Path

import pytest

from skillgrade.errors import Cancelled, ModelError, RecordingError
from skillgrade.judges.asking import Asked
from skillgrade.judges.recorder import Recorder
from skillgrade.judges.recordings import Entry, RecordedSample, Recording, read_recording, write_recording
from skillgrade.results.records import Sample
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop


def question(task: str = "a", request: str = "sha256:1") -> Entry:
    return Entry(task, request, "openai", "mini", "1", ())


class Judge:
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self) -> Asked:
        self.asked += 1
        reply = f"reply {self.asked} sesame-open"
        return Asked(Sample("openai", "mini", "mini-1", 0.5, "said"), RecordedSample("mini-1", reply, {"input": 1}))


def refuse() -> Asked:
    raise ModelError("no")


def replay(recorded: RecordedSample) -> Sample:
    return Sample("openai", "mini", recorded.answered_by, 0.5, f"again: {recorded.reply}", calls=0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "judge-recordings" / "eval.json"


def recorder(path: Path) -> Recorder:
    return Recorder(path, Redactor(["sesame-open"]))


def keys(path: Path) -> list[tuple[str, str, int]]:
    return [(entry.task, entry.request, len(entry.samples)) for entry in read_recording(path).entries]


def test_a_question_that_comes_again_is_answered_by_what_was_recorded(path: Path) -> None:
    judge, it = Judge(), recorder(path)
    first = it.samples(question(), 2, judge.ask, replay, Stop())
    second = it.samples(question(), 3, judge.ask, replay, Stop())
    assert judge.asked == 3
    assert [sample.reasoning for sample in first] == ["said", "said"]
    assert [sample.reasoning for sample in second] == ["again: reply 1 [redacted]", "again: reply 2 [redacted]", "said"]
    it.close()
    assert keys(path) == [("a", "sha256:1", 3)]


def test_questions_of_trials_side_by_side_are_asked_once(path: Path) -> None:
    asking, go_on = threading.Event(), threading.Event()
    judge, it = Judge(), recorder(path)

    def slow() -> Asked:
        asking.set()
        assert go_on.wait(30)
        return judge.ask()

    results: list[tuple[Sample, ...]] = []
    first = threading.Thread(target=lambda: results.append(it.samples(question(), 1, slow, replay, Stop())))
    second = threading.Thread(target=lambda: results.append(it.samples(question(), 1, judge.ask, replay, Stop())))
    first.start()
    assert asking.wait(30)
    second.start()
    other = it.samples(question(request="sha256:2"), 1, Judge().ask, replay, Stop())  # another question does not wait
    go_on.set()
    first.join(30)
    second.join(30)
    assert judge.asked == 1
    assert [one[0].reasoning for one in results] == ["said", "again: reply 1 [redacted]"]
    assert other[0].reasoning == "said"


def test_secrets_are_not_recorded(path: Path) -> None:
    it = recorder(path)
    it.samples(question(), 1, Judge().ask, replay, Stop())
    it.close()
    assert "sesame" not in path.read_text()
    assert read_recording(path).entries[0].samples == (RecordedSample("mini-1", "reply 1 [redacted]", {"input": 1}),)


def test_what_is_not_asked_any_more_leaves_but_other_tasks_and_the_producer_stay(path: Path) -> None:
    old = [question("a", "old"), question("b", "old")]
    write_recording(path, Recording("A script.").merged(old, ()))
    it = recorder(path)
    it.samples(question("a", "new"), 1, Judge().ask, replay, Stop())
    it.close()
    assert keys(path) == [("a", "new", 1), ("b", "old", 0)]
    assert read_recording(path).producer == "A script."


def test_what_another_run_recorded_meanwhile_stays(path: Path) -> None:
    it, other = recorder(path), recorder(path)
    it.samples(question("a"), 1, Judge().ask, replay, Stop())
    other.samples(question("b"), 1, Judge().ask, replay, Stop())
    other.close()
    it.close()
    assert keys(path) == [("a", "sha256:1", 1), ("b", "sha256:1", 1)]


def test_a_task_with_a_fault_keeps_its_old_verdicts(path: Path) -> None:
    write_recording(path, Recording().merged([question("a", "old")], ()))
    it = recorder(path)
    it.samples(question("a", "new"), 1, Judge().ask, replay, Stop())
    with pytest.raises(ModelError):
        it.samples(question("a", "newer"), 1, refuse, replay, Stop())
    it.close()
    assert keys(path) == [("a", "new", 1), ("a", "old", 0)]


def test_an_answer_before_a_fault_is_kept(path: Path) -> None:
    judge, it = Judge(), recorder(path)

    def once() -> Asked:
        return judge.ask() if not judge.asked else refuse()

    with pytest.raises(ModelError):
        it.samples(question(), 2, once, replay, Stop())
    it.close()
    assert keys(path) == [("a", "sha256:1", 1)]


def test_an_interrupted_run_drops_nothing(path: Path) -> None:
    write_recording(path, Recording().merged([question("a", "old")], ()))
    it, stop = recorder(path), Stop()
    it.samples(question("a", "new"), 1, Judge().ask, replay, stop)
    stop.set()
    with pytest.raises(Cancelled):
        it.samples(question("b"), 1, Judge().ask, replay, stop)
    it.close()
    assert keys(path) == [("a", "new", 1), ("a", "old", 0)]


def test_a_run_that_asked_nothing_writes_nothing(path: Path) -> None:
    recorder(path).close()
    assert not path.parent.exists()


def test_a_file_that_is_no_recording_is_seen_before_anything_is_asked(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("mine")
    judge, it = Judge(), recorder(path)
    with pytest.raises(RecordingError) as caught:
        it.samples(question(), 1, judge.ask, replay, Stop())
    assert str(caught.value) == (
        f"{path}: is no recording of verdicts that can be read (no JSON); "
        "move it away, so that verdicts can be recorded there"
    )
    it.close()
    assert judge.asked == 0
    assert path.read_text() == "mine"


def test_recording_twice_gives_the_same_bytes(path: Path) -> None:
    contents = []
    for _ in range(2):
        it = recorder(path)
        for task in ("b", "a"):
            it.samples(question(task), 1, Judge().ask, replay, Stop())
        it.close()
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.errors import Cancelled
from skillgrade.graders.base import Needs, RecordContext
from skillgrade.graders.human import HumanGrader, answered, timed_out
from skillgrade.judges.base import Judging
from skillgrade.results.evidence import Evidence
from skillgrade.results.records import GraderResult, GraderStatus, Review
from skillgrade.results.redaction import Redactor
from skillgrade.results.reviews import ReviewPlace, read_context
from skillgrade.stop import Stop
from skillgrade.suite.model import HumanSpec
from tests.support.results import result
from tests.support.tasks import make_task

SPEC = HumanSpec("human", 2, 0.5, prompt="Is hunter2 good?", timeout=60.0)
PLAIN = Redactor(frozenset())


class NoJudging:
    """Asks nobody."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"a human grader asked judges ({name})")


def context(folder: Path, earlier: tuple[GraderResult, ...] = (), turn: int = 0) -> RecordContext:
    judging: Judging = NoJudging()  # type: ignore[assignment]  # it must not be used at all
    return RecordContext(
        task=make_task("fix"),
        trial=1,
        evidence=Evidence(turn, "Do it.", "I did it.\n"),
        earlier=earlier,
        folder=folder,
        variables={},
        redactor=Redactor(frozenset({"hunter2"})),
        judging=judging,
    )


def place(folder: Path, ordinal: int = 1) -> ReviewPlace:
    return ReviewPlace(folder / "workspace", "fix", 1, ordinal)


def ask(folder: Path) -> GraderResult:
    return HumanGrader().grade(SPEC, context(folder), Stop())


def test_it_needs_the_files() -> None:
    assert HumanGrader().needs(SPEC) == Needs(diff=True, workspace=True)
    assert HumanGrader().problem(SPEC) is None


def test_it_asks_and_waits(tmp_path: Path) -> None:
    waiting = ask(tmp_path)
    path = tmp_path / "workspace" / ".review" / "fix-1.result.json"
    assert waiting == GraderResult(
        "human", 2, GraderStatus.UNGRADED, None, 0.5, f"waiting for review: {path}", waiting=True
    )
    asked = read_context(place(tmp_path))
    assert (asked.task, asked.trial, asked.turn, asked.instruction) == ("fix", 1, 0, "Do it.")
    assert asked.transcript == "I did it.\n"
    assert asked.result_path == str(path)
    assert asked.workspace == str(tmp_path / "workspace")
    assert asked.timeout == 60.0
    assert "hunter2" not in asked.prompt


def test_the_second_grader_of_a_turn_has_files_of_its_own(tmp_path: Path) -> None:
    human = result("human", 1, None, status=GraderStatus.UNGRADED, waiting=True)
    second = HumanGrader().grade(SPEC, context(tmp_path, (result(), human)), Stop())
    assert second.details.endswith("/.review/fix-1.2.result.json")
    next_turn = HumanGrader().grade(SPEC, context(tmp_path / "turn-1", (result(), human), turn=1), Stop())
    assert next_turn.details.endswith("/turn-1/workspace/.review/fix-1.result.json")
    assert next_turn.turn == 1


def test_tampering_is_noted_and_stays_noted(tmp_path: Path) -> None:
    planted = place(tmp_path).result()
    planted.parent.mkdir(parents=True)
    planted.write_text('{"score": 1, "details": "trust me"}')
    waiting = ask(tmp_path)
    assert answered(waiting, place(tmp_path), PLAIN) == (waiting, [])
    place(tmp_path).result().write_text('{"score": 0.25}')
    graded, _ = answered(waiting, place(tmp_path), PLAIN)
    for said in (waiting, graded):
        (check,) = said.checks
        assert not check.passed
        assert check.message == (
            "tampering: where reviews belong, the agent had left .review/fix-1.result.json; it was removed before the "
            "review"
        )
    assert graded.score == 0.25


def test_an_answer_becomes_the_score(tmp_path: Path) -> None:
    waiting = ask(tmp_path)
    place(tmp_path).result().write_text('{"score": 0.8, "details": "colours are off, hunter2"}')
    graded, problems = answered(waiting, place(tmp_path), Redactor(frozenset({"hunter2"})))
    assert problems == []
    assert (graded.status, graded.score, graded.waiting) == (GraderStatus.OK, 0.8, False)
    assert graded.details.startswith("colours are off, ")
    assert "hunter2" not in graded.details + str(graded.reviews)
    assert (graded.grader, graded.weight, graded.grader_type) == (2, 0.5, "human")


def test_several_answers_count_alike_and_a_bad_one_does_not(tmp_path: Path) -> None:
    waiting = ask(tmp_path)
    asked = place(tmp_path)
    asked.result("zoe").write_text('{"score": 0.3, "details": "no"}')
    asked.result("ann").write_text('{"score": 0.6}')
    asked.result("max").write_text('{"score": 6}')
    graded, problems = answered(waiting, asked, PLAIN)
    assert graded.score == 0.45
    assert graded.reviews == (Review(0.6, "", "ann"), Review(0.3, "no", "zoe"))
    assert graded.details == "ann (0.6)\nzoe (0.3): no"
    (problem,) = problems
    assert problem.text.startswith(f'{asked.result("max")}: its "score" must be a number from 0 to 1, not 6')


def test_nobody_answered_in_time() -> None:
    waiting = result("human", 2, None, status=GraderStatus.UNGRADED, waiting=True)
    over = timed_out(waiting, 1800.0)
    assert (over.status, over.score, over.waiting) == (GraderStatus.OK, 0.0, False)
    assert over.details == "no review came within 1800 seconds (timed_out: true)"


def test_a_late_answer_replaces_the_zero(tmp_path: Path) -> None:
    over = timed_out(ask(tmp_path), 60.0)
    assert answered(over, place(tmp_path), PLAIN) == (over, [])
    place(tmp_path).result().write_text('{"score": 1, "details": "good"}')
    late, _ = answered(over, place(tmp_path), PLAIN)
    assert (late.score, late.details) == (1.0, "good")


def test_a_run_that_stops_asks_nobody(tmp_path: Path) -> None:
    stop = Stop()
    stop.set()
    with pytest.raises(Cancelled):
        HumanGrader().grade(SPEC, context(tmp_path), stop)
    assert list(tmp_path.iterdir()) == []

"""Waiting for people: real files in a real run's folder, and a listener that says when to write them."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillgrade.engine.listener import ReviewRequest
from skillgrade.engine.review_intake import take_reviews
from skillgrade.engine.reviewing import Reviews, awaits_review
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal import Journal
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import AgentRun, GraderResult, GraderStatus, Outcome, Review, TrialRecord
from skillgrade.results.redaction import Redactor
from skillgrade.results.regrades import Cause
from skillgrade.results.reviews import ReviewContext, deadline_after, review_places, write_context
from skillgrade.stop import Stop
from tests.support.listening import Remembering
from tests.support.results import INFO, plan, result, trial


class Desk:
    """A run in which trials wait for people, and the session that waits for them."""

    def __init__(self, root: Path, timeout: float = 3600.0, *, wait: bool = True) -> None:
        self.run = RunFolder(root / "20261130-142233-5f1c")
        self.run.path.mkdir()
        self.timeout = timeout
        self.stop = Stop()
        self.listener = Answering(self)
        tasks = [plan("fix", planned=9)]
        self.journal = Journal.create(self.run.journal, INFO, tasks)
        self.reviews = Reviews(
            self.run, tasks, Redactor(frozenset({"hunter2"})), self.listener, self.journal.regraded, wait=wait
        )

    def trial(self, number: int = 0, humans: int = 1, **fields: Any) -> TrialRecord:
        """A trial on record whose human graders have asked, beside a grader that gave 1."""
        people = [
            result("human", 1 + n, None, status=GraderStatus.UNGRADED, waiting=True, weight=3.0) for n in range(humans)
        ]
        values = {"outcome": Outcome.UNGRADED, "grader_results": (result(), *people), **fields}
        record = trial("fix", number, None, **values)
        for place in review_places(self.run, record).values():
            write_context(
                place,
                ReviewContext(
                    "fix", number, 0, f"Good, {number}?", "Do it.", "done", str(place.workspace), str(place.result()),
                    deadline_after(self.timeout), self.timeout,
                ),
            )  # fmt: skip
        self.journal.append(record)
        return record

    def latest(self) -> list[TrialRecord]:
        return [attempts[-1] for attempts in JournalIndex(self.run.journal).attempts("fix")]

    def finish(self) -> None:
        self.reviews.finish(self.stop)


class Answering(Remembering):
    """A listener with a person in it: `answers` are written when a review is wanted."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.answers: list[Callable[[Path], object]] = []
        self.on_note: Callable[[str], object] = lambda text: None

    def review_wanted(self, request: ReviewRequest) -> None:
        super().review_wanted(request)
        if self.answers:
            self.answers.pop(0)(request.result)

    def note(self, text: str) -> None:
        super().note(text)
        self.on_note(text)


def answer(score: object = 0.5, details: str = "fine") -> Callable[[Path], object]:
    return lambda path: path.write_text(json.dumps({"score": score, "details": details}))


@pytest.fixture
def open_desk(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    desks: list[Desk] = []

    def opened(**options: Any) -> Desk:
        desks.append(Desk(tmp_path, **options))
        return desks[-1]

    yield opened
    for desk in desks:
        desk.journal.close()


@pytest.fixture
def desk(open_desk: Callable[..., Desk]) -> Desk:
    return open_desk()


def human(record: TrialRecord, number: int = 1) -> GraderResult:
    return record.grader_results[number]


def test_a_review_gives_the_trial_its_reward(desk: Desk) -> None:
    desk.listener.answers = [answer(0.2, "meh, hunter2")]
    desk.reviews.expect(desk.trial())
    desk.finish()
    (record,) = desk.latest()
    assert record.reward == pytest.approx((1.0 + 3 * 0.2) / 4)
    assert record.outcome is Outcome.FAILED
    assert human(record).score == 0.2
    assert human(record).details.startswith("meh, ")
    assert "hunter2" not in str(record)
    assert desk.listener.reviewed == [record]
    assert desk.listener.notes == []
    (history,) = JournalIndex(desk.run.journal).histories("fix")
    assert [regrade.cause for regrade in history[-1].regrades] == [Cause.REVIEW]


def test_the_request_says_all_that_a_person_needs(desk: Desk) -> None:
    desk.listener.answers = [answer()]
    desk.reviews.expect(desk.trial(4))
    desk.finish()
    (request,) = desk.listener.wanted
    assert (request.run, request.task, request.trial, request.prompt) == (desk.run.path, "fix", 4, "Good, 4?")
    assert request.result == desk.run.attempt_path("fix", 4, 0) / "workspace" / ".review" / "fix-4.result.json"


def test_reviews_are_taken_in_whatever_order_they_come(desk: Desk) -> None:
    paths: list[Path] = []
    desk.listener.answers = [paths.append, paths.append, lambda path: [answer()(each) for each in (path, *paths[::-1])]]
    for number in range(3):
        desk.reviews.expect(desk.trial(number))
    desk.finish()
    assert [record.outcome for record in desk.latest()] == [Outcome.PASSED] * 3


def test_several_reviewers_count_alike(desk: Desk) -> None:
    def both(path: Path) -> None:
        answer(1.0)(path.with_name("fix-0.ann.result.json"))
        answer(0.5)(path.with_name("fix-0.zoe.result.json"))

    desk.listener.answers = [both]
    desk.reviews.expect(desk.trial())
    desk.finish()
    assert human(desk.latest()[0]).score == 0.75
    assert [review.reviewer for review in human(desk.latest()[0]).reviews] == ["ann", "zoe"]


def test_the_reward_is_final_when_the_last_review_is_in(desk: Desk) -> None:
    desk.listener.answers = [answer(1.0), lambda path: None]
    desk.reviews.expect(desk.trial(humans=2))
    desk.reviews.look()
    (record,) = desk.latest()
    assert (record.outcome, record.reward) == (Outcome.UNGRADED, None)
    assert human(record).score == 1.0
    assert human(record, 2).waiting
    answer(0.0)(desk.run.attempt_path("fix", 0, 0) / "workspace" / ".review" / "fix-0.2.result.json")
    desk.finish()
    assert desk.latest()[0].reward == pytest.approx(4 / 7)


def test_half_a_file_is_no_answer_until_it_is_whole(desk: Desk) -> None:
    desk.listener.answers = [lambda path: path.write_text('{"score": 0.')]
    desk.reviews.expect(desk.trial())
    desk.reviews.look()
    assert desk.listener.notes == []  # it may be half written
    assert human(desk.latest()[0]).waiting
    answer(0.9)(desk.listener.wanted[0].result)
    desk.finish()
    assert human(desk.latest()[0]).score == 0.9
    assert desk.listener.notes == []


def test_each_bad_content_is_told_once_and_waited_on(desk: Desk) -> None:
    desk.reviews.expect(desk.trial())
    desk.reviews.look()
    path = desk.listener.wanted[0].result
    for content in ('{"score": 7}', '{"score": "high, hunter2"}'):
        path.write_text(content)
        for _ in range(4):
            desk.reviews.look()
    first, second = desk.listener.notes
    assert first.startswith(f'{path}: its "score" must be a number from 0 to 1, not 7; ')
    assert first.endswith("; the review is still waited for")
    assert "high, " in second
    assert "hunter2" not in second
    assert desk.listener.reviewed == []
    replacement = path.with_suffix(".new")
    answer(0.4)(replacement)
    os.replace(replacement, path)  # noqa: PTH105 - as editors do
    desk.finish()
    assert human(desk.latest()[0]).score == 0.4


def test_when_time_is_over_the_score_is_a_graded_zero(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(timeout=0.0)
    desk.reviews.expect(desk.trial())
    desk.finish()
    (record,) = desk.latest()
    assert (record.outcome, record.reward) == (Outcome.FAILED, 0.25)
    assert (human(record).status, human(record).score) == (GraderStatus.OK, 0.0)
    assert human(record).details == "no review came within 0 seconds (timed_out: true)"


def test_an_answer_at_the_last_moment_counts(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(timeout=0.0)
    desk.listener.answers = [answer(1.0)]
    desk.reviews.expect(desk.trial())
    desk.finish()
    assert desk.latest()[0].reward == 1.0


def test_a_stop_ends_the_waiting_at_once_and_says_what_is_missing(desk: Desk) -> None:
    asked = threading.Event()
    desk.listener.answers = [lambda path: asked.set()]
    desk.reviews.expect(desk.trial())

    def interrupt() -> None:
        asked.wait(60)
        desk.stop.set()

    thread = threading.Thread(target=interrupt)
    thread.start()
    desk.finish()
    thread.join()
    assert human(desk.latest()[0]).waiting
    assert desk.listener.notes == [f"1 trial waits for a review: `skillgrade review {desk.run.path}`"]


def test_without_waiting_it_only_says_what_is_missing(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(wait=False)
    for number in range(2):
        desk.reviews.expect(desk.trial(number))
    desk.reviews.look()
    desk.finish()
    assert desk.listener.wanted == []
    assert desk.listener.notes == [f"2 trials wait for a review: `skillgrade review {desk.run.path}`"]
    assert [record.outcome for record in desk.latest()] == [Outcome.UNGRADED] * 2


def test_nobody_is_waited_for_whose_review_would_change_nothing(desk: Desk) -> None:
    late = AgentRun(exit_code=None, timed_out=True, duration_ms=9)
    for number, record in enumerate(
        [desk.trial(0, outcome=Outcome.ERRORED), desk.trial(1, outcome=Outcome.FAILED, agent=late)]
    ):
        assert not awaits_review(record), number
        desk.reviews.expect(record)
    desk.finish()
    assert desk.listener.wanted == []


def test_a_later_session_asks_again_with_the_whole_time(desk: Desk) -> None:
    record = desk.trial()
    old = review_places(desk.run, record)[0, 1]
    document = json.loads(old.context.read_text())
    old.context.write_text(json.dumps({**document, "deadline": "2020-01-01T00:00:00+00:00"}))
    desk.reviews.expect(record, asked_before=True)
    desk.reviews.look()
    assert desk.listener.wanted[0].deadline > deadline_after(3500)
    assert human(desk.latest()[0]).waiting
    answer(0.6)(old.result())
    desk.finish()
    assert human(desk.latest()[0]).score == 0.6


def test_a_later_session_takes_what_came_between_without_asking(desk: Desk) -> None:
    record = desk.trial()
    answer(0.6)(review_places(desk.run, record)[0, 1].result())
    desk.reviews.expect(record, asked_before=True)
    desk.finish()
    assert desk.listener.wanted == []
    assert human(desk.latest()[0]).score == 0.6


def test_a_question_that_is_lost_is_told_and_not_waited_for(desk: Desk) -> None:
    record = desk.trial()
    review_places(desk.run, record)[0, 1].context.unlink()
    desk.reviews.expect(record)
    desk.finish()
    (note,) = desk.listener.notes
    assert note.endswith("; the trial stays ungraded")
    assert desk.latest()[0].outcome is Outcome.UNGRADED


def test_later_reviews_are_taken_into_the_records(desk: Desk) -> None:
    records = [desk.trial(number) for number in range(3)]
    desk.journal.close()
    places = [review_places(desk.run, record)[0, 1] for record in records]
    answer(1.0)(places[0].result())
    answer(2.0)(places[1].result())
    intake = take_reviews(desk.run, Redactor(frozenset()))
    assert [record.trial for record in intake.taken] == [0]
    (problem,) = intake.problems
    assert problem.startswith(str(places[1].result()))
    assert [record.outcome for record in desk.latest()] == [Outcome.PASSED, Outcome.UNGRADED, Outcome.UNGRADED]
    assert json.loads(desk.run.report.read_text())["totals"]["ungraded"] == 2
    assert take_reviews(desk.run, Redactor(frozenset())).taken == ()


def test_a_further_reviewer_is_averaged_in(desk: Desk) -> None:
    place = review_places(desk.run, desk.trial())[0, 1]
    desk.journal.close()
    answer(1.0, "yes")(place.result("ann"))
    take_reviews(desk.run, Redactor(frozenset()))
    answer(0.0, "no")(place.result("zoe"))
    (record,) = take_reviews(desk.run, Redactor(frozenset())).taken
    assert human(record).reviews == (Review(1.0, "yes", "ann"), Review(0.0, "no", "zoe"))
    assert (human(record).score, record.reward) == (0.5, 0.625)


def test_a_run_that_goes_on_takes_its_reviews_itself(desk: Desk) -> None:
    answer(1.0)(review_places(desk.run, desk.trial())[0, 1].result())
    intake = take_reviews(desk.run, Redactor(frozenset()))
    assert intake.busy
    assert desk.latest()[0].outcome is Outcome.UNGRADED

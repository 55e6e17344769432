"""What there is to review in a run, as of now."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from skillgrade.errors import UserError
from skillgrade.graders.human import TIMED_OUT
from skillgrade.results.evidence import turn_folder
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import GraderResult, Outcome, Review, TrialRecord
from skillgrade.results.review_file import ReviewProblem, read_review
from skillgrade.results.reviews import (
    HUMAN,
    ReviewPlace,
    local_time,
    read_context,
    review_places,
)

_CHECK = re.compile(r"[ \t]*[-*] +(?:\[[ xX]?\] +)?(\S.*)")


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One human grader of one trial.

    Attributes:
        id: What stands for it in addresses.
        record: The attempt.
        result: What the grader says so far.
        place: Where it asked.
        reviewer: Who is reviewing; None without a name.
        prompt: The question.
        deadline: When the run that asked stops waiting, ISO 8601, UTC.
        mine: The answer of this reviewer; why it is none, or None without one.
        answers: How many reviewers have answered.
    """

    id: str
    record: TrialRecord
    result: GraderResult
    place: ReviewPlace
    reviewer: str | None
    prompt: str
    deadline: str
    mine: Review | ReviewProblem | None
    answers: int

    @property
    def folder(self) -> Path:
        """Where what was kept of the attempt, or of its turn, stands."""
        return self.place.workspace.parent

    @property
    def is_open(self) -> bool:
        """Whether this reviewer is still asked: a named one until they have answered, others until anybody has."""
        if isinstance(self.mine, Review):
            return False
        return self.reviewer is not None or self.answers == 0

    @property
    def has_timed_out(self) -> bool:
        """Whether a run gave up waiting; an answer still counts."""
        return TIMED_OUT in self.result.details and not self.result.reviews

    @property
    def until(self) -> str | None:
        """Until when a run may be waiting, as people read it; None once that is over."""
        is_ahead = datetime.fromisoformat(self.deadline) > datetime.now(UTC)
        return local_time(self.deadline) if self.result.waiting and is_ahead else None

    @property
    def checklist(self) -> tuple[str, ...]:
        """The items of the prompt's list, if it has one."""
        return tuple(found[1].strip() for found in map(_CHECK.fullmatch, self.prompt.splitlines()) if found)

    @property
    def others(self) -> tuple[GraderResult, ...]:
        """What graders that are no people said."""
        return tuple(result for result in self.record.grader_results if result.grader_type != HUMAN)


@dataclass(frozen=True, slots=True)
class ReviewList:
    """Everything there is to review in a run.

    Attributes:
        run: The run's folder.
        reviewer: Who is reviewing; None without a name.
        items: In the order of the suite and of trials.
        problems: Questions that cannot be shown, one sentence each.
    """

    run: RunFolder
    reviewer: str | None
    items: tuple[ReviewItem, ...]
    problems: tuple[str, ...]

    @property
    def open(self) -> tuple[ReviewItem, ...]:
        """What this reviewer is still asked."""
        return tuple(item for item in self.items if item.is_open)

    def by_id(self, identifier: str) -> ReviewItem | None:
        """The item that an address means."""
        return next((item for item in self.items if item.id == identifier), None)

    def after(self, item: ReviewItem) -> ReviewItem | None:
        """The next open item, going round; None when no other one is open."""
        position = next(number for number, each in enumerate(self.items) if each.id == item.id)
        return _first_open((*self.items[position + 1 :], *self.items[:position]))

    def before(self, item: ReviewItem) -> ReviewItem | None:
        """The open item before it, going round; None when no other one is open."""
        position = next(number for number, each in enumerate(self.items) if each.id == item.id)
        return _first_open((*self.items[:position][::-1], *self.items[position + 1 :][::-1]))


def review_list(run: RunFolder, reviewer: str | None) -> ReviewList:
    """Read what there is to review.

    Raises:
        UserError: The run cannot be read.
    """
    index = JournalIndex(run.journal)
    items, problems = [], []
    for task in index.tasks:
        for attempts in index.attempts(task.task):
            record = attempts[-1]
            if not _counts(record):
                continue
            places = review_places(run, record)
            for result in record.grader_results:
                if place := places.get((result.turn, result.grader)):
                    try:
                        items.append(_item(record, result, place, reviewer))
                    except UserError as error:
                        problems.append(str(error))
    return ReviewList(run, reviewer, tuple(items), tuple(problems))


def earlier_turns(item: ReviewItem) -> list[tuple[int, Path]]:
    """The turns before the item's, with the folders of what was kept of them."""
    folders = [(turn, turn_folder(item.folder.parent, turn)) for turn in range(item.result.turn)]
    return [(turn, folder) for turn, folder in folders if folder.is_dir()]


def _item(record: TrialRecord, result: GraderResult, place: ReviewPlace, reviewer: str | None) -> ReviewItem:
    answers = sum(isinstance(read_review(path), Review) for _, path in place.results())
    key = f"{record.task}\0{record.trial}\0{record.attempt}\0{result.turn}\0{result.grader}"
    prompt, deadline = _asked(place)
    return ReviewItem(
        id=hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        record=record,
        result=result,
        place=place,
        reviewer=reviewer,
        prompt=prompt,
        deadline=deadline,
        mine=read_review(place.result(reviewer), reviewer),
        answers=answers,
    )


def _counts(record: TrialRecord) -> bool:
    """Whether reviews can have a say: a trial that was cancelled runs again, and one that took too long has failed."""
    return record.outcome is not Outcome.CANCELLED and not (record.agent is not None and record.agent.timed_out)


def _asked(place: ReviewPlace) -> tuple[str, str]:
    """The prompt and the deadline of a question; its file is read again only where it changed, for it may be large."""
    try:
        status = place.context.stat()
    except OSError:
        status = None
    return _read_asked(place, None if status is None else (status.st_mtime_ns, status.st_size))


@functools.lru_cache(maxsize=10_000)
def _read_asked(place: ReviewPlace, version: tuple[int, int] | None) -> tuple[str, str]:  # noqa: ARG001 - a key
    context = read_context(place)
    return context.prompt, context.deadline


def _first_open(items: Iterable[ReviewItem]) -> ReviewItem | None:
    return next((item for item in items if item.is_open), None)

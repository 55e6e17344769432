"""Where people are asked for a score, and where they answer: the files of one human grader of one trial.

All of them stand in the folder `.review` of the trial's files, in the run's folder::

    fix-0.json                the question: a `ReviewContext`
    fix-0.result.json         the answer
    fix-0.ann.result.json     the answer of the reviewer called ann, where several people review
    fix-0.2.json              the question of the trial's second human grader, and so on

The folder is made after the agent has ended, with nothing in it, so whatever is found there later was written after
the question.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from skillgrade.errors import UserError
from skillgrade.reading import UnreadableError, read_bytes
from skillgrade.results.encoding import FormatError, decode, dump, encode, load_document
from skillgrade.results.evidence import folder_of
from skillgrade.results.folder import RunFolder, safe_name
from skillgrade.results.records import GraderResult, TrialRecord
from skillgrade.storage import replace_file, storing

FOLDER = ".review"
"""Its name in the folder of the trial's files."""

WORKSPACE = "workspace"
"""The folder of the trial's files, in the folder of the attempt or of its turn."""

HUMAN = "human"
"""The type of the graders that ask people."""

REVIEWER = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
"""A reviewer's name; it begins with a letter, since a number tells a second grader."""

_CONTEXT_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReviewContext:
    """What a reviewer is told.

    Attributes:
        task: The task's name.
        trial: The trial's number, from 0.
        turn: The turn after which the grader stands, from 0.
        prompt: The question.
        instruction: What the agent was told.
        transcript: What it said and did.
        workspace: The folder of the trial's files.
        result_path: The file that is waited for.
        deadline: When the run stops waiting, ISO 8601, UTC.
        timeout: The seconds from when this was written until then.
    """

    task: str
    trial: int
    turn: int
    prompt: str
    instruction: str
    transcript: str
    workspace: str
    result_path: str
    deadline: str
    timeout: float


@dataclass(frozen=True, slots=True)
class ReviewPlace:
    """Where one human grader of one trial asks and is answered.

    Attributes:
        workspace: The folder of the trial's files.
        task: The task's name.
        trial: The trial's number, from 0.
        ordinal: Which of the human graders of the turn it is, from 1.
    """

    workspace: Path
    task: str
    trial: int
    ordinal: int

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return self.workspace / FOLDER

    @property
    def context(self) -> Path:
        """The file with the question."""
        return self.folder / f"{self._stem}.json"

    def result(self, reviewer: str | None = None) -> Path:
        """The file with the answer of a reviewer."""
        return self.folder / f"{self._stem}{'' if reviewer is None else f'.{reviewer}'}.result.json"

    def results(self) -> list[tuple[str | None, Path]]:
        """The reviewers whose answers are there, with the files, in the order of the names; the nameless one first."""
        try:
            names = sorted(os.listdir(self.folder))  # noqa: PTH208 - it is asked twice a second, and names are enough
        except OSError:
            return []
        found = [(reviewer, self.folder / name) for name in names for reviewer in self._reviewers(name)]
        return sorted(found, key=lambda item: item[0] or "")

    @property
    def _stem(self) -> str:
        return f"{safe_name(self.task)}-{self.trial}" + ("" if self.ordinal == 1 else f".{self.ordinal}")

    def _reviewers(self, name: str) -> Iterator[str | None]:
        """Whose answer a file is by its name: nobody's, or one reviewer's."""
        if name == self.result().name:
            yield None
        middle = name.removeprefix(f"{self._stem}.").removesuffix(".result.json")
        if REVIEWER.fullmatch(middle) and name == self.result(middle).name:
            yield middle


def review_place(folder: Path, task: str, trial: int, earlier: Sequence[GraderResult], turn: int) -> ReviewPlace:
    """Where a human grader asks.

    Args:
        folder: The folder of the attempt, or of the turn where there are several.
        task: The task's name.
        trial: The trial's number, from 0.
        earlier: What the graders before it said.
        turn: The turn after which it stands.
    """
    before = sum(result.grader_type == HUMAN and result.turn == turn for result in earlier)
    return ReviewPlace(folder / WORKSPACE, task, trial, before + 1)


def review_places(run: RunFolder, record: TrialRecord) -> Mapping[tuple[int, int], ReviewPlace]:
    """Where the human graders of an attempt asked, by turn and grader."""
    attempt = run.attempt_path(record.task, record.trial, record.attempt)
    places = {}
    for result in record.grader_results:
        if result.grader_type == HUMAN:
            folder = folder_of(attempt, result.turn)
            earlier = [each for each in record.grader_results if each.grader < result.grader]
            places[result.turn, result.grader] = review_place(folder, record.task, record.trial, earlier, result.turn)
    return places


def deadline_after(timeout: float) -> str:
    """The time so many seconds from now, ISO 8601, UTC."""
    try:
        end = datetime.now(UTC) + timedelta(seconds=timeout)
    except OverflowError:
        end = datetime.max.replace(tzinfo=UTC)
    return end.isoformat(timespec="seconds")


def local_time(deadline: str) -> str:
    """A deadline as the people at this machine read it, without the date where that is today's."""
    moment = datetime.fromisoformat(deadline)
    try:
        local = moment.astimezone()
        return local.strftime("%H:%M" if local.date() == datetime.now().astimezone().date() else "%Y-%m-%d %H:%M")
    except OverflowError:  # the last hours of the year 9999
        return moment.strftime("%Y-%m-%d %H:%M UTC")


def write_context(place: ReviewPlace, context: ReviewContext) -> tuple[str, ...]:
    """Ask.

    Before the first question of a trial, whatever the agent left at the folder's place is removed.

    Returns:
        What that was, by name: ``.review``, or what lay in it; empty where there was nothing.

    Raises:
        StorageError: It could not be written.
    """
    with storing(place.context):
        found = _clear(place.folder) if place.ordinal == 1 else ()
        place.folder.mkdir(parents=True, exist_ok=True)
    replace_file(place.context, [dump(encode(context)), b"\n"])
    return found


def read_context(place: ReviewPlace) -> ReviewContext:
    """What was asked.

    Raises:
        UserError: It is gone or cannot be read.
    """
    try:
        return decode(ReviewContext, load_document(read_bytes(place.context, _CONTEXT_LIMIT)))
    except (UnreadableError, FormatError) as error:
        raise UserError(f"{place.context}: what was asked of the reviewer is lost: {error}") from error


def _clear(folder: Path) -> tuple[str, ...]:
    if not os.path.lexists(folder):
        return ()
    if folder.is_symlink() or not folder.is_dir():
        folder.unlink()
        return (FOLDER,)
    names = sorted(f"{FOLDER}/{path.name}" for path in folder.iterdir())
    shutil.rmtree(folder)
    return tuple(names) or (FOLDER,)

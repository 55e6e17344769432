"""Waiting for people while a run goes on, and after its last trial, without holding a worker."""

from __future__ import annotations

import os
import shlex
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from skillgrade.engine.listener import ReviewRequest, RunListener
from skillgrade.engine.review_intake import reviewed
from skillgrade.errors import UserError
from skillgrade.graders.human import answered, timed_out
from skillgrade.results.folder import RunFolder
from skillgrade.results.records import GraderResult, Outcome, TrialRecord
from skillgrade.results.redaction import Redactor
from skillgrade.results.regrades import Regrade
from skillgrade.results.reviews import ReviewPlace, deadline_after, read_context, review_places
from skillgrade.results.run_info import TaskInfo
from skillgrade.stop import Stop

_LOOK_AGAIN = 0.5
"""Seconds between two looks at the files that are waited for."""

_Signature = tuple[tuple[str, int, int, int], ...]


@dataclass(slots=True)
class _Question:
    """One human grader that waits.

    Attributes:
        place: Where the answer will be.
        ends: The monotonic time at which it is given up.
        timeout: The seconds that it was to wait.
        seen: What the files were when they were read last.
        faults: What was wrong with them and was not told yet: they may be half written.
    """

    place: ReviewPlace
    ends: float
    timeout: float
    seen: _Signature = ()
    faults: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Trial:
    """A trial that waits, and its questions by turn and grader."""

    record: TrialRecord
    questions: dict[tuple[int, int], _Question]


class Reviews:
    """The trials of a session that wait for people. Used by the one thread that leads the run.

    Args:
        run: The run's folder.
        tasks: What was planned.
        redactor: Takes secrets out of what people wrote.
        listener: Told who is asked what, and what came of it.
        keep: Puts the new grades of a trial on the disk.
        wait: Whether anybody is waited for; otherwise it only says at the end how many reviews are missing.
    """

    def __init__(
        self,
        run: RunFolder,
        tasks: Iterable[TaskInfo],
        redactor: Redactor,
        listener: RunListener,
        keep: Callable[[Regrade], None],
        *,
        wait: bool,
    ) -> None:
        self._run = run
        self._pass_thresholds = {task.task: task.pass_threshold for task in tasks}
        self._redactor = redactor
        self._listener = listener
        self._keep = keep
        self._wait = wait
        self._new: list[tuple[TrialRecord, bool]] = []
        self._waiting: list[_Trial] = []

    def expect(self, record: TrialRecord, *, asked_before: bool = False) -> None:
        """Wait for the reviews of a trial, if its outcome hangs on any.

        Args:
            record: Its attempt that counts.
            asked_before: Whether an earlier session asked; then the time begins anew.
        """
        if awaits_review(record):
            self._new.append((record, asked_before))

    def look(self) -> None:
        """Tell what is new, and take what has come or is over."""
        if not self._wait:
            return
        new, self._new = self._new, []
        for record, asked_before in new:
            self._begin(record, asked_before)
        for trial in self._waiting:
            self._look_at(trial)
        self._waiting = [trial for trial in self._waiting if trial.questions]

    def finish(self, stop: Stop) -> None:
        """Wait until no trial waits any more, or the stop comes; then say what is still missing."""
        woken = threading.Event()
        with stop.waking(woken.set):
            self.look()
            while self._waiting and not woken.wait(_LOOK_AGAIN):
                self.look()
        missing = len(self._new) + len(self._waiting)
        if missing:
            trials = "1 trial waits" if missing == 1 else f"{missing} trials wait"
            self._listener.note(f"{trials} for a review: `skillgrade review {shlex.quote(str(self._run.path))}`")

    def _begin(self, record: TrialRecord, asked_before: bool) -> None:
        questions = {}
        places = review_places(self._run, record)
        for result in record.grader_results:
            if result.waiting:
                key = result.turn, result.grader
                try:
                    questions[key] = self._ask(record, result, places[key], asked_before)
                except UserError as error:
                    self._listener.note(f"{self._redactor.text(str(error))}; the trial stays ungraded")
        self._waiting.append(_Trial(record, questions))

    def _ask(self, record: TrialRecord, result: GraderResult, place: ReviewPlace, asked_before: bool) -> _Question:
        context = read_context(place)
        left = context.timeout if asked_before else _seconds_until(context.deadline, context.timeout)
        question = _Question(place, time.monotonic() + left, context.timeout)
        if not answered(result, place, self._redactor)[0].waiting:  # between two sessions
            return question
        self._listener.review_wanted(
            ReviewRequest(
                run=self._run.path,
                task=record.task,
                trial=record.trial,
                prompt=context.prompt,
                result=place.result(),
                deadline=deadline_after(left) if asked_before else context.deadline,
            )
        )
        return question

    def _look_at(self, trial: _Trial) -> None:
        results = tuple(self._looked_at(result, trial) for result in trial.record.grader_results)
        if results != trial.record.grader_results:
            regrade = reviewed(trial.record, results, self._pass_thresholds[trial.record.task])
            self._keep(regrade)
            trial.record = regrade.applied_to(trial.record)
            self._listener.trial_reviewed(trial.record)

    def _looked_at(self, result: GraderResult, trial: _Trial) -> GraderResult:
        key = result.turn, result.grader
        question = trial.questions.get(key)
        if question is None:
            return result
        found = self._read(result, question)
        if found.waiting and time.monotonic() >= question.ends:
            found = timed_out(result, question.timeout)
        if not found.waiting:
            del trial.questions[key]
        return found

    def _read(self, result: GraderResult, question: _Question) -> GraderResult:
        signature = _signature(question.place)
        if signature == question.seen:
            for fault in question.faults:
                self._listener.note(f"{self._redactor.text(fault)}; the review is still waited for")
            question.faults = []
            return result
        question.seen = signature
        found, faults = answered(result, question.place, self._redactor)
        question.faults = [fault.text for fault in faults]
        return found


def awaits_review(record: TrialRecord) -> bool:
    """Whether the outcome of a trial hangs on a person's review."""
    return record.outcome is Outcome.UNGRADED and any(result.waiting for result in record.grader_results)


def _seconds_until(deadline: str, timeout: float) -> float:
    left = (datetime.fromisoformat(deadline) - datetime.now(UTC)).total_seconds()
    return min(max(left, 0.0), timeout)


def _signature(place: ReviewPlace) -> _Signature:
    found = []
    for _, path in place.results():
        try:
            status = os.lstat(path)
        except OSError:  # renamed meanwhile
            continue
        found.append((path.name, status.st_mtime_ns, status.st_size, status.st_ino))
    return tuple(found)

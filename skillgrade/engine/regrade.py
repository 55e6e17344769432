"""Grading a finished run again from its records: no agent, no workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from skillgrade.engine.grade_again import GradeAgain, GradedAgain
from skillgrade.engine.listener import RunListener
from skillgrade.engine.regrade_plan import RegradePlan, TaskRegrade, plan_regrade
from skillgrade.errors import Cancelled
from skillgrade.graders.assertions import keeping_workers
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal import Journal
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import TrialRecord
from skillgrade.results.regrades import Regrade, RegradeReport, regrade_report
from skillgrade.results.report import RunReport
from skillgrade.results.report_file import keep_report, write_report
from skillgrade.stop import Stop
from skillgrade.suite.model import Suite


@dataclass(frozen=True, slots=True)
class TrialChange:
    """What grading a trial again changed."""

    task: str
    trial: int
    report: RegradeReport


@dataclass(frozen=True, slots=True)
class RegradedRun:
    """A run that was graded again.

    Attributes:
        folder: Its folder.
        report: Its report from now on.
        kept: The report as it was before; None where no trial was graded again.
        graded: How many trials were graded again.
        waiting: How many trials had nothing to ask but people, whose reviews are not there yet.
        left_alone: How many trials of the tasks could not be graded.
        changes: The trials that came out otherwise than before.
        stopped: Whether a stop came; what was graded until then stands.
    """

    folder: RunFolder
    report: RunReport
    kept: Path | None
    graded: int
    waiting: int
    left_alone: int
    changes: tuple[TrialChange, ...]
    stopped: bool


def regrade(
    folder: RunFolder,
    suite: Suite,
    types: tuple[str, ...],
    parallel: int,
    prepare: Callable[[RegradePlan], GradeAgain],
    listener: RunListener,
    stop: Stop,
) -> RegradedRun:
    """Grade the trials of a run again, from what was kept of them.

    Each trial's new grades are on the disk before the next one takes its place.

    Args:
        folder: The run.
        suite: The suite as it is now: the selected tasks, with all their graders.
        types: The grader types to ask again; empty for all that work on the record.
        parallel: How many trials are graded at a time, >= 1.
        prepare: Called once it is clear what will be graded, before anything is; gives what grades an attempt.
        listener: Told what happens.
        stop: Ends it early.

    Raises:
        UsageError: What is asked for cannot be had from the records, or another process writes the run.
        UserError: The run cannot be read.
        StorageError: Results could not be written; what was written before stands.
    """
    with Journal.reopen(folder.journal) as journal:
        index = JournalIndex(folder.journal)
        plan = plan_regrade(index, suite, types)
        grade_again = prepare(plan)
        for note in plan.notes:
            listener.note(note)
        session = _Session(folder, journal, listener)
        listener.run_started(plan.trials, parallel)
        try:
            with keeping_workers():
                session.run(_attempts(plan, index), grade_again, parallel, stop)
        finally:
            listener.run_finished()
    return RegradedRun(
        folder=folder,
        report=write_report(folder),
        kept=session.kept,
        graded=session.graded,
        waiting=session.waiting,
        left_alone=plan.left_alone,
        changes=tuple(session.changes),
        stopped=stop.is_set(),
    )


def _attempts(plan: RegradePlan, index: JournalIndex) -> Iterator[tuple[TaskRegrade, TrialRecord]]:
    for again in plan.tasks:
        for attempts in index.attempts(again.info.task):
            if again.can_be_graded(attempts[-1]):
                yield again, attempts[-1]


class _Session:
    """What one start of skillgrade does for a run that is graded again."""

    def __init__(self, folder: RunFolder, journal: Journal, listener: RunListener) -> None:
        self.kept: Path | None = None
        self.graded = 0
        self.waiting = 0
        self.changes: list[TrialChange] = []
        self._folder = folder
        self._journal = journal
        self._listener = listener

    def run(
        self, attempts: Iterator[tuple[TaskRegrade, TrialRecord]], grade_again: GradeAgain, parallel: int, stop: Stop
    ) -> None:
        """Grade every attempt, at most `parallel` at a time, until the stop comes."""
        in_flight: dict[Future[GradedAgain], TrialRecord] = {}
        with ThreadPoolExecutor(parallel, thread_name_prefix="skillgrade-regrade") as executor:
            try:
                while not stop.is_set() and (following := next(attempts, None)) is not None:
                    again, record = following
                    self._listener.trial_started(record.task, record.trial, record.attempt)
                    in_flight[executor.submit(grade_again, again, record, stop)] = record
                    if len(in_flight) == parallel:
                        self._take(in_flight, wait(in_flight, return_when=FIRST_COMPLETED).done)
                self._take(in_flight, wait(in_flight).done)
            except BaseException:
                stop.set()
                raise

    def _take(self, in_flight: dict[Future[GradedAgain], TrialRecord], done: set[Future[GradedAgain]]) -> None:
        for future in done:
            record = in_flight.pop(future)
            try:
                graded = future.result()
            except Cancelled:
                continue
            for problem in graded.problems:
                self._listener.note(problem)
            self._finish(record, graded.regrade)

    def _finish(self, before: TrialRecord, regrade: Regrade | None) -> None:
        after = before
        if regrade is None:
            self.waiting += 1
        else:
            self.kept = self.kept or keep_report(self._folder)
            self._journal.regraded(regrade)
            self.graded += 1
            after = regrade.applied_to(before)
            report = regrade_report(before, regrade)
            if report.changed:
                self.changes.append(TrialChange(before.task, before.trial, report))
        self._listener.trial_finished(after, retried=False)

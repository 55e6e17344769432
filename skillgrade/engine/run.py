"""The run: from a plan to a report, with every attempt on disk when it ends."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from skillgrade import __version__
from skillgrade.agents import AGENTS
from skillgrade.engine.dispatch import Attempts, run_attempts
from skillgrade.engine.listener import RunListener
from skillgrade.engine.plan import Plan
from skillgrade.engine.pool import ThreadPool
from skillgrade.engine.preparation import prepared
from skillgrade.engine.resume import Recorded, read_recorded, save_fingerprint
from skillgrade.engine.reviewing import Reviews
from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.waiting import Waiting
from skillgrade.errors import Cancelled, StorageError, UserError
from skillgrade.judges.base import Judging
from skillgrade.results.folder import RunFolder, create_run_folder
from skillgrade.results.journal import Journal
from skillgrade.results.records import TrialRecord
from skillgrade.results.redaction import Redactor
from skillgrade.results.report import RunReport
from skillgrade.results.report_file import write_report
from skillgrade.results.run_info import RunEnd, RunInfo, RunPrepared, SkillInfo, TaskInfo
from skillgrade.stop import Stop
from skillgrade.workspace import provider_named


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a plan is run, and what its report says of how it came about.

    Attributes:
        base: Where the run's folder is made.
        parallel: How many trials run at a time, >= 1.
        selection: The flags that narrowed the tasks, as given.
        grader_filter: The grader types that `--grader` kept.
        partial: Whether that took graders out.
        resumed: The run that goes on; None for a new one.
        wait_for_reviews: Whether it ends only when people have answered, or their time is over.
    """

    base: Path
    parallel: int
    selection: tuple[str, ...] = ()
    grader_filter: tuple[str, ...] = ()
    partial: bool = False
    resumed: RunFolder | None = None
    wait_for_reviews: bool = True


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that ended, by itself or by a stop."""

    folder: RunFolder
    report: RunReport


def run(
    plan: Plan, options: RunOptions, judging: Judging, redactor: Redactor, listener: RunListener, stop: Stop
) -> FinishedRun:
    """Run every trial of a plan, or those that a resumed run still lacks.

    Args:
        plan: What to run.
        options: How.
        judging: Asks judges.
        redactor: Applied to what the report says of the plan.
        listener: Told what happens.
        stop: Ends the run early: running trials end as cancelled, the report covers what finished.

    Raises:
        StorageError: Results could not be written; what was written before stands.
        UsageError: The run that should go on is being written, or would not go on with the same.
        UserError: A skill cannot be copied, or the run that should go on cannot be read.
    """
    started = time.monotonic()
    tasks = _planned_tasks(plan, redactor)
    folder = options.resumed or create_run_folder(options.base)
    with _open_journal(plan, options, folder, tasks) as journal:
        recorded = read_recorded(folder, plan, tasks) if options.resumed else Recorded()
        reviews = Reviews(folder, tasks, redactor, listener, journal.regraded, wait=options.wait_for_reviews)
        for record in recorded.waiting:
            reviews.expect(record, asked_before=True)
        session = _Session(plan, folder, recorded, judging, redactor, journal, listener, stop, reviews)
        # A stop may come before the first trial: the report still says what was planned, and that nothing of it ran.
        with suppress(Cancelled):
            session.run(options.parallel)
            reviews.finish(stop)
        journal.end(RunEnd(round((time.monotonic() - started) * 1000), interrupted=stop.is_set()))
    try:
        return FinishedRun(folder, write_report(folder))
    except UserError as error:  # our own journal, so it is no fault of the user's files
        raise StorageError(f"the run's results changed under it: {error}") from error


def _open_journal(plan: Plan, options: RunOptions, folder: RunFolder, tasks: list[TaskInfo]) -> Journal:
    if options.resumed:
        return Journal.reopen(folder.journal)
    save_fingerprint(folder, plan)
    info = RunInfo(
        run_id=folder.run_id,
        version=__version__,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        suite_file=plan.suite.file.name,
        suite_digest=plan.suite.digest,
        selection=options.selection,
        grader_filter=options.grader_filter,
        partial=options.partial,
    )
    return Journal.create(folder.journal, info, tasks)


@dataclass(frozen=True, slots=True)
class _Session:
    """What one start of skillgrade does for a run."""

    plan: Plan
    folder: RunFolder
    recorded: Recorded
    judging: Judging
    redactor: Redactor
    journal: Journal
    listener: RunListener
    stop: Stop
    reviews: Reviews

    def run(self, parallel: int) -> None:
        missing = self.plan.trial_count - len(self.recorded.done)
        if missing == 0:
            verdicts = "has run" if self.recorded.waiting else "has a verdict"
            self.listener.note(f"every trial of this run {verdicts} already; nothing is left to run")
            return
        with prepared(self.plan, self.folder, self.redactor, self.listener, self.stop) as preparation:
            skills = tuple(SkillInfo(skill.name, skill.digest) for skill in preparation.skills)
            self.journal.prepared(RunPrepared(skills, preparation.notes, preparation.agent_versions()))
            waiting = Waiting(preparation, self.recorded)

            def finished(spec: TrialSpec, record: TrialRecord) -> bool:
                self.journal.append(record)
                again = not self.stop.is_set() and waiting.put_back(spec, record)
                if not again:
                    self.reviews.expect(record)
                return again

            def warn(text: str) -> None:
                self.listener.note(self.redactor.text(text))

            with closing(ThreadPool(min(parallel, missing), self.stop, self.judging, warn)) as pool:
                attempts = Attempts(missing, waiting.take, finished, meanwhile=self.reviews.look)
                run_attempts(pool, attempts, self.listener, self.stop)


def _planned_tasks(plan: Plan, redactor: Redactor) -> list[TaskInfo]:
    return [
        TaskInfo(
            task=task_plan.task.name,
            planned=task_plan.task.trials,
            threshold=task_plan.task.threshold,
            pass_threshold=task_plan.task.pass_threshold,
            agent=task_plan.agent,
            provider=task_plan.provider,
            isolation=str(provider_named(task_plan.provider).isolation),
            model=AGENTS[task_plan.agent].model(task_plan.task.agent),
            metadata=redactor.value(dict(task_plan.task.metadata)),
        )
        for task_plan in plan.tasks
    ]

"""The run: from a plan to a report, with every attempt on disk when it ends."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from skillgrade import __version__
from skillgrade.agents import AGENTS
from skillgrade.engine.listener import RunListener
from skillgrade.engine.plan import Plan, TaskPlan
from skillgrade.engine.pool import ThreadPool
from skillgrade.engine.preparation import Preparation, prepare
from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.window import run_attempts
from skillgrade.errors import Cancelled, StorageError, UserError
from skillgrade.results.folder import RunFolder, create_run_folder
from skillgrade.results.journal import Journal
from skillgrade.results.records import Outcome, TrialError, TrialRecord
from skillgrade.results.redaction import Redactor
from skillgrade.results.report import RunReport
from skillgrade.results.report_file import write_report
from skillgrade.results.run_info import PlannedTask, RunEnd, RunInfo, SkillInfo
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
    """

    base: Path
    parallel: int
    selection: tuple[str, ...] = ()
    grader_filter: tuple[str, ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that ended, by itself or by a stop."""

    folder: RunFolder
    report: RunReport


def run(plan: Plan, options: RunOptions, redactor: Redactor, listener: RunListener, stop: Stop) -> FinishedRun:
    """Run every trial of a plan.

    Args:
        plan: What to run.
        options: How.
        redactor: Applied to what the report says of the plan.
        listener: Told what happens.
        stop: Ends the run early: running trials end as cancelled, the report covers what finished.

    Raises:
        StorageError: Results could not be written; what was written before stands.
        UserError: A skill cannot be copied.
    """
    started = time.monotonic()
    folder = create_run_folder(options.base)
    info = _info(plan, options, folder)
    preparation = None
    try:
        preparation = prepare(plan, folder, listener, stop)
        info = _with_preparation(info, preparation, redactor)
    except Cancelled:
        pass  # the report still says what was planned, and that nothing of it ran
    with Journal.create(folder.journal, info, _planned_tasks(plan, redactor)) as journal:
        if preparation is not None:
            for note in info.notes:
                listener.note(note)
            _run_trials(preparation, options.parallel, journal, listener, stop)
        journal.end(RunEnd(round((time.monotonic() - started) * 1000), interrupted=stop.is_set()))
    try:
        return FinishedRun(folder, write_report(folder))
    except UserError as error:  # our own journal, so it is no fault of the user's files
        raise StorageError(f"the run's results changed under it: {error}") from error


def _run_trials(preparation: Preparation, parallel: int, journal: Journal, listener: RunListener, stop: Stop) -> None:
    plan = preparation.plan
    queue = _Queue(preparation)

    def take() -> TrialSpec | None:
        spec = queue.take()
        if spec is not None:
            listener.trial_started(spec.task.name, spec.trial, spec.attempt)
        return spec

    def finished(spec: TrialSpec, record: TrialRecord) -> None:
        journal.append(record)
        retried = _is_retried(spec, record) and not stop.is_set()
        if retried:
            queue.put_back(spec)
        listener.trial_finished(record, retried)

    try:
        listener.run_started(plan.trial_count, parallel)
        with closing(ThreadPool(min(parallel, plan.trial_count), stop)) as pool:
            run_attempts(pool, take, finished, stop)
    finally:
        listener.run_finished()
        preparation.clean_up()


def _is_retried(spec: TrialSpec, record: TrialRecord) -> bool:
    """Errors are tried again, failures never; an environment that could not be built stays unbuilt."""
    if record.outcome is not Outcome.ERRORED or isinstance(spec.prepared, TrialError):
        return False
    return spec.attempt < spec.task.retries


class _Queue:
    """The attempts that wait: every trial of the plan first, then those to be tried again."""

    def __init__(self, preparation: Preparation) -> None:
        self._preparation = preparation
        self._trials: Iterator[tuple[TaskPlan, int]] = preparation.plan.trials()
        self._plans = {planned.task.name: planned for planned in preparation.plan.tasks}
        self._again: deque[TrialSpec] = deque()

    def take(self) -> TrialSpec | None:
        """The one that waits longest; None when none waits."""
        for planned, trial in self._trials:
            return self._preparation.spec(planned, trial, attempt=0)
        return self._again.popleft() if self._again else None

    def put_back(self, spec: TrialSpec) -> None:
        """Let the trial of an attempt be tried again."""
        planned = self._plans[spec.task.name]
        self._again.append(self._preparation.spec(planned, spec.trial, spec.attempt + 1))


def _info(plan: Plan, options: RunOptions, folder: RunFolder) -> RunInfo:
    return RunInfo(
        run_id=folder.run_id,
        version=__version__,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        suite_file=plan.suite.file.name,
        suite_digest=plan.suite.digest,
        selection=options.selection,
        grader_filter=options.grader_filter,
        partial=options.partial,
    )


def _with_preparation(info: RunInfo, preparation: Preparation, redactor: Redactor) -> RunInfo:
    return replace(
        info,
        skills=tuple(SkillInfo(skill.name, skill.digest) for skill in preparation.skills),
        notes=tuple(redactor.text(note) for note in preparation.notes),
    )


def _planned_tasks(plan: Plan, redactor: Redactor) -> list[PlannedTask]:
    return [
        PlannedTask(
            task=planned.task.name,
            planned=planned.task.trials,
            threshold=planned.task.threshold,
            pass_threshold=planned.task.pass_threshold,
            agent=planned.agent,
            provider=planned.provider,
            isolation=str(provider_named(planned.provider).isolation),
            model=planned.task.agent.model if AGENTS[planned.agent].takes_model else None,
            metadata=redactor.value(dict(planned.task.metadata)),
        )
        for planned in plan.tasks
    ]

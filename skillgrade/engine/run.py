"""The run: from a plan to a report, with every attempt on disk when it ends."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from skillgrade import __version__
from skillgrade.agents import AGENTS
from skillgrade.engine.arm import RunArm
from skillgrade.engine.dispatch import Attempts, run_attempts
from skillgrade.engine.listener import RunListener
from skillgrade.engine.plan import Plan
from skillgrade.engine.pool import ThreadPool
from skillgrade.engine.resume import Recorded, read_recorded, save_fingerprint
from skillgrade.engine.reviewing import Reviews
from skillgrade.engine.spec import TrialSpec
from skillgrade.errors import Cancelled, StorageError, UsageError, UserError
from skillgrade.judges.base import Judging
from skillgrade.results.folder import RunFolder, create_run_folder
from skillgrade.results.journal import Journal
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import TrialRecord
from skillgrade.results.redaction import Redactor
from skillgrade.results.report import RunReport
from skillgrade.results.report_file import write_report
from skillgrade.results.run_info import RunEnd, RunInfo, TaskInfo
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
        tuned: Whether its tasks are those by which the skill is being improved.
    """

    base: Path
    parallel: int
    selection: tuple[str, ...] = ()
    grader_filter: tuple[str, ...] = ()
    partial: bool = False
    resumed: RunFolder | None = None
    wait_for_reviews: bool = True
    tuned: bool = False


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that ended, by itself or by a stop; `baseline` is the one without the skill, where there is one."""

    folder: RunFolder
    report: RunReport
    baseline: FinishedRun | None = None


def run(
    plan: Plan,
    options: RunOptions,
    judging: Judging,
    redactor: Redactor,
    listener: RunListener,
    stop: Stop,
    baseline: Plan | None = None,
) -> FinishedRun:
    """Run every trial of a plan, or those that a resumed run still lacks.

    Args:
        plan: What to run.
        options: How.
        judging: Asks judges.
        redactor: Applied to what the report says of the plan.
        listener: Told what happens.
        stop: Ends the run early: running trials end as cancelled, the report covers what finished.
        baseline: The same without the skill, which becomes a run of its own; its trials alternate with the others.

    Raises:
        StorageError: Results could not be written; what was written before stands.
        UsageError: The run that should go on is being written, or would not go on with the same.
        UserError: A skill cannot be copied, or the run that should go on cannot be read.
    """
    started = time.monotonic()
    places = _places(options, with_baseline=baseline is not None)
    # The baseline first: the newest run is the one with the skill.
    plans = [each for each in (baseline, plan) if each is not None]
    with ExitStack() as journals:
        arms = []
        for each, place in zip(plans, places, strict=True):
            tasks = _planned_tasks(each, redactor)
            journal = journals.enter_context(_open_journal(each, options, place, tasks))
            recorded = read_recorded(place.folder, each, tasks) if options.resumed else Recorded()
            reviews = Reviews(place.folder, tasks, redactor, listener, journal.regraded, wait=options.wait_for_reviews)
            arms.append(RunArm(each, place.folder, journal, recorded, reviews))
        # A stop may come before the first trial: the report still says what was planned, and that nothing of it ran.
        with suppress(Cancelled):
            _run_arms(arms[::-1], options.parallel, judging, redactor, listener, stop)
            for arm in arms:
                arm.reviews.finish(stop)
        for arm in arms:
            arm.journal.end(RunEnd(round((time.monotonic() - started) * 1000), interrupted=stop.is_set()))
    *others, last = (place.folder for place in places)
    try:
        without = [FinishedRun(folder, write_report(folder)) for folder in others]
        return FinishedRun(last, write_report(last), *without)
    except UserError as error:  # our own journal, so it is no fault of the user's files
        raise StorageError(f"the run's results changed under it: {error}") from error


@dataclass(frozen=True, slots=True)
class _Place:
    """The folder of a run, and which run it is the baseline of, or has as its baseline."""

    folder: RunFolder
    baseline_run: str | None = None
    baseline_of: str | None = None


def _places(options: RunOptions, *, with_baseline: bool) -> list[_Place]:
    """Where the runs go, a baseline first."""
    if options.resumed is None:
        folders = [create_run_folder(options.base) for _ in range(1 + with_baseline)]
        if not with_baseline:
            return [_Place(folders[0])]
        return _linked(*folders)
    folder, info = options.resumed, JournalIndex(options.resumed.journal).info
    if info.baseline_of is not None:
        raise UsageError(f"{folder.path}: this is the baseline of {info.baseline_of}, and goes on only with that")
    if with_baseline != (info.baseline_run is not None):
        instead = "leave --baseline out" if with_baseline else "give --baseline as well"
        raise UsageError(f"{folder.path}: this run was started with{'out' if with_baseline else ''} it: {instead}")
    return [_Place(folder)] if info.baseline_run is None else _linked(folder.beside(info.baseline_run), folder)


def _linked(baseline: RunFolder, folder: RunFolder) -> list[_Place]:
    return [_Place(baseline, baseline_of=folder.run_id), _Place(folder, baseline_run=baseline.run_id)]


def _open_journal(plan: Plan, options: RunOptions, place: _Place, tasks: list[TaskInfo]) -> Journal:
    folder = place.folder
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
        baseline_run=place.baseline_run,
        baseline_of=place.baseline_of,
        tuned=options.tuned,
    )
    return Journal.create(folder.journal, info, tasks)


def _run_arms(
    arms: Sequence[RunArm], parallel: int, judging: Judging, redactor: Redactor, listener: RunListener, stop: Stop
) -> None:
    """Run what the arms miss in one pool."""
    missing = sum(arm.missing for arm in arms)
    if missing == 0:
        verdicts = "has run" if any(arm.recorded.waiting for arm in arms) else "has a verdict"
        listener.note(f"every trial of this run {verdicts} already; nothing is left to run")
        return
    by_folder = {arm.folder.path: arm for arm in arms}

    def finished(spec: TrialSpec, record: TrialRecord) -> bool:
        return by_folder[spec.run_folder].finished(spec, record, stop)

    def look() -> None:
        for arm in arms:
            arm.reviews.look()

    def warn(text: str) -> None:
        listener.note(redactor.text(text))

    with ExitStack() as preparations:
        for arm in arms:
            preparations.enter_context(arm.prepared(redactor, listener, stop))
        with closing(ThreadPool(min(parallel, missing), stop, judging, warn)) as pool:
            attempts = Attempts(missing, _Alternating(arms).take, finished, meanwhile=look)
            run_attempts(pool, attempts, listener, stop)


class _Alternating:
    """Takes an attempt of each arm in turn, so that both meet the same hours of a model and the same load."""

    def __init__(self, arms: Sequence[RunArm]) -> None:
        self._arms = deque(arms)

    def take(self) -> TrialSpec | None:
        """The next attempt; None when no arm has one at the moment."""
        for _ in range(len(self._arms)):
            arm = self._arms[0]
            self._arms.rotate(-1)
            if spec := arm.take():
                return spec
        return None


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

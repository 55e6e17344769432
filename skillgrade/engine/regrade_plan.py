"""What of a finished run can be graded again by the eval.yaml as it is now, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skillgrade.engine.record_grading import turn_of, was_reached
from skillgrade.errors import Stage, UsageError
from skillgrade.graders import GRADERS, RECORD_GRADERS, WORKSPACE_GRADERS
from skillgrade.results import evidence
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.results.reviews import HUMAN
from skillgrade.results.run_info import TaskInfo
from skillgrade.suite.assertion_specs import asks_about_skills
from skillgrade.suite.model import GraderSpec, Suite, Task
from skillgrade.suite.schema import grader_types
from skillgrade.wording import did_you_mean, shown

_GRADING_STAGES = (Stage.GRADE, Stage.JUDGE)


@dataclass(frozen=True, slots=True)
class TaskRegrade:
    """A task of the run whose trials are graded again.

    Attributes:
        task: The task as it is now.
        info: The task as the run planned it; its `pass_threshold` stays.
        specs: The graders that the reward is over, as they are now.
        asked: Those of them that are asked again.
    """

    task: Task
    info: TaskInfo
    specs: tuple[GraderSpec, ...]
    asked: tuple[GraderSpec, ...]

    def can_be_graded(self, record: TrialRecord) -> bool:
        """Whether a trial got so far that its record is all that grading needs."""
        if record.outcome is Outcome.CANCELLED or (record.error and record.error.stage not in _GRADING_STAGES):
            return False
        answered = {result.grader for result in record.grader_results}
        return all(spec.index in answered for spec in self.specs if spec.type in WORKSPACE_GRADERS)


@dataclass(frozen=True, slots=True)
class RegradePlan:
    """What will be graded again.

    Attributes:
        tasks: The tasks of the run that have graders to ask again.
        trials: How many of their trials can be graded.
        left_alone: How many of their trials cannot: they errored before there was something to grade, were cancelled,
            or never ran.
        notes: What the user should know before it starts.
    """

    tasks: tuple[TaskRegrade, ...]
    trials: int
    left_alone: int
    notes: tuple[str, ...]


def plan_regrade(index: JournalIndex, suite: Suite, types: Sequence[str]) -> RegradePlan:
    """Match the graders of a run with those of a suite: tasks by name, graders by number and type.

    Args:
        index: The run.
        suite: The suite as it is now: the selected tasks, with all their graders.
        types: The grader types to ask again; empty for all that work on the record.

    Raises:
        UsageError: What is asked for cannot be had from the records; all of it is named.
    """
    _check_types(index, types)
    planned = {info.task: info for info in index.tasks}
    present = {task.name: task for task in suite.tasks if task.name in planned}
    tasks: list[TaskRegrade] = []
    problems: list[str] = []
    trials = 0
    for name, task in present.items():
        again = _task_regrade(task, planned[name], index, types)
        found = _scan(index, again)
        place = f"{task.file}:{task.line}: task {shown(name)}"
        faults = (*_mismatches(again, found.graders), *_own_problems(again.asked), *_lost(found.without_evidence))
        problems += [f"{place}: {fault}" for fault in faults]
        if again.asked:
            tasks.append(again)
            trials += found.gradable
    if problems:
        raise UsageError("\n".join(dict.fromkeys(problems)))
    if not tasks:
        raise UsageError(_nothing_to_ask(index, bool(present), types))
    left_alone = sum(again.info.planned for again in tasks) - trials
    return RegradePlan(tuple(tasks), trials, left_alone, tuple(_notes(tasks, planned, suite)))


def _task_regrade(task: Task, info: TaskInfo, index: JournalIndex, types: Sequence[str]) -> TaskRegrade:
    # A run that had no skill was not asked for its use, and cannot be.
    specs = tuple(
        spec
        for spec in task.graders
        if _was_selected(spec.type, index) and (index.info.skills or not asks_about_skills(spec))
    )
    on_record = (spec for spec in specs if spec.type not in WORKSPACE_GRADERS)
    return TaskRegrade(task, info, specs, tuple(spec for spec in on_record if not types or spec.type in types))


def _check_types(index: JournalIndex, types: Sequence[str]) -> None:
    known = grader_types()
    for name in types:
        if name not in known:
            listed = f"known: {', '.join(known)}"
            raise UsageError(f"--grader: unknown type {shown(name)}{did_you_mean(name, known)}; {listed}")
        if name in WORKSPACE_GRADERS:
            raise UsageError(
                f"--grader={name}: {name} graders ran in the trial's workspace, which is gone, so their results are "
                "carried over; start a new run to have them run again"
            )
        if not _was_selected(name, index):
            kept = ",".join(index.info.grader_filter)
            raise UsageError(
                f"--grader={name}: the run left {name} graders out (--grader={kept}), and its rewards would no longer "
                "be over the same graders; start a new run with them"
            )


def _was_selected(name: str, index: JournalIndex) -> bool:
    return not index.info.grader_filter or name in index.info.grader_filter


@dataclass(slots=True)
class _Found:
    """What the trials of a task have: graders by number, how many can be graded, what is missing of those."""

    graders: dict[int, str] = field(default_factory=dict)
    gradable: int = 0
    without_evidence: list[Path] = field(default_factory=list)


def _scan(index: JournalIndex, again: TaskRegrade) -> _Found:
    run, found = RunFolder(index.path.parent), _Found()
    turns = sorted({turn_of(spec, again.task) for spec in again.asked if spec.type != HUMAN})
    for attempts in index.attempts(again.info.task):
        last = attempts[-1]
        found.graders.update((result.grader, result.grader_type) for result in last.grader_results)
        if not again.can_be_graded(last):
            continue
        found.gradable += 1
        if last.agent is not None and last.agent.timed_out:  # nobody was asked, and nobody will be
            continue
        attempt = run.attempt_path(last.task, last.trial, last.attempt)
        folders = [evidence.folder_of(attempt, turn) for turn in turns if was_reached(attempt, turn)]
        found.without_evidence += [folder for folder in folders if not (folder / evidence.FILE).is_file()]
    return found


def _lost(folders: Sequence[Path]) -> Iterator[str]:
    if folders:
        more = f" and {len(folders) - 1} more folders" if len(folders) > 1 else ""
        yield (
            f"{folders[0]}{more}: nothing of the trial is kept that graders could read: leave the task out with "
            "--eval, or start a new run"
        )


def _mismatches(again: TaskRegrade, recorded: Mapping[int, str]) -> Iterator[str]:
    """Where the graders of the file are not those of the run; new ones are let pass if the record is all they need."""
    now = {spec.index: spec.type for spec in again.specs}
    remedy = "put it back, or start a new run"
    for number, kind in sorted(recorded.items()):
        if number not in now:
            yield f"grader {number} of the run ({kind}) is gone: {remedy}"
        elif now[number] != kind:
            yield f"grader {number} was of type {kind} in the run and is {now[number]}: {remedy}"
    for spec in again.specs if recorded else ():
        if spec.index not in recorded and _needs_workspace(spec):
            yield (
                f"grader {spec.index} ({spec.type}) is new and needs the trial's workspace, which is gone: "
                "take it out, or start a new run"
            )


def _needs_workspace(spec: GraderSpec) -> bool:
    if spec.type in WORKSPACE_GRADERS:
        return True
    return spec.type in RECORD_GRADERS and RECORD_GRADERS[spec.type].needs(spec).workspace


def _own_problems(asked: Sequence[GraderSpec]) -> Iterator[str]:
    for spec in asked:
        if problem := GRADERS[spec.type].problem(spec):
            yield problem


def _nothing_to_ask(index: JournalIndex, any_task: bool, types: Sequence[str]) -> str:
    if not any_task:
        return f"{index.path.parent}: none of the run's tasks is among the selected ones of the file"
    if types:
        return f"--grader={','.join(types)}: no task of the run has such a grader"
    return (
        f"{index.path.parent}: all its graders are {' or '.join(WORKSPACE_GRADERS)}, and these ran in workspaces that "
        "are gone; start a new run to have them run again"
    )


def _notes(tasks: Sequence[TaskRegrade], planned: Mapping[str, TaskInfo], suite: Suite) -> Iterator[str]:
    again = {each.info.task for each in tasks}
    kept = [name for name in planned if name not in again]
    if kept:
        yield f"{_listed(kept)}: not graded again, with nothing to ask or not selected, or gone from {suite.file.name}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(map(shown, names[:3])) + more

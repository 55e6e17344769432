"""What a validation proves of a task's graders: they pass the reference solution and fail work that nobody did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skillgrade.errors import Stage
from skillgrade.results.records import GraderResult, GraderStatus, Outcome, TrialRecord
from skillgrade.suite.model import Task

SOLVED, UNTOUCHED = 0, 1
"""Which trial of a validation is which."""


@dataclass(frozen=True, slots=True)
class TaskValidation:
    """What came of one task.

    Attributes:
        task: The task's name.
        errors: What is wrong with its graders or its solution; empty when they are proven.
        warnings: What looks odd, but may be meant.
        errored: Whether something else than graders and solution failed, so that nothing is proven either way.
        solved: The trial with the reference solution; None when it did not run.
        untouched: The trial in which nobody acted; None when it did not run.
    """

    task: str
    errors: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    errored: bool = False
    solved: TrialRecord | None = None
    untouched: TrialRecord | None = None


@dataclass(frozen=True, slots=True)
class Validation:
    """What came of the selected tasks.

    Attributes:
        tasks: One per task with a reference solution, in the order of the suite.
        unsolved: The tasks that have none.
        left_out: The grader types that no validation of this version can answer for.
        folder: Where transcripts and grader output stand; None when nothing ran.
    """

    tasks: tuple[TaskValidation, ...]
    unsolved: tuple[str, ...]
    left_out: tuple[str, ...]
    folder: Path | None


def judge_validation(task: Task, solved: TrialRecord, untouched: TrialRecord) -> TaskValidation:
    """Judge a task by two trials that ran to their end.

    Args:
        task: The task, with the graders that ran.
        solved: With the reference solution in place of the agent.
        untouched: With nobody in place of the agent.
    """
    return TaskValidation(
        task=task.name,
        errors=(*_solved_errors(task, solved), *_untouched_errors(task, untouched)),
        warnings=(*_solved_warnings(task, solved), *_untouched_warnings(task, untouched)),
        errored=any(record.error and record.error.stage is not Stage.GRADE for record in (solved, untouched)),
        solved=solved,
        untouched=untouched,
    )


def _solved_errors(task: Task, record: TrialRecord) -> Iterator[str]:
    if record.error is not None:
        yield f"the reference solution got no verdict: {record.error.reason}"
        return
    if record.agent is not None and record.agent.timed_out:
        yield f"the reference solution ran into the task's timeout of {task.timeout:g} s"
    if record.reward is not None and record.reward < task.pass_threshold:
        yield f"the reference solution's reward is {record.reward:.2f}, below pass_threshold {task.pass_threshold:g}"
    for result in record.grader_results:
        if result.score is not None and result.score < task.pass_threshold:
            yield f"{_name(result)} gives the reference solution only {result.score:.2f}: {result.details}"


def _solved_warnings(task: Task, record: TrialRecord) -> Iterator[str]:
    if record.agent is not None and record.agent.exit_code not in (0, None):
        yield f"the reference solution ended with exit code {record.agent.exit_code}"
    for result in record.grader_results:
        if result.score is not None and task.pass_threshold <= result.score < 1.0:
            yield f"{_name(result)} gives the reference solution {result.score:.2f}, not 1: {result.details}"


def _untouched_errors(task: Task, record: TrialRecord) -> Iterator[str]:
    if record.error is not None:
        yield (
            "the untouched workspace gets no verdict, so an idle agent would be errored and not failed; "
            f"a grader must answer 0 there: {record.error.reason}"
        )
    if record.outcome is Outcome.PASSED:
        yield (
            f"the graders pass work that nobody did: the untouched workspace gets {record.reward:.2f}, "
            f"pass_threshold is {task.pass_threshold:g}"
        )


def _untouched_warnings(task: Task, record: TrialRecord) -> Iterator[str]:
    if record.outcome is Outcome.PASSED or record.error is not None:
        return
    for result in record.grader_results:
        if result.status is GraderStatus.OK and result.score is not None and result.score >= task.pass_threshold:
            yield f"{_name(result)} alone passes the untouched workspace with {result.score:.2f}"


def _name(result: GraderResult) -> str:
    return f"{result.grader_type} grader {result.grader}"

"""`--validate`: every reference solution in place of an agent, and the graders alone on every untouched workspace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from skillgrade.checks.validation import SOLVED, UNTOUCHED, TaskValidation, Validation, judge_validation
from skillgrade.engine.dispatch import Attempts, run_attempts
from skillgrade.engine.judging import can_be_asked
from skillgrade.engine.listener import RunListener
from skillgrade.engine.plan import make_validation_plan
from skillgrade.engine.pool import ThreadPool
from skillgrade.engine.preparation import Preparation, prepared
from skillgrade.engine.spec import TrialSpec
from skillgrade.judges.base import Judging, Verdicts
from skillgrade.results.folder import VALIDATIONS_NAME, create_run_folder
from skillgrade.results.records import TrialRecord
from skillgrade.results.redaction import Redactor
from skillgrade.results.reviews import HUMAN
from skillgrade.stop import Stop
from skillgrade.suite.assertion_specs import needs_a_stream
from skillgrade.suite.model import GraderSpec, Suite, Task

_Records = dict[tuple[str, int], TrialRecord]


def provable(suite: Suite, verdicts: Verdicts, variables: Mapping[str, str]) -> Suite:
    """The suite with those graders that a validation can answer for.

    People are not asked, and judges only where their keys are set or their verdicts recorded. A solution is no agent
    that could use a skill.

    Args:
        suite: The selected tasks and graders.
        verdicts: Where verdicts come from.
        variables: `.env` and the shell as one.
    """

    def is_provable(spec: GraderSpec, task: Task) -> bool:
        if spec.type == HUMAN or needs_a_stream(spec):
            return False
        return can_be_asked(spec, task, verdicts, variables)

    tasks = [
        replace(task, graders=tuple(spec for spec in task.graders if is_provable(spec, task))) for task in suite.tasks
    ]
    return replace(suite, tasks=tuple(tasks))


def validate(
    suite: Suite,
    proven: Suite,
    base: Path,
    parallel: int,
    judging: Judging,
    redactor: Redactor,
    listener: RunListener,
    stop: Stop,
) -> Validation:
    """Prove the graders of every task that has a reference solution.

    Args:
        suite: The selected tasks and graders.
        proven: The same with those graders that are `provable`.
        base: Below it the folder for transcripts and grader output is made.
        parallel: How many trials run at a time.
        judging: Asks judges.
        redactor: Applied to what the listener is told.
        listener: Told what happens.
        stop: Ends it early.

    Raises:
        UserError: A solution or a grader cannot run.
        ProviderError: No workspace can be had.
        StorageError: Output could not be written.
        Cancelled: The stop came.
    """
    solved = [task for task in suite.tasks if task.has_solution]
    unsolved = tuple(task.name for task in suite.tasks if not task.has_solution and _has_work_to_prove(task))
    runnable = [task for task in proven.tasks if task.has_solution and task.graders]
    kept = {(task.name, spec.index) for task in runnable for spec in task.graders}
    left_out = tuple(
        sorted({spec.type for task in solved for spec in task.graders if (task.name, spec.index) not in kept})
    )
    validations = {
        task.name: TaskValidation(task.name, (f"all its graders are left out ({', '.join(left_out)})",))
        for task in solved
    }
    folder = None
    if runnable:
        plan = make_validation_plan(replace(suite, tasks=tuple(runnable)), stop)
        run_folder = create_run_folder(base / VALIDATIONS_NAME)
        folder = run_folder.path
        with prepared(plan, run_folder, redactor, listener, stop) as preparation:
            records = _run(preparation, parallel, judging, redactor, listener, stop)
        stop.check()
        for task in runnable:
            validations[task.name] = judge_validation(task, *(records[task.name, n] for n in (SOLVED, UNTOUCHED)))
    return Validation(tuple(validations.values()), unsolved, left_out, folder)


def _has_work_to_prove(task: Task) -> bool:
    """Whether something is graded that a reference solution could do, which uses no skills and calls no tools."""
    return not all(map(needs_a_stream, task.graders))


def _run(
    preparation: Preparation,
    parallel: int,
    judging: Judging,
    redactor: Redactor,
    listener: RunListener,
    stop: Stop,
) -> _Records:
    records: _Records = {}
    specs = _specs(preparation)

    def finished(spec: TrialSpec, record: TrialRecord) -> bool:
        records[spec.task.name, spec.trial] = record
        return False

    def warn(text: str) -> None:
        listener.note(redactor.text(text))

    count = 2 * len(preparation.plan.tasks)
    with closing(ThreadPool(min(parallel, count), stop, judging, warn)) as pool:
        run_attempts(pool, Attempts(count, lambda: next(specs, None), finished), listener, stop)
    return records


def _specs(preparation: Preparation) -> Iterator[TrialSpec]:
    for task_plan in preparation.plan.tasks:
        yield preparation.spec(task_plan, SOLVED, attempt=0)
        yield preparation.spec(task_plan, UNTOUCHED, attempt=0, act=False)

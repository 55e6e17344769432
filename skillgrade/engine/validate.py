"""`--validate`: every reference solution in place of an agent, and the graders alone on every untouched workspace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from skillgrade.checks.validation import SOLVED, UNTOUCHED, TaskValidation, Validation, judge_validation
from skillgrade.engine.dispatch import Attempts, run_attempts
from skillgrade.engine.listener import RunListener
from skillgrade.engine.plan import make_validation_plan
from skillgrade.engine.pool import ThreadPool
from skillgrade.engine.preparation import Preparation, prepared
from skillgrade.engine.spec import TrialSpec
from skillgrade.graders import GRADERS
from skillgrade.results.folder import VALIDATIONS_NAME, create_run_folder
from skillgrade.results.records import TrialRecord
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.model import Suite, Task

_Records = dict[tuple[str, int], TrialRecord]


def validate(
    suite: Suite, base: Path, parallel: int, redactor: Redactor, listener: RunListener, stop: Stop
) -> Validation:
    """Prove the graders of every task that has a reference solution.

    Args:
        suite: The selected tasks and graders.
        base: Below it the folder for transcripts and grader output is made.
        parallel: How many trials run at a time.
        redactor: Applied to what the listener is told.
        listener: Told what happens.
        stop: Ends it early.

    Raises:
        UserError: A solution or a grader cannot run.
        ProviderError: No workspace can be had.
        StorageError: Output could not be written.
        Cancelled: The stop came.
    """
    solved = [task for task in suite.tasks if task.solution is not None]
    unsolved = tuple(task.name for task in suite.tasks if task.solution is None)
    left_out = tuple(sorted({spec.type for task in solved for spec in task.graders} - GRADERS.keys()))
    provable = [task for task in map(_with_provable_graders, solved) if task.graders]
    validations = {
        task.name: TaskValidation(task.name, (f"all its graders are left out ({', '.join(left_out)})",))
        for task in solved
    }
    folder = None
    if provable:
        plan = make_validation_plan(replace(suite, tasks=tuple(provable)), stop)
        run_folder = create_run_folder(base / VALIDATIONS_NAME)
        folder = run_folder.path
        with prepared(plan, run_folder, redactor, listener, stop) as preparation:
            records = _run(preparation, parallel, redactor, listener, stop)
        stop.check()
        for task in provable:
            validations[task.name] = judge_validation(task, *(records[task.name, n] for n in (SOLVED, UNTOUCHED)))
    return Validation(tuple(validations.values()), unsolved, left_out, folder)


def _with_provable_graders(task: Task) -> Task:
    return replace(task, graders=tuple(spec for spec in task.graders if spec.type in GRADERS))


def _run(preparation: Preparation, parallel: int, redactor: Redactor, listener: RunListener, stop: Stop) -> _Records:
    records: _Records = {}
    specs = _specs(preparation)

    def finished(spec: TrialSpec, record: TrialRecord) -> bool:
        records[spec.task.name, spec.trial] = record
        return False

    def warn(text: str) -> None:
        listener.note(redactor.text(text))

    count = 2 * len(preparation.plan.tasks)
    with closing(ThreadPool(min(parallel, count), stop, warn)) as pool:
        run_attempts(pool, Attempts(count, lambda: next(specs, None), finished), listener, stop)
    return records


def _specs(preparation: Preparation) -> Iterator[TrialSpec]:
    for task_plan in preparation.plan.tasks:
        yield preparation.spec(task_plan, SOLVED, attempt=0)
        yield preparation.spec(task_plan, UNTOUCHED, attempt=0, act=False)

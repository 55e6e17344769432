"""What a run has done already, and whether it may go on: only where it would still run the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from skillgrade.engine.plan import Plan
from skillgrade.engine.reviewing import awaits_review
from skillgrade.errors import UsageError
from skillgrade.results.fingerprint import SKILLS, conditions_entry, read_fingerprint, task_entry, write_fingerprint
from skillgrade.results.fingerprint import differences as fingerprint_differences
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.results.run_info import TaskInfo
from skillgrade.suite.digest import conditions_digest, task_digest

_NAMED = 5
"""Differences that a refusal names one by one."""

_HAS_A_VERDICT = (Outcome.PASSED, Outcome.FAILED, Outcome.UNGRADED)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a journal holds of a run that goes on.

    Attributes:
        done: The trials that are not run again, as task and index.
        attempts: How many attempts the other recorded trials had.
        waiting: The trials that wait for a person's review, as their attempt that counts.
    """

    done: frozenset[tuple[str, int]] = frozenset()
    attempts: Mapping[tuple[str, int], int] = field(default_factory=dict)
    waiting: tuple[TrialRecord, ...] = ()


def save_fingerprint(folder: RunFolder, plan: Plan) -> None:
    """Keep what a run runs, so that it is only ever resumed with the same.

    Raises:
        StorageError: It could not be written.
    """
    write_fingerprint(folder, _fingerprint(plan))


def read_recorded(folder: RunFolder, plan: Plan, tasks: Sequence[TaskInfo]) -> Recorded:
    """Read what a run has done, after making sure that going on would run the same.

    Args:
        folder: The run's folder.
        plan: What would be run now.
        tasks: The same as the journal would have it.

    Raises:
        UsageError: Something is not as it was when the run began; the differences are named.
        UserError: The run cannot be read.
    """
    index = JournalIndex(folder.journal)
    differences = [
        *_planned_differences(index.tasks, tasks),
        *fingerprint_differences(read_fingerprint(folder), _fingerprint(plan)),
    ]
    if differences:
        more = len(differences) - _NAMED
        named = "; ".join([*differences[:_NAMED], *([f"and {more} more"] if more > 0 else [])])
        raise UsageError(
            f"{folder.path}: this run cannot go on, what it runs has changed: {named}: undo that, or start a new run"
        )
    done: set[tuple[str, int]] = set()
    attempts: dict[tuple[str, int], int] = {}
    waiting: list[TrialRecord] = []
    for task in index.tasks:
        for records in index.attempts(task.task):
            last = records[-1]
            if last.outcome in _HAS_A_VERDICT:
                done.add((last.task, last.trial))
                waiting += [last] if awaits_review(last) else []
            else:
                attempts[last.task, last.trial] = last.attempt + 1
    return Recorded(frozenset(done), attempts, tuple(waiting))


def _fingerprint(plan: Plan) -> dict[str, str]:
    """The suite's files, the skills, and each task with the flags laid over it."""
    root = plan.suite.root
    entries = {SKILLS: ", ".join(skill.name for skill in plan.suite.skills), **plan.suite.contents}
    for each in plan.tasks:
        entries[task_entry(each.task.name)] = task_digest(each.task, root)
        entries[conditions_entry(each.task.name)] = conditions_digest(each.task, root)
    return entries


def _planned_differences(before: Sequence[TaskInfo], now: Sequence[TaskInfo]) -> Iterator[str]:
    """Differences in what is planned; tasks that only one of them has are named by their digests."""
    earlier = {task.task: task for task in before}
    for task in now:
        if task.task not in earlier:
            continue
        for one in dataclasses.fields(TaskInfo):
            old, new = getattr(earlier[task.task], one.name), getattr(task, one.name)
            if old != new:
                yield f'task "{task.task}": {one.name} was {old} and is {new}'

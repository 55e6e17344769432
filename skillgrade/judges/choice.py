"""Which models a task asks: what its graders and its user name, over what the task says, over the default."""

from __future__ import annotations

from collections.abc import Iterable

from skillgrade.judges.base import Judge
from skillgrade.suite.model import GraderSpec, JudgeChoice, LlmRubricSpec, SimulatedUser, Task

DEFAULT_PROVIDER = "gemini"
"""Whose model judges where nothing says it."""

JUDGED_TYPES = ("llm_rubric", "judge")
"""The grader types that ask judges."""


def judges_of(spec: GraderSpec, task: Task) -> tuple[Judge, ...]:
    """The judges of a grader; empty for a type that asks none.

    The task's `grader_model` is a model of the task's `grader_provider`, so it counts for judges of that provider only.
    """
    if spec.type not in JUDGED_TYPES:
        return ()
    usual = task.grader_provider or DEFAULT_PROVIDER
    judges = []
    for choice in spec.judges or (JudgeChoice(),):
        provider = choice.provider or usual
        judges.append(Judge(provider, choice.model or (task.grader_model if provider == usual else None)))
    return tuple(dict.fromkeys(judges))


def user_model(user: SimulatedUser, task: Task) -> Judge:
    """The model that plays a user: the one that it names, else that of the task's judges."""
    usual = task.grader_provider or DEFAULT_PROVIDER
    provider = user.provider or usual
    return Judge(provider, user.model or (task.grader_model if provider == usual else None))


def judges_in(tasks: Iterable[Task]) -> frozenset[Judge]:
    """Everybody who is asked by the graders of some tasks."""
    return frozenset(judge for task in tasks for spec in task.graders for judge in judges_of(spec, task))


def optional_judges_in(tasks: Iterable[Task]) -> frozenset[Judge]:
    """Those without whom the graders of some tasks go on: nobody asks them but graders that may be skipped."""
    tasks = tuple(tasks)
    needed = {
        judge
        for task in tasks
        for spec in task.graders
        if not (isinstance(spec, LlmRubricSpec) and spec.is_optional)
        for judge in judges_of(spec, task)
    }
    users = {user_model(task.user, task) for task in tasks if task.user is not None}
    return judges_in(tasks) - needed - users


def models_in(tasks: Iterable[Task]) -> frozenset[Judge]:
    """Everybody who is asked when some tasks are run: by their graders, and to play their users."""
    tasks = tuple(tasks)
    return judges_in(tasks) | {user_model(task.user, task) for task in tasks if task.user is not None}

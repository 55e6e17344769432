"""Who judges for a grader: what the grader names, over what the task says, over the default."""

from __future__ import annotations

from skillgrade.judges.base import Judge
from skillgrade.suite.model import GraderSpec, JudgeChoice, Task

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

"""The two arms of a run with a baseline: the tasks with the skill, and the same without."""

from __future__ import annotations

from dataclasses import replace

from skillgrade.engine.plan import Plan
from skillgrade.errors import UsageError
from skillgrade.results.records import Arm
from skillgrade.suite.selection import without_skills


def with_baseline(plan: Plan) -> tuple[Plan, Plan]:
    """A plan, and the same without the skill: the same agents in the same places, on the same tasks.

    Returns:
        The two arms, that with the skill first. What the user should know of both is said in it alone.

    Raises:
        UsageError: There is no skill, or a task only asks whether it was used.
    """
    if not plan.suite.skills:
        raise UsageError(
            "--baseline compares a run with the skill and one without, and there is no skill: put eval.yaml beside "
            "its SKILL.md, or name its folder with `skill`"
        )
    bare = without_skills(plan.suite, "--baseline, without the skill")
    tasks = tuple(replace(each, task=task) for each, task in zip(plan.tasks, bare.tasks, strict=True))
    news = bare.warnings[len(plan.suite.warnings) :]
    without = replace(plan, suite=replace(bare, warnings=news), tasks=tasks, notes=(), arm=Arm.WITHOUT)
    return replace(plan, arm=Arm.WITH), without

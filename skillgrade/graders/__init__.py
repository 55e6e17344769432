"""Who scores: one module per grader type, and the dicts that name them."""

from __future__ import annotations

from skillgrade.graders.assertions import AssertionsGrader
from skillgrade.graders.base import Grader, RecordGrader, WorkspaceGrader
from skillgrade.graders.deterministic import DeterministicGrader
from skillgrade.graders.human import HumanGrader
from skillgrade.graders.judge import JudgeGrader
from skillgrade.graders.llm_rubric import LlmRubricGrader

WORKSPACE_GRADERS: dict[str, WorkspaceGrader] = {
    "deterministic": DeterministicGrader(),
}
"""The grader types that run in the trial's workspace, by name."""

RECORD_GRADERS: dict[str, RecordGrader] = {
    "llm_rubric": LlmRubricGrader(),
    "judge": JudgeGrader(),
    "human": HumanGrader(),
    "assertions": AssertionsGrader(),
}
"""The grader types that work on what was kept of a trial, by name."""

GRADERS: dict[str, Grader] = {**WORKSPACE_GRADERS, **RECORD_GRADERS}
"""Every grader type that this version can run, by name."""

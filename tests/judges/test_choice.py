from __future__ import annotations

from typing import Any

import pytest

from skillgrade.judges.base import Judge
from skillgrade.judges.choice import judges_of
from skillgrade.suite.model import GraderSpec, JudgeChoice, LlmRubricSpec
from tests.support.tasks import grader, make_task


def named(*choices: JudgeChoice) -> GraderSpec:
    return LlmRubricSpec("llm_rubric", 0, judges=choices)


@pytest.mark.parametrize(
    ("choices", "task", "judges"),
    [
        ((), {}, (Judge("gemini"),)),
        ((), {"grader_model": "flash"}, (Judge("gemini", "flash"),)),
        ((), {"grader_provider": "openai", "grader_model": "mini"}, (Judge("openai", "mini"),)),
        ((JudgeChoice("openai"),), {"grader_model": "flash"}, (Judge("openai"),)),
        ((JudgeChoice("gemini"),), {"grader_model": "flash"}, (Judge("gemini", "flash"),)),
        ((JudgeChoice(model="big"),), {"grader_provider": "anthropic"}, (Judge("anthropic", "big"),)),
        (
            (JudgeChoice("gemini"), JudgeChoice("openai", "mini")),
            {"grader_provider": "openai", "grader_model": "x"},
            (Judge("gemini"), Judge("openai", "mini")),
        ),
        (
            (JudgeChoice("gemini"), JudgeChoice("gemini", "flash")),
            {"grader_model": "flash"},
            (Judge("gemini", "flash"),),
        ),
    ],
)
def test_a_grader_s_own_word_wins_over_the_task_s_and_that_over_the_default(
    choices: tuple[JudgeChoice, ...], task: dict[str, Any], judges: tuple[Judge, ...]
) -> None:
    assert judges_of(named(*choices), make_task(**task)) == judges


def test_graders_that_ask_no_judge_have_none() -> None:
    assert judges_of(grader(), make_task(grader_provider="openai")) == ()


def test_a_grader_of_criteria_asks_judges_too() -> None:
    assert judges_of(GraderSpec("judge", 0), make_task()) == (Judge("gemini"),)

from __future__ import annotations

import pytest

from skillgrade.agents import AGENTS
from skillgrade.engine.variables import agent_variables, grader_variables, judge_key_names
from skillgrade.suite.model import GraderSpec, JudgeChoice
from tests.support.tasks import grader, make_task

COMMAND = AGENTS["command"]
SHELL = {
    "PATH": "/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "HTTPS_PROXY": "http://proxy:1",
    "ANTHROPIC_API_KEY": "shell-key",
    "AWS_SECRET_ACCESS_KEY": "nobody-asked",
    "MY_SETTING": "mine",
}


def judged(*judges: JudgeChoice) -> GraderSpec:
    return GraderSpec("llm_rubric", 1, judges=judges)


def test_the_agent_gets_the_basics_and_nothing_that_nobody_named() -> None:
    assert agent_variables(make_task(), COMMAND, {}, SHELL, frozenset()) == {
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "HTTPS_PROXY": "http://proxy:1",
    }


def test_env_names_and_values_reach_the_agent_and_the_file_wins() -> None:
    task = make_task(env_names=("MY_SETTING", "ABSENT"), env_values={"TZ": "Asia/Tokyo"})
    environment = agent_variables(task, COMMAND, {}, SHELL, frozenset())
    assert environment["MY_SETTING"] == "mine"
    assert environment["TZ"] == "Asia/Tokyo"
    assert "ABSENT" not in environment


def test_a_command_agent_gets_env_file_variables_and_the_shell_wins() -> None:
    environment = agent_variables(make_task(), COMMAND, {"TOKEN": "t0ken", "TZ": "Europe/Rome"}, SHELL, frozenset())
    assert environment["TOKEN"] == "t0ken"
    assert environment["TZ"] == "UTC"


def test_path_and_home_are_the_workspace_s_own() -> None:
    environment = agent_variables(make_task(env_names=("PATH",)), COMMAND, {"HOME": "/evil"}, SHELL, frozenset())
    assert not {"PATH", "HOME"} & environment.keys()


@pytest.mark.parametrize(
    ("spec", "keys"),
    [
        (judged(), {"GEMINI_API_KEY", "GOOGLE_API_KEY"}),
        (judged(JudgeChoice("openai")), {"OPENAI_API_KEY"}),
        (
            judged(JudgeChoice("gemini"), JudgeChoice("openai")),
            {"GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"},
        ),
        (grader(), set()),
    ],
)
def test_the_keys_of_a_run_s_judges_are_known(spec: GraderSpec, keys: set[str]) -> None:
    assert judge_key_names([make_task(graders=(grader(), spec)), make_task("other")]) == keys


def test_the_task_s_judge_provider_counts_where_a_grader_names_none() -> None:
    task = make_task(graders=(judged(),), grader_provider="anthropic")
    assert judge_key_names([task]) == {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}


def test_what_is_withheld_reaches_the_agent_only_where_env_names_it() -> None:
    env_file = {"GEMINI_API_KEY": "g", "OTHER": "x"}
    withheld = frozenset({"GEMINI_API_KEY"})
    assert agent_variables(make_task(), COMMAND, env_file, {}, withheld) == {"OTHER": "x"}
    named = make_task(env_names=("GEMINI_API_KEY",))
    assert agent_variables(named, COMMAND, env_file, {}, withheld) == env_file


def test_graders_get_the_env_file_and_the_api_keys() -> None:
    environment = grader_variables(make_task(), {"TOKEN": "t"}, SHELL)
    assert environment == {
        "TZ": "UTC",
        "HTTPS_PROXY": "http://proxy:1",
        "ANTHROPIC_API_KEY": "shell-key",
        "TOKEN": "t",
    }

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.agents import AGENTS
from skillgrade.engine.environment import (
    agent_environment,
    effective_variables,
    grader_environment,
    read_env_file,
    withheld_names,
)
from skillgrade.errors import UsageError
from skillgrade.suite.model import GraderSpec
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


def judged(**config: object) -> GraderSpec:
    return GraderSpec("llm_rubric", 1, config=config)


def test_the_agent_gets_the_basics_and_nothing_that_nobody_named() -> None:
    assert agent_environment(make_task(), COMMAND, {}, SHELL) == {
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "HTTPS_PROXY": "http://proxy:1",
    }


def test_env_names_and_values_reach_the_agent_and_the_file_wins() -> None:
    task = make_task(env_names=("MY_SETTING", "ABSENT"), env_values={"TZ": "Asia/Tokyo"})
    environment = agent_environment(task, COMMAND, {}, SHELL)
    assert environment["MY_SETTING"] == "mine"
    assert environment["TZ"] == "Asia/Tokyo"
    assert "ABSENT" not in environment


def test_a_command_agent_gets_env_file_variables_and_the_shell_wins() -> None:
    environment = agent_environment(make_task(), COMMAND, {"TOKEN": "t0ken", "TZ": "Europe/Rome"}, SHELL)
    assert environment["TOKEN"] == "t0ken"
    assert environment["TZ"] == "UTC"


def test_path_and_home_are_the_workspace_s_own() -> None:
    environment = agent_environment(make_task(env_names=("PATH",)), COMMAND, {"HOME": "/evil"}, SHELL)
    assert not {"PATH", "HOME"} & environment.keys()


@pytest.mark.parametrize(
    ("spec", "withheld"),
    [
        (judged(), ("GEMINI_API_KEY",)),
        (judged(provider="openai"), ("OPENAI_API_KEY",)),
        (judged(judges=[{"provider": "gemini"}, {"provider": "openai"}]), ("GEMINI_API_KEY", "OPENAI_API_KEY")),
    ],
)
def test_keys_that_judges_use_are_withheld_unless_env_names_them(spec: GraderSpec, withheld: tuple[str, ...]) -> None:
    env_file = {"GEMINI_API_KEY": "g", "OPENAI_API_KEY": "o", "OTHER": "x"}
    task = make_task(graders=(grader(), spec))
    assert withheld_names(task, env_file) == withheld
    assert set(agent_environment(task, COMMAND, env_file, {})) == env_file.keys() - set(withheld)
    named = make_task(graders=(grader(), spec), env_names=withheld)
    assert set(agent_environment(named, COMMAND, env_file, {})) == env_file.keys()


def test_the_task_s_judge_provider_counts_where_a_grader_names_none() -> None:
    task = make_task(graders=(judged(),), grader_provider="anthropic")
    assert withheld_names(task, {"ANTHROPIC_API_KEY": "a", "GEMINI_API_KEY": "g"}) == ("ANTHROPIC_API_KEY",)


def test_graders_get_the_env_file_and_the_api_keys() -> None:
    environment = grader_environment(make_task(), {"TOKEN": "t"}, SHELL)
    assert environment == {
        "TZ": "UTC",
        "HTTPS_PROXY": "http://proxy:1",
        "ANTHROPIC_API_KEY": "shell-key",
        "TOKEN": "t",
    }


@pytest.mark.parametrize(
    ("env_file", "environ", "kept"),
    [
        ({"OPENAI_BASE_URL": "http://evil"}, {"OPENAI_API_KEY": "shell"}, None),
        ({"OPENAI_BASE_URL": "http://evil", "OPENAI_API_KEY": "file"}, {"OPENAI_API_KEY": "shell"}, None),
        ({"OPENAI_BASE_URL": "http://mine", "OPENAI_API_KEY": "file"}, {}, "http://mine"),
        ({"OPENAI_BASE_URL": "http://evil"}, {"OPENAI_BASE_URL": "http://shell"}, "http://shell"),
        ({"OPENAI_BASE_URL": "http://evil"}, {}, None),
    ],
)
def test_a_base_url_of_the_env_file_goes_only_with_its_key(
    env_file: dict[str, str], environ: dict[str, str], kept: str | None
) -> None:
    assert effective_variables(env_file, environ).get("OPENAI_BASE_URL") == kept


def test_a_gemini_url_of_the_env_file_never_meets_the_shell_s_other_key() -> None:
    env_file = {"GOOGLE_GEMINI_BASE_URL": "http://evil", "GEMINI_API_KEY": "file"}
    assert "GOOGLE_GEMINI_BASE_URL" not in effective_variables(env_file, {"GOOGLE_API_KEY": "shell"})


def test_the_env_file_is_read_without_expanding_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "shell-key")
    (tmp_path / ".env").write_text("\ufeff# comment\nexport A='quoted value'\nB=${ANTHROPIC_API_KEY}\nC\n")
    assert read_env_file(tmp_path) == {"A": "quoted value", "B": "${ANTHROPIC_API_KEY}"}


def test_no_env_file_is_no_variables(tmp_path: Path) -> None:
    assert read_env_file(tmp_path) == {}


def test_an_env_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=\xff\xfe\n")
    with pytest.raises(UsageError, match=r"\.env: cannot be read as UTF-8"):
        read_env_file(tmp_path)

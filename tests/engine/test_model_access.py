"""Which model an agent without a network reaches, and when a task is refused for want of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillgrade.agents import AGENTS
from skillgrade.engine.model_access import model_behind_gateway
from skillgrade.engine.plan import make_plan
from skillgrade.errors import UsageError
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, Task
from skillgrade.workspace.gateway.address import ModelAddress
from tests.support.tasks import make_suite, make_task


def without_network(name: str, **spec: Any) -> Task:
    return make_task(agent=AgentSpec(name, **spec), network="none", provider="bubblewrap")


def reached(task: Task, **env: str) -> ModelAddress | None:
    return model_behind_gateway(task, AGENTS[str(task.agent.name)], "bubblewrap", env)


@pytest.mark.parametrize(
    ("task", "env", "authority"),
    [
        (without_network("claude"), {"ANTHROPIC_API_KEY": "k"}, "api.anthropic.com:443"),
        (without_network("claude"), {"CLAUDE_CODE_OAUTH_TOKEN": "t"}, "api.anthropic.com:443"),
        (without_network("codex"), {"OPENAI_API_KEY": "k"}, "api.openai.com:443"),
        (without_network("gemini"), {"GOOGLE_API_KEY": "k"}, "generativelanguage.googleapis.com:443"),
        (without_network("claude"), {"ANTHROPIC_BASE_URL": "http://box:8000/x"}, "box:8000"),
        (without_network("opencode", model="google/gemini"), {"GOOGLE_GEMINI_BASE_URL": "https://box"}, "box:443"),
        (without_network("acp", acp_command="x"), {"OPENAI_API_KEY": "k"}, "api.openai.com:443"),
        (
            without_network("acp", acp_command="x", acp_env={"GEMINI_API_KEY": "k"}),
            {},
            "generativelanguage.googleapis.com:443",
        ),
    ],
)
def test_it_is_where_the_key_or_the_address_says(task: Task, env: dict[str, str], authority: str) -> None:
    address = reached(task, **env)
    assert address is not None
    assert address.authority == authority


@pytest.mark.parametrize(
    ("task", "env"),
    [
        (without_network("claude", home="user"), {}),
        (without_network("claude"), {"CLAUDE_CODE_USE_BEDROCK": "1", "ANTHROPIC_API_KEY": "k"}),
        (without_network("claude"), {"ANTHROPIC_BASE_URL": "no address"}),
        (without_network("opencode", model="groq/llama"), {"GROQ_API_KEY": "k"}),
        (without_network("acp", acp_command="x"), {}),
        (without_network("acp", acp_command="x"), {"OPENAI_API_KEY": "k", "GEMINI_API_KEY": "k"}),
        (without_network("acp", acp_command="x", acp_env={"OPENAI_BASE_URL": "http://box"}), {}),
    ],
)
def test_where_nothing_says_it_the_task_is_refused(task: Task, env: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=r"leaves the agent .* only its model, and nothing says where that is"):
        reached(task, **env)


def test_others_need_no_way_to_a_model() -> None:
    assert reached(without_network("command", command="cat")) is None
    assert reached(make_task(agent=AgentSpec("claude"))) is None
    assert model_behind_gateway(without_network("claude"), AGENTS["claude"], "local", {}) is None


@pytest.mark.bubblewrap
def test_a_plan_says_what_is_reached_or_names_the_task_that_reaches_nothing(tmp_path: Path) -> None:
    plan = make_plan(make_suite(tmp_path, without_network("claude")), {}, {"ANTHROPIC_API_KEY": "k"}, Stop())
    assert plan.tasks[0].model == ModelAddress("api.anthropic.com", 443, is_tls=True)
    assert "network: none: the agent claude reaches api.anthropic.com:443 and nothing else" in plan.notes
    with pytest.raises(UsageError, match=r'^/eval/eval\.yaml:1: task "task": `network: none` leaves'):
        make_plan(make_suite(tmp_path, without_network("claude", home="user")), {}, {}, Stop())

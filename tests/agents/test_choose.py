from __future__ import annotations

import pytest

from skillgrade.agents.choose import choose_agent
from skillgrade.errors import UsageError
from skillgrade.suite.model import AgentSpec

AGENTS_BY_KEY = {
    "GEMINI_API_KEY": "gemini",
    "GOOGLE_API_KEY": "gemini",
    "ANTHROPIC_API_KEY": "claude",
    "OPENAI_API_KEY": "codex",
}
KEYS = dict.fromkeys(AGENTS_BY_KEY, "key")


def test_what_the_file_says_wins_over_every_key() -> None:
    assert choose_agent(AgentSpec("command"), KEYS).name == "command"


def test_a_command_alone_means_the_command_agent() -> None:
    assert choose_agent(AgentSpec(command="true"), KEYS).name == "command"


@pytest.mark.parametrize("key", KEYS)
def test_an_empty_key_is_no_key(key: str) -> None:
    with pytest.raises(UsageError, match="no API key is set"):
        choose_agent(AgentSpec(), {key: ""})


@pytest.mark.parametrize(("key", "agent"), AGENTS_BY_KEY.items())
def test_the_only_key_chooses_its_agent(key: str, agent: str) -> None:
    assert choose_agent(AgentSpec(), {key: "k"}).name == agent


def test_two_keys_of_one_provider_are_one_agent_and_keys_of_two_are_none() -> None:
    assert choose_agent(AgentSpec(), {"GEMINI_API_KEY": "a", "GOOGLE_API_KEY": "b"}).name == "gemini"
    with pytest.raises(UsageError, match="GEMINI_API_KEY and OPENAI_API_KEY are all set"):
        choose_agent(AgentSpec(), {"GEMINI_API_KEY": "a", "OPENAI_API_KEY": "b"})


def test_an_agent_that_this_version_lacks_is_refused() -> None:
    with pytest.raises(UsageError, match='the agent "clod" is not part of this version: it runs claude, codex'):
        choose_agent(AgentSpec("clod"), {})

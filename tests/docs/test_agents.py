"""docs/agents.md: its table has every agent and the versions and variables of the code, its examples load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skillgrade.agents import AGENTS, claude
from skillgrade.agents.npm_agent import NpmAgent
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import AgentSpec
from tests.support.pages import REPOSITORY, yaml_blocks
from tests.support.suites import write

FILE = REPOSITORY / "docs" / "agents.md"
PAGE = FILE.read_text("utf-8")
EXAMPLES = yaml_blocks(FILE)
NPM = {name: agent for name, agent in AGENTS.items() if isinstance(agent, NpmAgent)}


def rows(name: str) -> list[str]:
    return re.findall(rf"^\| `{name}` \| .*$", PAGE, re.MULTILINE)


def test_every_agent_is_in_the_table() -> None:
    for name in AGENTS.keys() - {"solution"}:
        assert rows(name), name


@pytest.mark.parametrize("name", NPM)
def test_packages_versions_and_variables_are_those_of_the_code(name: str) -> None:
    first, second = rows(name)
    assert f"npm `{NPM[name].package}` | {NPM[name].tested_version} |" in first
    if name != "opencode":
        for variable in NPM[name].key_names(AgentSpec(name)):
            assert f"`{variable}`" in second


def test_the_switch_of_another_service_is_one_of_the_code() -> None:
    named = re.findall(r"`(CLAUDE_CODE_USE_\w+)`", PAGE)
    assert named
    access = claude.ClaudeAgent().access(AgentSpec("claude"))
    assert set(named) <= set(access.logins)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_every_example_loads_without_a_warning(tmp_path: Path, example: str) -> None:
    assert load_suite(write(tmp_path, {"eval.yaml": example})).warnings == ()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 3

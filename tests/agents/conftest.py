from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec
from skillgrade.workspace import PROVIDERS
from skillgrade.workspace.base import EnvironmentSpec, WorkspaceSpec
from tests.support.agent_clis import Stage, make_skill, need, search_path
from tests.support.agent_server import AgentServer


@pytest.fixture(params=["claude", "codex", "gemini", "opencode"])
def agent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an agent that is installed, and on the PATH."""
    name: str = request.param
    need(name)
    monkeypatch.setenv("PATH", search_path())
    return name


@pytest.fixture(params=["local", pytest.param("bubblewrap", marks=pytest.mark.bubblewrap)])
def provider(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def stage(agent: str, provider: str, tmp_path: Path) -> Iterator[Stage]:
    """An agent with a skill in a workspace, and the server that it asks."""
    skill = make_skill(tmp_path / "skill")
    output = tmp_path / "output"
    output.mkdir()
    made = PROVIDERS[provider]()
    run = f"test-{uuid.uuid4().hex[:12]}"
    with AgentServer() as server:
        try:
            prepared = made.prepare(EnvironmentSpec(DockerSpec()), run, Stop())
            workspace = made.open(WorkspaceSpec(run, "agents 0.0", prepared, skills=(skill,)), Stop())
            yield Stage(agent, server, workspace, output)
            workspace.close()
        finally:
            made.end_run(run)

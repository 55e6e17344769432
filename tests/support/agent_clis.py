"""The real command-line tools of agents, and turns with them in real workspaces.

They are looked for on the PATH, after the npm prefix that SKILLGRADE_AGENT_CLIS names. To fill one::

    npm install --global --prefix DIR @anthropic-ai/claude-code@2.1.197 ...
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from skillgrade.agents import AGENTS
from skillgrade.agents.base import AgentTurn
from skillgrade.capture import OutputSink
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec
from skillgrade.transcript.conversion import convert
from skillgrade.workspace.base import CommandResult, SkillSnapshot, Workspace
from tests.support.agent_server import AgentServer
from tests.support.tasks import make_task

FOLDER = "SKILLGRADE_AGENT_CLIS"
REQUIRED = "SKILLGRADE_REQUIRE_AGENTS"

MODELS = {
    "claude": "claude-haiku-4-5",
    "codex": "test-model",  # a name that it knows would bring tools of its own kind
    "gemini": "gemini-2.5-flash",
    "opencode": "anthropic/claude-haiku-4-5",
}
PROVIDERS = {"claude": "anthropic", "codex": "openai", "gemini": "gemini", "opencode": "anthropic"}


def search_path() -> str:
    """The PATH on which tests look for agents."""
    folder = os.environ.get(FOLDER)
    bins = [str(Path(folder, "bin"))] if folder else []
    return os.pathsep.join([*bins, os.environ.get("PATH", os.defpath)])


def need(name: str) -> None:
    """Skip a test whose agent is not installed, or fail it where agents are required."""
    if shutil.which(name, path=search_path()) is not None:
        return
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(f"agents are required here, but {name} is not installed", pytrace=False)
    pytest.skip(f"{name} is not installed")


@dataclass(frozen=True)
class Acted:
    """A turn that ended: how, what it printed, and why it says nothing about the task, if so."""

    result: CommandResult
    out: str
    err: str
    failure: str | None


@dataclass
class Stage:
    """One agent, one server that answers it, one workspace."""

    name: str
    server: AgentServer
    workspace: Workspace
    folder: Path
    turns: int = 0

    def variables(self, key: str | None = "sk-planted-0123456789abcdef") -> dict[str, str]:
        """What the agent gets of the environment."""
        return self.server.variables(PROVIDERS[self.name], key)

    def act(
        self,
        instruction: str = "do it",
        timeout: float = 60,
        env: Mapping[str, str] | None = None,
        stop: Stop | None = None,
        **spec: Any,
    ) -> Acted:
        """Let the agent take its next turn."""
        output = self.folder / f"{self.turns}.out"
        turn = AgentTurn(
            instruction=instruction,
            env=self.variables() if env is None else env,
            timeout=timeout,
            stdout=OutputSink(output),
            stderr=OutputSink(output.with_suffix(".err")),
            number=self.turns,
        )
        self.turns += 1
        agent = replace(AgentSpec(name=self.name, model=MODELS[self.name]), **spec)
        adapter = AGENTS[self.name]
        result = adapter.act(make_task(agent=agent), turn, self.workspace, stop or Stop())
        summary = convert(result.stdout, adapter.output_format(agent), output.with_suffix(".jsonl"))
        return Acted(result, result.stdout.text(), result.stderr.text(), adapter.failure(result, summary))


def make_skill(folder: Path, name: str = "greeting") -> SkillSnapshot:
    """A small skill."""
    folder.mkdir(parents=True)
    text = f"---\nname: {name}\ndescription: How to greet people properly.\n---\nAlways say MARZIPAN first.\n"
    (folder / "SKILL.md").write_text(text)
    return SkillSnapshot(name, folder, "sha256:0", len(text))

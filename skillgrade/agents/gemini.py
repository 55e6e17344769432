"""The `gemini` agent: Gemini CLI."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from skillgrade.agents.base import AgentTurn
from skillgrade.agents.npm_agent import NO_KEY, Access, Invocation, NpmAgent
from skillgrade.errors import AgentError
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, Task
from skillgrade.workspace.base import CommandResult, Workspace

_ACCESS = Access.of("gemini", logins=("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"))
_START = Path(__file__).with_name("gemini.sh")
_ATTEMPTS = 2
"""How often it asks its model before it gives up; its own default goes on for minutes."""

_NOT_FOUND = 127


class GeminiAgent(NpmAgent):
    """Runs `gemini` with every tool allowed."""

    name = "gemini"
    package = "@google/gemini-cli"
    tested_version = "0.61.0"
    stream_format = "gemini-stream-json"

    def access(self, spec: AgentSpec) -> Access:
        """A Gemini key; see `NpmAgent.access`."""
        return _ACCESS

    def invocation(self, task: Task, env: Mapping[str, str], number: int) -> Invocation:
        """See `NpmAgent.invocation`."""
        # Any other approval mode hides tools, the one for skills among them.
        argv = ["gemini", "--approval-mode", "yolo", "--skip-trust", "--output-format", "stream-json"]
        if task.agent.model:
            argv += ["--model", task.agent.model]
        if number:
            argv += ["--resume", "latest"]
        settings: dict[str, object] = {
            "general": {"enableAutoUpdate": False, "maxAttempts": _ATTEMPTS},
            "privacy": {"usageStatisticsEnabled": False},
        }
        own = {}
        if any(name in env for name in (*_ACCESS.keys, _ACCESS.url)):
            # With an address and no such setting it looks for a login that only a browser could give.
            settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
            own = {"GEMINI_API_KEY": _ACCESS.key(env) or NO_KEY}
        start = _START.read_text(encoding="utf-8")
        return Invocation(["bash", "-c", start, argv[0], json.dumps(settings), *argv[1:]], own)

    def command_line(self, task: Task, env: Mapping[str, str]) -> tuple[str, ...]:
        """Without the script that writes its settings; see `Agent.command_line`."""
        _bash, _option, _script, name, _settings, *arguments = super().command_line(task, env)
        return (name, *arguments)

    def act(self, task: Task, turn: AgentTurn, workspace: Workspace, stop: Stop) -> CommandResult:
        """Run it; see `Agent.act`."""
        result = super().act(task, turn, workspace, stop)
        if result.exit_code == _NOT_FOUND:  # of the shell that starts it: it has no such code itself
            raise AgentError(self.missing())
        return result

"""The `codex` agent: OpenAI's Codex CLI."""

from __future__ import annotations

import json
from collections.abc import Mapping

from skillgrade.agents.npm_agent import NO_KEY, Access, Invocation, NpmAgent, versioned
from skillgrade.suite.model import AgentSpec, Task

_ACCESS = Access.of("openai")
[_KEY] = _ACCESS.keys
_PROVIDER = "skillgrade"
_RETRIES = 2
"""Its own default goes on for half a minute."""


class CodexAgent(NpmAgent):
    """Runs `codex exec`."""

    name = "codex"
    package = "@openai/codex"
    tested_version = "0.171.0"
    stream_format = "codex-jsonl"

    def access(self, spec: AgentSpec) -> Access:
        """An OpenAI key; see `NpmAgent.access`."""
        return _ACCESS

    def invocation(self, task: Task, env: Mapping[str, str], number: int) -> Invocation:
        """See `NpmAgent.invocation`."""
        # Its own sandbox cannot be made in a container, where commands would fail while it ends as if all were well.
        argv = ["codex", "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        if task.agent.model:
            argv += ["--model", task.agent.model]
        own = {}
        if any(name in env for name in (_KEY, _ACCESS.url)):
            argv += _provider(env.get(_ACCESS.url, _ACCESS.own_url))
            own = {_KEY: env.get(_KEY, NO_KEY)}
        if number:
            argv += ["resume", "--last"]
        return Invocation([*argv, "-"], own)


def _provider(url: str) -> list[str]:
    """The options that define where the model is: it takes neither address nor key from the environment by itself."""
    settings = {
        "name": _PROVIDER,
        "base_url": versioned(url, "v1"),
        "env_key": _KEY,
        "wire_api": "responses",
        "request_max_retries": _RETRIES,
        "stream_max_retries": _RETRIES,
    }
    # TOML: an inline table of strings and numbers, whose basic strings escape as JSON's do.
    table = ",".join(f"{name}={json.dumps(value)}" for name, value in settings.items())
    return ["-c", f'model_provider="{_PROVIDER}"', "-c", f"model_providers.{_PROVIDER}={{{table}}}"]

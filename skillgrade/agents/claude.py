"""The `claude` agent: Claude Code."""

from __future__ import annotations

from collections.abc import Mapping

from skillgrade.agents.npm_agent import NO_KEY, Access, Invocation, NpmAgent
from skillgrade.suite.model import AgentSpec, Task

_ACCESS = Access.of(
    "anthropic",
    ("CLAUDE_CODE_OAUTH_TOKEN",),
    ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"),
)
_ENV = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # Its own default goes on for minutes after an error that no retry mends.
    "CLAUDE_CODE_MAX_RETRIES": "2",
    # Without it, it refuses to skip permissions as root.
    "IS_SANDBOX": "1",
}


class ClaudeAgent(NpmAgent):
    """Runs `claude --print`."""

    name = "claude"
    package = "@anthropic-ai/claude-code"
    tested_version = "2.1.197"
    stream_format = "claude-stream-json"

    def access(self, spec: AgentSpec) -> Access:
        """An Anthropic key or a token of a subscription; see `NpmAgent.access`."""
        return _ACCESS

    def invocation(self, task: Task, env: Mapping[str, str], number: int) -> Invocation:
        """See `NpmAgent.invocation`."""
        argv = ["claude", "--print", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"]
        if task.agent.model:
            argv += ["--model", task.agent.model]
        if number:
            argv.append("--continue")
        needs_no_key = _ACCESS.url in env and _ACCESS.key(env) is None
        return Invocation(argv, {**_ENV, **({"ANTHROPIC_AUTH_TOKEN": NO_KEY} if needs_no_key else {})})

"""Which agent works on a task."""

from __future__ import annotations

from collections.abc import Mapping

from skillgrade.agents import AGENTS
from skillgrade.agents.base import Agent
from skillgrade.errors import UsageError
from skillgrade.models.keys import KEY_NAMES
from skillgrade.suite.model import AgentSpec

_AGENT_BY_PROVIDER = {"gemini": "gemini", "anthropic": "claude", "openai": "codex"}
"""Which agent an API key of a provider stands for when nothing else says who works."""


def choose_agent(spec: AgentSpec, environ: Mapping[str, str]) -> Agent:
    """The agent that a spec means.

    What the file or a flag says wins. Where nothing is said, a `command` means the `command` agent; else the one agent
    whose API key is set.

    Args:
        spec: The task's agent.
        environ: Where API keys are looked for.

    Raises:
        UsageError: Nothing says which agent, several keys do, or this version has no such agent.
    """
    name = spec.name or ("command" if spec.command else _by_key(environ))
    if agent := AGENTS.get(name):
        return agent
    raise UsageError(
        f'the agent "{name}" is not part of this version: it runs {", ".join(_runnable())} '
        '(such as --agent=command --command="node mycli.js")'
    )


def _runnable() -> list[str]:
    return [name for name in AGENTS if name != "solution"]


def _by_key(environ: Mapping[str, str]) -> str:
    found = {provider: name for provider in _AGENT_BY_PROVIDER for name in KEY_NAMES[provider] if environ.get(name)}
    if len(found) == 1:
        return _AGENT_BY_PROVIDER[next(iter(found))]
    reason = f"{' and '.join(found.values())} are all set" if found else "no API key is set that would"
    raise UsageError(f"nothing says which agent works: {reason}; set `agent:` in the file or pass --agent=NAME")

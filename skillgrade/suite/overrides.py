"""What flags set for all tasks; a flag wins over the file."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from skillgrade.suite.model import AgentSpec, Suite, Task


@dataclass(frozen=True, slots=True)
class Overrides:
    """Values of flags; None leaves what the file says.

    Attributes:
        agent: --agent.
        model: --model.
        provider: --provider.
        command: --command.
        acp_command: --acp-command.
        opencode_agent: --opencode-agent.
        opencode_model: --opencode-model.
        trials: --trials, or the number behind --smoke, --reliable or --regression.
        threshold: --threshold.
        retries: --retries.
        grader_provider: The provider of --judge; graders then ask it alone, whatever they say.
        grader_model: The model of --judge; without one, the provider's default.
    """

    agent: str | None = None
    model: str | None = None
    provider: str | None = None
    command: str | None = None
    acp_command: str | None = None
    opencode_agent: str | None = None
    opencode_model: str | None = None
    trials: int | None = None
    threshold: float | None = None
    retries: int | None = None
    grader_provider: str | None = None
    grader_model: str | None = None


def apply_overrides(suite: Suite, overrides: Overrides) -> Suite:
    """The suite with the flags laid over every task; its digest stays the one of the file."""
    if overrides == Overrides():
        return suite
    return dataclasses.replace(suite, tasks=tuple(_task(task, overrides) for task in suite.tasks))


def _task(task: Task, overrides: Overrides) -> Task:
    changes = _given(overrides, "provider", "trials", "threshold", "retries")
    if overrides.grader_provider is not None:
        changes |= {"grader_provider": overrides.grader_provider, "grader_model": overrides.grader_model}
        changes["graders"] = tuple(dataclasses.replace(grader, judges=()) for grader in task.graders)
    return dataclasses.replace(task, agent=_agent(task.agent, overrides), **changes)


def _agent(agent: AgentSpec, overrides: Overrides) -> AgentSpec:
    changes = _given(overrides, "model", "command", "acp_command", "opencode_agent", "opencode_model")
    if overrides.agent is not None:
        changes["name"] = overrides.agent
    return dataclasses.replace(agent, **changes)


def _given(overrides: Overrides, *names: str) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(overrides, name)) is not None}

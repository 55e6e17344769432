"""Which model an agent without a network still reaches."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from skillgrade.agents.base import Agent
from skillgrade.errors import UsageError
from skillgrade.suite.model import Task
from skillgrade.workspace import provider_named
from skillgrade.workspace.base import Isolation
from skillgrade.workspace.gateway.address import ModelAddress


def model_behind_gateway(task: Task, agent: Agent, provider: str, env: Mapping[str, str]) -> ModelAddress | None:
    """Where a gateway must lead for an agent to work on a task; None where it needs none.

    Args:
        task: The task.
        agent: The agent.
        provider: Where it works; a key of `skillgrade.workspace.PROVIDERS`.
        env: The variables that it gets.

    Raises:
        UsageError: It would have no way to its model.
    """
    isolation = provider_named(provider).isolation
    if task.network != "none" or not agent.is_llm or isolation is Isolation.NONE:
        return None
    if isolation is Isolation.CONTAINER and not _shares_sockets():
        raise UsageError(
            "`network: none` needs a socket that the containers share with skillgrade: use a Docker engine of this "
            "machine, on Linux, or --provider=bubblewrap"
        )
    url = agent.model_url(task, env)
    address = None if url is None else ModelAddress.of_url(url)
    if address is None:
        raise UsageError(
            f'`network: none` leaves the agent "{agent.name}" only its model, and nothing says where that is: give it '
            "the key or the address of one provider, or take `network: none` out"
        )
    return address


def behind_gateway(task: Task, agent: Agent, provider: str, env: Mapping[str, str]) -> dict[str, str]:
    """The variables of an agent that reaches its model by a gateway, in place of those that it would get otherwise.

    Raises:
        UsageError: The model is nowhere.
    """
    model = model_behind_gateway(task, agent, provider, env)
    return dict(env) if model is None else model.variables(env)


def _shares_sockets() -> bool:
    from skillgrade.workspace.docker.client import is_of_this_machine

    return sys.platform == "linux" and is_of_this_machine()

"""Which version of an agent works where trials run, found out before the first of them."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

from skillgrade.agents import AGENTS
from skillgrade.stop import Stop
from skillgrade.workspace import provider_named
from skillgrade.workspace.base import Prepared, WorkspaceSpec


def agent_version(agent: str, provider: str, prepared: Prepared, run: str, stop: Stop) -> str | None:
    """Ask an agent for its version in a workspace as trials get it; None for an agent that has none.

    Args:
        agent: A key of `skillgrade.agents.AGENTS`.
        provider: A key of `skillgrade.workspace.PROVIDERS`.
        prepared: What that provider made for the agent.
        run: The run's id.
        stop: Ends it early.

    Raises:
        AgentError: It is not installed there, or does not start.
        ProviderError: There is no workspace to be had.
        WorkspaceError: The workspace broke.
        Cancelled: The stop came.
    """
    if not AGENTS[agent].has_version:
        return None
    spec = WorkspaceSpec(run=run, trial=f"version of {agent}", prepared=prepared)
    with tempfile.TemporaryDirectory() as folder, closing(provider_named(provider).open(spec, stop)) as workspace:
        return AGENTS[agent].version(workspace, Path(folder), stop)

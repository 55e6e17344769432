"""Where an attempt gets its workspace from, and who takes it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from skillgrade.agents import AGENTS
from skillgrade.engine.spec import TrialSpec
from skillgrade.errors import ProviderError
from skillgrade.results.folder import RunFolder
from skillgrade.results.records import TrialError
from skillgrade.stop import Stop
from skillgrade.workspace import provider_named
from skillgrade.workspace.base import Place, StagedFile, Workspace, WorkspaceSpec


class Workspaces(Protocol):
    """Gives attempts their workspaces. Thread-safe."""

    def open(self, spec: TrialSpec, stop: Stop) -> Workspace:
        """A clean, filled workspace for an attempt.

        Raises:
            ProviderError: It cannot be had.
            Cancelled: The stop came; nothing is left.
        """

    def dispose(self, workspace: Workspace) -> Sequence[str]:
        """Take a workspace back for good: nobody runs anything in it any more.

        Returns:
            What the reader of the attempt's record should know of it.
        """


class OnDemand:
    """Workspaces that are made when they are needed and removed at once."""

    def open(self, spec: TrialSpec, stop: Stop) -> Workspace:
        """See `Workspaces.open`."""
        return open_workspace(spec, stop)

    def dispose(self, workspace: Workspace) -> Sequence[str]:
        """See `Workspaces.dispose`."""
        workspace.close()
        return workspace.notes


ON_DEMAND = OnDemand()
"""For an attempt by itself."""


def open_workspace(spec: TrialSpec, stop: Stop) -> Workspace:
    """Make the workspace of an attempt.

    Raises:
        ProviderError: It cannot be had.
        Cancelled: The stop came; nothing is left.
    """
    if isinstance(spec.prepared, TrialError):
        raise ProviderError(spec.prepared.reason, spec.prepared.stage)
    task, agent = spec.task, AGENTS[spec.agent]
    files = [StagedFile(file.dest, _place(file.dest), src=file.src, chmod=file.chmod) for file in task.workspace]
    if spec.act:
        files += agent.files(task)
    return provider_named(spec.provider).open(
        WorkspaceSpec(
            run=RunFolder(spec.run_folder).run_id,
            trial=f"{task.name} {spec.trial}.{spec.attempt}",
            prepared=spec.prepared,
            files=tuple(files),
            skills=spec.skills,
            limits=task.limits,
            network=task.network,
            stdin=agent.stdin(task.instruction) if spec.act else None,
            agent_home=task.agent.home,
        ),
        stop,
    )


def _place(dest: str) -> Place:
    return Place.SYSTEM if dest.startswith("/") else Place.WORKSPACE

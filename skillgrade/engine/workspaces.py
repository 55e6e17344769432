"""Where an attempt gets its workspace from, and who takes it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from skillgrade.agents import AGENTS
from skillgrade.engine.spec import TrialSpec
from skillgrade.errors import ProviderError
from skillgrade.results.folder import RunFolder
from skillgrade.results.records import TrialError
from skillgrade.stop import Stop
from skillgrade.workspace import provider_named
from skillgrade.workspace.base import Place, SkillSnapshot, StagedFile, Workspace, WorkspaceSpec


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
    stdin = AGENTS[spec.agent].stdin(spec.task.each_turn[0].instruction) if spec.act else None
    return provider_named(spec.provider).open(
        replace(_workspace_spec(spec, workspace_files(spec), spec.skills, stdin), gateway=spec.gateway), stop
    )


def open_copy(spec: TrialSpec, exported: Path, stop: Stop) -> Workspace:
    """Make another workspace of an attempt, which holds what was taken out of the agent's.

    Args:
        spec: The attempt.
        exported: What was taken out.
        stop: Ends it early.

    Raises:
        ProviderError: It cannot be had.
        Cancelled: The stop came; nothing is left.
    """
    system = [file for file in workspace_files(spec) if file.place is Place.SYSTEM]
    files = (*system, StagedFile(".", src=exported))
    return provider_named(spec.provider).open(_workspace_spec(spec, files, (), None), stop)


def workspace_files(spec: TrialSpec) -> tuple[StagedFile, ...]:
    """What goes into the workspace of an attempt beside the skills."""
    files = [StagedFile(file.dest, _place(file.dest), src=file.src, chmod=file.chmod) for file in spec.task.workspace]
    if spec.act:
        files += AGENTS[spec.agent].files(spec.task)
    return tuple(files)


def _workspace_spec(
    spec: TrialSpec, files: tuple[StagedFile, ...], skills: tuple[SkillSnapshot, ...], stdin: bytes | None
) -> WorkspaceSpec:
    if isinstance(spec.prepared, TrialError):
        raise ProviderError(spec.prepared.reason, spec.prepared.stage)
    task = spec.task
    return WorkspaceSpec(
        run=RunFolder(spec.run_folder).run_id,
        trial=f"{task.name} {spec.trial}.{spec.attempt}",
        prepared=spec.prepared,
        files=files,
        skills=skills,
        limits=task.limits,
        network=task.network,
        stdin=stdin,
        agent_home=task.agent.home,
    )


def _place(dest: str) -> Place:
    return Place.SYSTEM if dest.startswith("/") else Place.WORKSPACE

"""The local provider: a temporary folder on the host for each trial attempt.

It isolates nothing: commands run as the user who runs skillgrade, and see what that user sees. What it does promise is
that skillgrade itself writes nowhere else, and that no process and no folder of a trial outlives it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path

from skillgrade.capture import OutputSink
from skillgrade.errors import ProviderError, Stage, WorkspaceError
from skillgrade.process import ProcessResult, ProcessSlot, SlotPool
from skillgrade.stop import Stop
from skillgrade.workspace.base import EnvironmentSpec, Isolation, Prepared, Workspace, WorkspaceSpec
from skillgrade.workspace.local.shared_skills import SharedSkills
from skillgrade.workspace.local.workspace import LocalWorkspace
from skillgrade.workspace.prefixes import SETUP_SECONDS, Prefix, SetupRunner, run_setups
from skillgrade.workspace.temporary import make_temporary_folder, no_folder_error, remove_temporary_folders
from skillgrade.workspace.tree import remove_tree
from skillgrade.workspace.trial_folder import TrialFolder

_NOTES = (
    "provider local isolates nothing: the agent can read and change whatever you can, graders included",
    "provider local enforces no limits: environment (cpus, memory_mb, pids) and network have no effect",
)


class LocalProvider:
    """Makes workspaces that are folders. Thread-safe."""

    name = "local"
    isolation = Isolation.NONE

    def __init__(self) -> None:
        self._slots = SlotPool(ProcessSlot)
        self._skills = SharedSkills()
        self._preparing = threading.Lock()
        self._prepared: dict[tuple[str, EnvironmentSpec], Prepared] = {}

    def check(self) -> str | None:
        """Nothing is missing on a POSIX system; see `Provider.check`."""
        return None if os.name == "posix" else "provider local needs Linux or macOS; use --provider=docker"

    def prepare(self, environment: EnvironmentSpec, run: str, stop: Stop) -> Prepared:
        """Run the set-ups into a private prefix, if there are any; see `Provider.prepare`."""
        key = run, environment
        with self._preparing:
            if key not in self._prepared:
                self._prepared[key] = self._prepare(environment, run, stop)
            return self._prepared[key]

    def open(self, spec: WorkspaceSpec, stop: Stop) -> Workspace:
        """Make a folder and fill it; see `Provider.open`."""
        stop.check()
        try:
            folder = make_temporary_folder(spec.run, spec.trial)
        except OSError as error:
            raise no_folder_error(error) from error
        try:
            slot = self._slots.borrow()
        except WorkspaceError as error:
            remove_tree(folder)
            raise ProviderError(str(error)) from error
        trial = TrialFolder(folder, slot, lambda: self._slots.give_back(slot))
        workspace = LocalWorkspace(trial, spec, self._skills)
        try:
            workspace.fill(stop)
        except OSError as error:
            workspace.close()
            raise no_folder_error(error) from error
        except WorkspaceError as error:
            workspace.close()
            raise ProviderError(str(error)) from error
        except BaseException:
            workspace.close()
            raise
        return workspace

    def end_run(self, run: str) -> None:
        """Remove the run's folders and end idle helpers; see `Provider.end_run`."""
        with self._preparing:
            self._prepared = {key: prepared for key, prepared in self._prepared.items() if key[0] != run}
        self._slots.close()
        remove_temporary_folders(run)

    def _prepare(self, environment: EnvironmentSpec, run: str, stop: Stop) -> Prepared:
        setups = tuple(text for text in (environment.docker.setup, *environment.grader_setups) if text)
        notes: tuple[str, ...] = _NOTES
        if environment.agent_install is not None:
            notes += ("provider local installs no agent: the one on your PATH is used, agent_version has no effect",)
        if not setups:
            return Prepared(self.name, notes=notes)
        try:
            prefix = make_temporary_folder(run, "set-up")
        except OSError as error:
            raise no_folder_error(error, Stage.IMAGE) from error
        slot = None
        try:
            slot = self._slots.borrow()
            notes += run_setups(setups, Prefix(prefix, prefix), _runner(slot, stop))
        except BaseException as error:
            remove_tree(prefix)
            if isinstance(error, WorkspaceError):
                raise ProviderError(f"setup: {error}", Stage.IMAGE) from error
            raise
        finally:
            if slot is not None:
                self._slots.give_back(slot)
        return Prepared(self.name, reference=str(prefix), notes=notes)


def _runner(slot: ProcessSlot, stop: Stop) -> SetupRunner:
    def run(argv: tuple[str, ...], env: Mapping[str, str], cwd: Path, sink: OutputSink) -> ProcessResult:
        return slot.run(
            argv,
            env=env,
            cwd=cwd,
            stdin=None,
            stdout=sink,
            stderr=sink,
            timeout=SETUP_SECONDS,
            stop=stop,
            stage=Stage.IMAGE,
        )

    return run

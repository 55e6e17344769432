"""The bubblewrap provider: a sandbox of namespaces for each command, without a daemon and without privileges.

Agents and graders see the system's folders read-only, the trial's own folders, and nothing else of the host.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from skillgrade.errors import ProviderError, Stage, WorkspaceError
from skillgrade.process import SlotPool
from skillgrade.stop import Stop
from skillgrade.workspace.base import EnvironmentSpec, Isolation, Prepared, Workspace, WorkspaceSpec
from skillgrade.workspace.bubblewrap.binary import Bubblewrap, find_bubblewrap
from skillgrade.workspace.bubblewrap.layers import SharedFolder
from skillgrade.workspace.bubblewrap.limited_slot import LimitedSlot
from skillgrade.workspace.bubblewrap.programs import ShownPrograms
from skillgrade.workspace.bubblewrap.setup import setup_runner
from skillgrade.workspace.bubblewrap.workspace import BubblewrapWorkspace, Surroundings
from skillgrade.workspace.control_groups import CONTROLLERS
from skillgrade.workspace.prefixes import run_setups
from skillgrade.workspace.temporary import make_temporary_folder, no_folder_error, remove_temporary_folders
from skillgrade.workspace.tree import remove_tree
from skillgrade.workspace.trial_folder import TrialFolder

_KEYS = {"memory": "memory_mb", "pids": "pids", "cpu": "cpus"}


class BubblewrapProvider:
    """Makes workspaces that are sandboxes. Thread-safe.

    Args:
        find: Says which bubblewrap to use, or why there is none.
    """

    name = "bubblewrap"
    isolation = Isolation.SANDBOX

    def __init__(self, find: Callable[[], Bubblewrap | str] = find_bubblewrap) -> None:
        self._find = find
        self._slots = SlotPool(LimitedSlot)
        self._programs = ShownPrograms()
        self._preparing = threading.Lock()
        self._prepared: dict[tuple[str, EnvironmentSpec], Prepared] = {}

    def check(self) -> str | None:
        """Whether a sandbox can be made here; see `Provider.check`."""
        found = self._find()
        return f"{found}; use --provider=docker or --provider=local" if isinstance(found, str) else None

    def prepare(self, environment: EnvironmentSpec, run: str, stop: Stop) -> Prepared:
        """Make what sandboxes share, and run the set-ups into a private prefix; see `Provider.prepare`."""
        key = run, environment
        with self._preparing:
            if key not in self._prepared:
                self._prepared[key] = self._prepare(environment, run, stop)
            return self._prepared[key]

    def open(self, spec: WorkspaceSpec, stop: Stop) -> Workspace:
        """Make the trial's folders and fill them; see `Provider.open`."""
        stop.check()
        bwrap = self._bubblewrap(Stage.SETUP)
        shared = SharedFolder(Path(spec.prepared.reference))
        try:
            lower = shared.skills_layer(spec.skills)
            path = make_temporary_folder(spec.run, spec.trial)
        except OSError as error:
            raise no_folder_error(error) from error
        try:
            slot = self._slots.borrow()
        except WorkspaceError as error:
            remove_tree(path)
            raise ProviderError(str(error)) from error
        folder = TrialFolder(path, slot, functools.partial(self._slots.give_back, slot))
        around = Surroundings(bwrap, shared, lower, self._programs)
        workspace = BubblewrapWorkspace(folder, slot, spec, around)
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

    def _limits(self) -> list[str]:
        """What the user should know of limits that do not hold, since no control group can be made."""
        slot = self._slots.borrow()
        missing = [_KEYS[controller] for controller in CONTROLLERS if controller not in slot.enforced]
        self._slots.give_back(slot)
        why = "since skillgrade may make no control group"
        notes = []
        if "memory_mb" in missing:
            missing.remove("memory_mb")
            notes.append(f"provider bubblewrap: memory_mb holds for each process alone, not for them together, {why}")
        if missing:
            verb = "have" if len(missing) > 1 else "has"
            notes.append(f"provider bubblewrap: {' and '.join(missing)} {verb} no effect, {why}")
        return notes

    def _bubblewrap(self, stage: Stage) -> Bubblewrap:
        found = self._find()
        if isinstance(found, str):
            raise ProviderError(str(self.check()), stage)
        return found

    def _prepare(self, environment: EnvironmentSpec, run: str, stop: Stop) -> Prepared:
        bwrap = self._bubblewrap(Stage.IMAGE)
        try:
            shared = SharedFolder.make(run)
        except OSError as error:
            raise no_folder_error(error, Stage.IMAGE) from error
        try:
            notes = [*self._limits(), *_overlays(bwrap)]
            if environment.agent_install is not None:
                notes.append(
                    "provider bubblewrap installs no agent: the one on your PATH is used, agent_version has no effect"
                )
            setups = tuple(text for text in (environment.docker.setup, *environment.grader_setups) if text)
            if setups:
                prefix = shared.make_prefix()
                with closing(LimitedSlot()) as slot:  # one of its own, since a set-up has no limits
                    runner = setup_runner(bwrap, shared, prefix, self._programs, slot, stop)
                    notes += run_setups(setups, prefix, runner)
        except BaseException as error:
            remove_tree(shared.path)
            if isinstance(error, WorkspaceError):
                raise ProviderError(f"setup: {error}", Stage.IMAGE) from error
            raise
        return Prepared(self.name, reference=str(shared.path), notes=tuple(notes))


def _overlays(bwrap: Bubblewrap) -> list[str]:
    if bwrap.has_overlays:
        return []
    return [f"provider bubblewrap: {bwrap.path} cannot overlay folders here, so each trial copies the skill"]

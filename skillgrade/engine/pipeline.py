"""Workspaces made ahead and removed behind, so that no trial waits for what it need not wait for.

Making a container takes longer than most trials' work in it, and so does removing one. While trials run, one thread
makes the workspace of the attempt that starts next, and another removes those that are done with.

Both are bounded: one workspace is made ahead at a time, and only as many as there are slots wait for their removal;
beyond that an attempt removes its own. A stop reaches what is being made like any other attempt, and `close` removes
what nobody came for.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.workspaces import open_workspace
from skillgrade.stop import Stop
from skillgrade.workspace.base import Workspace

_Key = tuple[Path, str, int, int]


class Pipeline:
    """Workspaces for the attempts of one run, or of two that share a pool; see `Workspaces`. Thread-safe.

    Args:
        slots: How many attempts run at a time, >= 1.
    """

    def __init__(self, slots: int) -> None:
        self._lock = threading.Lock()
        self._made: dict[_Key, Future[Workspace]] = {}
        self._ahead = ThreadPoolExecutor(1, thread_name_prefix="skillgrade-ahead")
        self._behind = ThreadPoolExecutor(1, thread_name_prefix="skillgrade-behind")
        self._room = threading.BoundedSemaphore(slots)
        self._late_notes: list[str] = []

    def expect(self, spec: TrialSpec, stop: Stop) -> None:
        """Begin to make the workspace of an attempt that starts soon."""
        with self._lock:
            self._made[_key(spec)] = self._ahead.submit(open_workspace, spec, stop)

    def open(self, spec: TrialSpec, stop: Stop) -> Workspace:
        """The one that was made ahead, or a new one; see `Workspaces.open`."""
        with self._lock:
            made = self._made.pop(_key(spec), None)
        # One that is still in the queue would only come later than one made here.
        if made is None or made.cancel():
            return open_workspace(spec, stop)
        return made.result()

    def dispose(self, workspace: Workspace) -> Sequence[str]:
        """Have it removed; see `Workspaces.dispose`."""
        if not self._room.acquire(blocking=False):
            workspace.close()
            return workspace.notes
        notes = tuple(workspace.notes)
        self._behind.submit(self._remove, workspace, len(notes))
        return notes

    def close(self) -> Sequence[str]:
        """Remove what is left, and wait for it; no attempt runs any more.

        Returns:
            What could not be removed behind its attempt's back, one sentence each.
        """
        self._ahead.shutdown(wait=True, cancel_futures=True)
        for made in self._made.values():
            if not made.cancelled() and made.exception() is None:
                made.result().close()
        self._behind.shutdown(wait=True)
        return tuple(self._late_notes)

    def _remove(self, workspace: Workspace, told: int) -> None:
        try:
            workspace.close()
            self._late_notes.extend(workspace.notes[told:])
        finally:
            self._room.release()


def _key(spec: TrialSpec) -> _Key:
    return spec.run_folder, spec.task.name, spec.trial, spec.attempt

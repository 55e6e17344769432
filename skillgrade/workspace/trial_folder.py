"""One trial's private folder on the host, with the helper process that runs its commands.

What providers without a daemon share: the folder is entered with care, since commands could write to it; its end ends
the commands, lends the helper to the next trial, and removes everything.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from skillgrade.errors import Stage, WorkspaceError
from skillgrade.process import ProcessResult, ProcessSlot
from skillgrade.stop import Stop
from skillgrade.workspace.base import Command, CommandResult, Place
from skillgrade.workspace.staging import Item
from skillgrade.workspace.tree import Tree, remove_tree


class TrialFolder:
    """A folder that one trial uses. Not thread-safe; `close` may be called from any thread and more than once.

    Args:
        path: A private, labelled, empty folder; it is the trial's from now on.
        slot: Runs the trial's commands.
        give_back: Takes the slot when nothing of the trial runs in it any more.

    Attributes:
        path: The folder.
        slot: Runs the trial's commands.
        trees: What of it holds which place; made when something goes in.
        notes: What the reader of the record should know.
    """

    def __init__(self, path: Path, slot: ProcessSlot, give_back: Callable[[], None]) -> None:
        self.path = path
        self.slot = slot
        self.notes: list[str] = []
        self.trees = {
            Place.WORKSPACE: Tree(path / "workspace"),
            Place.SYSTEM: Tree(path / "root"),
            Place.CONTROL: Tree(path / "control"),
        }
        self._give_back = give_back
        self._identity = _identity(path)
        self._state = threading.Lock()
        self._closing = threading.Lock()
        self._running = False
        self._closed = False

    @contextmanager
    def running(self, command: Command) -> Iterator[Stage]:
        """Make the folder ready for a command, for as long as it runs; at the end its sinks are closed.

        Yields:
            The stage that errors name.

        Raises:
            WorkspaceError: The folder was closed, or moved away by a command, or cannot be used.
        """
        stage = Stage.GRADE if command.privileged else Stage.AGENT
        try:
            with self._state:
                if self._closed:
                    raise WorkspaceError("the workspace is closed", stage)
                self._running = True
            with self.entered(stage):
                yield stage
        finally:
            with self._state:
                self._running = False
            for sink in (command.stdout, command.stderr):
                sink.close()

    @contextmanager
    def entered(self, stage: Stage) -> Iterator[None]:
        """Make sure that the folders are there, whatever the last command did to them.

        Raises:
            WorkspaceError: They are not, or what the body does with them fails.
        """
        try:
            if _identity(self.path) != self._identity:
                raise WorkspaceError(f"{self.path}: the trial's folder was moved away (tampered with)", stage)
            self.path.chmod(0o700)
            if self.trees[Place.WORKSPACE].restore():
                self.notes.append("the workspace folder was removed by a command; it was made again, empty")
            yield
        except OSError as error:
            raise WorkspaceError(f"{error.filename or self.path}: {error.strerror}", stage) from error

    def write(self, items: Iterable[Item], stop: Stop) -> tuple[str, ...]:
        """Put items into the places that hold them here.

        Returns:
            The paths of named items for which something gave way.

        Raises:
            OSError: Something cannot be written.
            Cancelled: The stop came.
        """
        items = tuple(items)
        given_way: list[str] = []
        for place, tree in self.trees.items():
            if here := [item for item in items if item.place is place]:
                tree.restore()
                given_way += tree.write(here, stop)
        return tuple(given_way)

    def end_processes(self) -> None:
        """Make sure that nothing runs; see `Workspace.end_processes`."""
        left = self.slot.end_all()
        if left:
            self.close()
            raise WorkspaceError(f"{left} processes of the trial could not be killed", Stage.COLLECT)

    def close(self) -> None:
        """End the trial's processes and remove the folder; see `Workspace.close`."""
        with self._closing:
            with self._state:
                if self._closed:
                    return
                self._closed = True
                running = self._running
            try:
                if running or self.slot.end_all():
                    self.slot.close()
                else:
                    self._give_back()
            except WorkspaceError:
                self.slot.close()
            problem = remove_tree(self.path)
            if problem is not None:
                self.notes.append(problem)


def command_result(command: Command, result: ProcessResult) -> CommandResult:
    """The result of a command that ran as a process; its sinks are closed."""
    return CommandResult(
        exit_code=result.exit_code,
        timed_out=result.timed_out,
        duration=result.duration,
        stdout=command.stdout.close(),
        stderr=command.stderr.close(),
        not_found=result.start_error is not None,
    )


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = os.lstat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino

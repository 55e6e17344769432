"""Root's shell in a container: one process that does what skillgrade has to do there between an agent and its graders.

Starting a process in a container costs some 50 ms of the daemon's time, whatever the process does, and an archive that
the daemon unpacks as much again. So killing what the agent left, clearing the way, unpacking the graders' files and the
first grader share one process: the shell becomes the grader in the end.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from skillgrade.errors import WorkspaceError
from skillgrade.workspace.docker.exec import Exec, Lines, RunningExec
from skillgrade.workspace.staging import WORKSPACE_PATH

if TYPE_CHECKING:
    from docker import APIClient

ROOT = "0"
"""The user of everything that skillgrade itself does in a container."""

BASH = "/bin/bash"
"""The shell of everything that runs in a container; each image is made to have one there."""

_ANSWER_TIMEOUT = 60.0
_CHUNK = 1024 * 1024


class RootShell:
    """A shell that waits for requests. Not thread-safe.

    Args:
        api: The daemon.
        container: The container's id.
        lines: The connections to its commands.
        kill: Whether it begins by killing every process but PID 1 and itself.

    Raises:
        WorkspaceError: It could not be started.
    """

    def __init__(self, api: APIClient, container: str, lines: Lines, *, kill: bool) -> None:
        argv = (BASH, "-c", _script(), "bash", "kill" if kill else "")
        self._exec = RunningExec(api, container, lines, Exec(argv, ROOT), talks=True)
        try:
            self._exec.answer(time.monotonic() + _ANSWER_TIMEOUT)
        except BaseException:
            self.close()
            raise

    def pid(self) -> str:
        """Its number as the daemon's machine sees it.

        Raises:
            WorkspaceError: The daemon does not answer.
        """
        return self._exec.pid()

    def clear(self, ways: Sequence[tuple[str, str]]) -> tuple[int, ...]:
        """Remove what is in the way of files, never following a link.

        Args:
            ways: Pairs of a root that is trusted and a path below it.

        Returns:
            The indices of the pairs at which something was in the way.

        Raises:
            WorkspaceError: Something could not be removed.
        """
        answer = self._ask("clear", [word for way in ways for word in way]).split()
        if answer[:1] != [b"cleared"] or b"failed" in answer:
            raise WorkspaceError("what is in the way of files in the workspace could not be removed")
        return tuple(map(int, answer[1:]))

    def unpack(self, archive: IO[bytes]) -> bool:
        """Unpack a tar archive at ``/``; whether that worked: an image may have no tar.

        Raises:
            WorkspaceError: The shell is gone.
        """
        deadline = time.monotonic() + _ANSWER_TIMEOUT
        size = archive.seek(0, os.SEEK_END)
        archive.seek(0)
        self._exec.send(f"unpack {size}\n".encode(), deadline)
        while chunk := archive.read(_CHUNK):
            self._exec.send(chunk, deadline)
        return self._exec.answer(deadline) == b"unpacked"

    def become(self, argv: Sequence[str], env: Mapping[str, str], marker: str) -> RunningExec:
        """Become a program with an empty input, in the workspace; nothing else can be asked for afterwards.

        Args:
            argv: Program and arguments.
            env: Variables, on top of the container's.
            marker: What comes last on stderr when the program could not be started.

        Raises:
            WorkspaceError: The shell is gone.
        """
        pairs = [f"{name}={value}" for name, value in env.items()]
        self._send("run", [marker, WORKSPACE_PATH, str(len(pairs)), *pairs, *argv])
        return self._exec

    def close(self) -> None:
        """Let it end."""
        self._exec.close()

    def _ask(self, request: str, words: Sequence[str]) -> bytes:
        self._send(request, words)
        return self._exec.answer(time.monotonic() + _ANSWER_TIMEOUT)

    def _send(self, request: str, words: Sequence[str]) -> None:
        body = b"".join(os.fsencode(word) + b"\0" for word in words)
        head = f"{request} {len(words)}\n".encode()
        self._exec.send(head + body, time.monotonic() + _ANSWER_TIMEOUT)


@functools.cache
def _script() -> str:
    return Path(__file__).with_name("root-shell.sh").read_text(encoding="utf-8")

"""Running one command in a container: its output as it comes, its deadline, its end.

The SDK's own stream readers block for ever and cannot time out, so the raw connection is read here. Format: Docker
Engine API, "ContainerAttach", stream format: a header of 8 bytes (stream, 3 zeros, length as big-endian uint32) before
each piece.
"""

from __future__ import annotations

import os
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from skillgrade.errors import Stage, WorkspaceError
from skillgrade.workspace.docker.client import translated

if TYPE_CHECKING:
    from docker import APIClient

_CHUNK = 256 * 1024
_GRACE = 10.0
"""Seconds that a stream may take to end once everything behind it was killed."""

_STDERR = 2


@dataclass(frozen=True, slots=True)
class Exec:
    """One command in a container.

    Attributes:
        argv: Program and arguments.
        user: A uid.
        workdir: Its working directory.
        env: Variables on top of the container's.
    """

    argv: tuple[str, ...]
    user: str
    workdir: str = "/"
    env: Mapping[str, str] = field(default_factory=dict)


class Lines:
    """The connections to the commands of one container, to be cut by whoever wants their readers to wake.

    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[_Stream] = set()
        self._are_cut = False

    def cut(self) -> None:
        """End all that are open and all that will be. Never blocks, never raises."""
        with self._lock:
            self._are_cut = True
            for stream in self._open:
                stream.cut()

    def check(self) -> None:
        """Raise where they are cut.

        Raises:
            WorkspaceError: They are cut.
        """
        if self._are_cut:
            raise WorkspaceError("docker: the connection to a command was cut")

    def add(self, stream: _Stream) -> None:
        """Take one in."""
        with self._lock:
            self._open.add(stream)
            if self._are_cut:
                stream.cut()

    def discard(self, stream: _Stream) -> None:
        """Let one go, which may be closed from then on."""
        with self._lock:
            self._open.discard(stream)


def execute(
    api: APIClient,
    container: str,
    lines: Lines,
    command: Exec,
    feed: Callable[[int, bytes], None],
    timeout: float,
    kill: Callable[[], object],
) -> int | None:
    """Run a command until its output ends.

    Args:
        api: The daemon.
        container: The container's id.
        lines: The connections to its commands.
        command: What to run.
        feed: Takes each piece of output with its stream, 1 or 2.
        timeout: Seconds until `kill` is called.
        kill: Ends the command and whatever holds its output open.

    Returns:
        The exit code; None when the deadline came.

    Raises:
        WorkspaceError: The daemon or the container failed, the command could not be started at all, or its output did
            not end though it was killed.
    """
    deadline = time.monotonic() + timeout
    return RunningExec(api, container, lines, command).finish(feed, deadline, kill)


class RunningExec:
    """A command that runs in a container, with a connection to it. Not thread-safe.

    Args:
        api: The daemon.
        container: The container's id.
        lines: The connections to its commands.
        command: What to run.
        talks: Whether it reads what `send` sends.
        pipe: Where what it reads comes from, while `finish` waits for it; without one and without `talks` it has no
            input.

    Raises:
        WorkspaceError: It could not be started.
    """

    def __init__(
        self,
        api: APIClient,
        container: str,
        lines: Lines,
        command: Exec,
        *,
        talks: bool = False,
        pipe: IO[bytes] | None = None,
    ) -> None:
        lines.check()
        self._api = api
        self._lines = lines
        with translated("running a command", WorkspaceError, Stage.SETUP):
            made = api.exec_create(
                container,
                list(command.argv),
                stdin=talks or pipe is not None,
                user=command.user,
                workdir=command.workdir,
                environment=dict(command.env),
            )
            self._id: str = made["Id"]
            self._stream = _Stream(api.exec_start(self._id, socket=True), pipe)
        lines.add(self._stream)
        self._unread = b""

    def finish(self, feed: Callable[[int, bytes], None], deadline: float, kill: Callable[[], object]) -> int | None:
        """Hand on its output until it ends; see `execute`."""
        try:
            timed_out = not _pump(self._stream, feed, deadline)
            if timed_out:
                kill()
                if not _pump(self._stream, feed, time.monotonic() + _GRACE):
                    raise WorkspaceError("docker: a command's output did not end though everything was killed")
        finally:
            self.close()
        self._lines.check()
        return None if timed_out else _exit_code(self._api, self._id)

    def pid(self) -> str:
        """Its number as the daemon's machine sees it.

        Raises:
            WorkspaceError: The daemon does not answer.
        """
        with translated("looking at a command", WorkspaceError, Stage.SETUP):
            return str(self._api.exec_inspect(self._id)["Pid"])

    def send(self, data: bytes | memoryview, deadline: float) -> None:
        """Send it input.

        Raises:
            WorkspaceError: It took none until the deadline, or is gone.
        """
        with translated("talking to a command", WorkspaceError, Stage.SETUP):
            self._stream.send(data, deadline)

    def answer(self, deadline: float) -> bytes:
        """The next line of its output, without the newline.

        Raises:
            WorkspaceError: None came until the deadline, or its output ended.
        """
        while b"\n" not in self._unread:
            with translated("talking to a command", WorkspaceError, Stage.SETUP):
                data = self._stream.receive(deadline - time.monotonic())
            if not data:
                raise WorkspaceError("docker: a command of skillgrade ended or gave no answer")
            self._unread += b"".join(piece for number, piece in self._stream.pieces(data) if number == 1)
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def close(self) -> None:
        """Let go of the connection; one that talks sees the end of its input."""
        self._lines.discard(self._stream)
        self._stream.close()


def _pump(stream: _Stream, feed: Callable[[int, bytes], None], deadline: float) -> bool:
    """Hand on what comes until the end (True) or the deadline (False)."""
    while True:
        with translated("reading a command's output", WorkspaceError, Stage.SETUP):
            data = stream.receive(deadline - time.monotonic())
        if data is None:
            return False
        if not data:
            return True
        for number, piece in stream.pieces(data):
            feed(number, piece)
        if time.monotonic() >= deadline:
            return False


def _exit_code(api: APIClient, exec_id: str) -> int:
    deadline = time.monotonic() + _GRACE
    while time.monotonic() < deadline:
        with translated("asking how a command ended", WorkspaceError, Stage.SETUP):
            state = api.exec_inspect(exec_id)
        if not state["Running"] and state["ExitCode"] is not None:
            if not state["Pid"]:
                raise WorkspaceError("docker: a command could not be started, the container's shell or folder is gone")
            return int(state["ExitCode"])
        # The daemon closes the stream a moment before it notes the end; it offers nothing to wait on.
        time.sleep(0.005)
    raise WorkspaceError("docker: the daemon does not say how a command ended")


class _Stream:
    """The multiplexed output of a command, read without blocking longer than asked; meanwhile a pipe is its input."""

    # The SDK gives a different private class for each transport.
    def __init__(self, wrapper: Any, pipe: IO[bytes] | None = None) -> None:
        self._wrapper = wrapper
        self._pipe = pipe
        self._socket = getattr(wrapper, "_sock", wrapper)
        self._socket.setblocking(False)
        self._early = _read_ahead(wrapper)
        self._header = b""
        self._number = 0
        self._left = 0

    def receive(self, timeout: float) -> bytes | None:
        """Some bytes; none at the end; None when nothing came in `timeout` seconds."""
        if self._early:
            early, self._early = self._early, b""
            return early
        deadline = time.monotonic() + timeout
        while True:
            try:
                return bytes(self._socket.recv(_CHUNK))
            except (BlockingIOError, TimeoutError, ssl.SSLWantReadError):
                pass
            except ConnectionResetError:
                return b""
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            poll = select.poll()
            poll.register(self._socket, select.POLLIN)
            if self._pipe is not None:
                poll.register(self._pipe, select.POLLIN)
            ready = dict(poll.poll(min(left, 60.0) * 1000))
            if self._pipe is not None and self._pipe.fileno() in ready:
                self._pass_on(self._pipe, deadline)

    def _pass_on(self, pipe: IO[bytes], deadline: float) -> None:
        """Make one piece of the pipe the command's input, or its end the end of that."""
        data = os.read(pipe.fileno(), _CHUNK)
        with suppress(OSError, TimeoutError):  # it reads no more; how it ends says the rest
            if data:
                self.send(data, deadline)
                return
            self._socket.shutdown(socket.SHUT_WR)
        self._pipe = None

    def send(self, data: bytes | memoryview, deadline: float) -> None:
        """Send all of it, or raise TimeoutError."""
        view = memoryview(data)
        while view:
            try:
                view = view[self._socket.send(view) :]
                continue
            except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                pass
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            poll = select.poll()
            poll.register(self._socket, select.POLLOUT)
            poll.poll(min(left, 60.0) * 1000)

    def pieces(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Take received bytes apart; frames may begin and end anywhere in them."""
        view = memoryview(data)
        while view:
            if not self._left:
                missing = 8 - len(self._header)
                self._header += bytes(view[:missing])
                view = view[missing:]
                if len(self._header) < 8:
                    return
                self._number, self._left = self._header[0], int.from_bytes(self._header[4:], "big")
                self._header = b""
                continue
            piece = bytes(view[: self._left])
            self._left -= len(piece)
            view = view[len(piece) :]
            yield self._number, piece

    def cut(self) -> None:
        """Make whoever reads see the end."""
        with suppress(OSError):  # it has ended already
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        response = getattr(self._wrapper, "_response", None)
        if response is not None:
            response.close()
        self._socket.close()


def _read_ahead(wrapper: Any) -> bytes:
    """What came together with the response's head.

    http.client reads the head through a buffer; output that arrived in the same packet would be lost in it.
    """
    response = getattr(wrapper, "_response", None)
    reader = getattr(getattr(getattr(response, "raw", None), "_fp", None), "fp", None)
    if reader is None or not hasattr(reader, "peek"):
        return b""
    try:
        return bytes(reader.peek())
    except (BlockingIOError, ssl.SSLWantReadError):
        return b""

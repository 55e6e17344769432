"""Child processes: a session of their own, a deadline, capped output, and nothing left of their tree.

Each slot has one helper process (`skillgrade.subreaper`), which runs one command at a time. When the command ends, by
itself, at its deadline, by a stop or because the runner died, the helper kills everything that descends from it. A slot
belongs to one trial at a time; the pool lends them again, since starting a helper takes about 35 ms.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from skillgrade.capture import OutputSink
from skillgrade.errors import Stage, WorkspaceError
from skillgrade.stop import Stop

_HELPER = Path(__file__).with_name("subreaper.py")
_ANSWER_SECONDS = 5.0
"""How long the helper may take to answer: its own two seconds of killing, and a busy machine."""
FIRST_EXTRA = 100
"""The number under which a command sees the first of its extra descriptors; the next ones follow."""
_CHUNK = 64 * 1024
_DRAINED_CHUNKS = 256
"""More than any pipe holds; a bound, should a process out of reach go on writing."""


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """How a command ended.

    Attributes:
        exit_code: 128 + N for a death by signal N; None when the deadline killed it or it never started.
        timed_out: Whether the deadline killed it.
        duration: Seconds, monotonic, until its whole tree was gone.
        start_error: Why it could not be started; None when it ran.
        survivors: Processes of its tree that could not be killed.
    """

    exit_code: int | None
    timed_out: bool
    duration: float
    start_error: str | None = None
    survivors: int = 0


class ProcessSlot:
    """Runs commands, one at a time, and leaves nothing of them. `close` may be called from any thread.

    Raises:
        WorkspaceError: The helper could not be started.
    """

    def __init__(self) -> None:
        self._busy = threading.RLock()
        self._closed = False
        self._buffer = b""
        self._ready = False
        self._number = 0
        self._survivors = 0
        self._command_pid = 0
        self._pipes: frozenset[int] = frozenset()
        self._control, theirs = socket.socketpair()
        # A Python that finds its own library by this variable does not start without it.
        env = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
        with theirs:
            try:
                self._helper = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(_HELPER)],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=env,
                    cwd="/",
                    start_new_session=True,
                )
            except OSError as error:
                self._control.close()
                raise WorkspaceError(f"{sys.executable}: cannot be started: {error.strerror}") from error
        self._control.settimeout(_ANSWER_SECONDS)

    @property
    def pid(self) -> int:
        """The helper's process id."""
        return self._helper.pid

    @property
    def usable(self) -> bool:
        """Whether the helper is there to run another command."""
        return not self._closed and self._helper.poll() is None

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        stdin: bytes | IO[bytes] | None,
        stdout: OutputSink,
        stderr: OutputSink,
        timeout: float,
        stop: Stop,
        stage: Stage = Stage.AGENT,
        extra: Sequence[int] = (),
    ) -> ProcessResult:
        """Run a command until it ends, and end its whole tree.

        Args:
            argv: Program and arguments; the program is looked up on the PATH of `env`.
            env: All of its variables.
            cwd: Its working directory.
            stdin: What it reads, from a file, so that a command that reads nothing blocks nobody, or what it reads from
                itself; None is empty.
            stdout: Takes its output; not closed here.
            stderr: Takes its error output; not closed here.
            timeout: Seconds until it is killed.
            stop: Kills it when set.
            stage: Named by an error.
            extra: Open descriptors, four at most, that it sees under the numbers from `FIRST_EXTRA` on.

        Raises:
            WorkspaceError: The helper was killed, or does not answer.
            StorageError: A sink could not write.
            Cancelled: The stop came; nothing of the command is left.
        """
        stop.check()
        with self._busy, ExitStack() as resources:
            streams = self._start(argv, env, cwd, stdin, extra, resources, stage)
            started = time.monotonic()
            try:
                with stop.waking(partial(self._kill_command, self._number)):
                    answer = self._pump({streams[0]: stdout, streams[1]: stderr}, started + timeout, stop, stage)
            except BaseException:
                # Whatever went wrong on this side, the command must not go on without anyone watching.
                self.close()
                raise
            duration = time.monotonic() - started
            # Its numbers may be another's from now on.
            self._command_pid, self._pipes = 0, frozenset()
            self._survivors = answer.get("survivors", 0)
            stop.check()
        if "error" in answer:
            return ProcessResult(None, timed_out=False, duration=duration, start_error=answer["error"])
        code, timed_out = answer["exit"], answer["killed"]
        exit_code = None if timed_out else 128 - code if code < 0 else code
        return ProcessResult(exit_code, timed_out, duration, survivors=answer["survivors"])

    def end_all(self) -> int:
        """Kill whatever commands left; nothing is asked where the last one's end has shown that nothing is left.

        Returns:
            How many processes could not be killed.

        Raises:
            WorkspaceError: The helper was killed, or does not answer.
        """
        with self._busy:
            if not (self._survivors or self._closed):
                return 0
            try:
                self._control.sendall(b"S")
                while True:
                    for answer in self._answers(Stage.AGENT):
                        if "survivors" in answer:
                            self._survivors = int(answer["survivors"])
                            return self._survivors
            except OSError as error:
                raise self._lost(Stage.AGENT) from error

    def close(self) -> None:
        """End the helper and, with it, everything that it runs; a command that runs elsewhere raises there."""
        self._closed = True
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._helper.send_signal(signal.SIGCONT)  # a stopped helper sees no end of its socket
        try:
            self._helper.wait(_ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self._helper.kill()
            self._helper.wait()
        with self._busy:
            self._control.close()

    def _start(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        stdin: bytes | IO[bytes] | None,
        extra: Sequence[int],
        resources: ExitStack,
        stage: Stage,
    ) -> list[IO[bytes]]:
        """Hand a command to the helper; the answer is where its output and its error output can be read."""
        self._number += 1
        request = {
            "number": self._number,
            "argv": [_latin(argument) for argument in argv],
            "env": {_latin(name): _latin(value) for name, value in env.items()},
            "cwd": _latin(str(cwd)),
            "extra": [FIRST_EXTRA + number for number in range(len(extra))],
        }
        body = json.dumps(request).encode()
        message = b"R" + len(body).to_bytes(4, "big") + body
        ours: list[IO[bytes]] = []
        with ExitStack() as theirs:
            files = [theirs.enter_context(_stdin_file(stdin)).fileno()]
            for _ in range(2):
                reader, writer = os.pipe()
                ours.append(resources.enter_context(os.fdopen(reader, "rb", buffering=0)))
                files.append(theirs.enter_context(os.fdopen(writer, "wb", buffering=0)).fileno())
            self._command_pid = 0
            self._pipes = frozenset(os.fstat(reader.fileno()).st_ino for reader in ours)
            try:
                sent = socket.send_fds(self._control, [message], [*files, *extra])
                self._control.sendall(memoryview(message)[sent:])
            except OSError as error:
                raise self._lost(stage) from error
        return ours

    def _pump(
        self, streams: Mapping[IO[bytes], OutputSink], deadline: float, stop: Stop, stage: Stage
    ) -> dict[str, Any]:
        """Feed the sinks until the helper says that the command and its tree are gone."""
        with selectors.DefaultSelector() as selector:
            for stream, sink in streams.items():
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ, sink)
            selector.register(self._control, selectors.EVENT_READ)
            killing = False
            while True:
                remaining = deadline - time.monotonic()
                if not killing and (remaining <= 0 or stop.is_set()):
                    self._kill_command(self._number)
                    killing, remaining = True, _ANSWER_SECONDS
                    deadline = time.monotonic() + remaining
                elif remaining <= 0:
                    raise self._lost(stage)
                # The bound on the wait matters only if the helper cannot answer to a stop.
                for key, _ in selector.select(min(remaining, _ANSWER_SECONDS)):
                    if key.fileobj is not self._control:
                        if not _feed(key.fd, key.data):
                            selector.unregister(key.fileobj)
                        continue
                    for answer in self._answers(stage):
                        if "exit" in answer or "error" in answer:
                            _drain(streams)
                            return answer
                        self._command_pid = answer["pid"]

    def _answers(self, stage: Stage) -> Iterator[dict[str, Any]]:
        try:
            data = self._control.recv(_CHUNK)
        except OSError as error:
            raise self._lost(stage) from error
        if not data:
            raise self._lost(stage)
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            answer = json.loads(line)
            if "ready" in answer:
                self._ready = True
            else:
                yield answer

    def _kill_command(self, number: int) -> None:
        with suppress(OSError):  # where the slot was closed meanwhile, nothing is left to kill
            self._helper.send_signal(signal.SIGCONT)  # the command may have stopped it
            self._control.send(b"K" + number.to_bytes(4, "big"))

    def _lost(self, stage: Stage) -> WorkspaceError:
        """End what is left without the helper's help; the answer says what happened."""
        if self._closed:
            return WorkspaceError("the workspace was closed while a command ran in it", stage)
        if self._helper.poll() is None:
            self._helper.kill()
        self._helper.wait()
        _kill_remains(self._command_pid, self._pipes)
        if not self._ready:
            return WorkspaceError(f"{sys.executable} -I -S cannot start the process that watches over commands", stage)
        return WorkspaceError(
            "the process that watches over the trial's commands was killed or stopped (tampered with), so some of "
            "theirs may still run",
            stage,
        )


SlotType = TypeVar("SlotType", bound=ProcessSlot)


class SlotPool(Generic[SlotType]):
    """Lends slots to trials, and keeps the helpers for the next. Thread-safe.

    Args:
        make: Makes a slot.
    """

    def __init__(self, make: Callable[[], SlotType]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._idle: list[SlotType] = []

    def borrow(self) -> SlotType:
        """A slot for one trial.

        Raises:
            WorkspaceError: No helper could be started.
        """
        while True:
            with self._lock:
                if not self._idle:
                    break
                slot = self._idle.pop()
            if slot.usable:
                return slot
            slot.close()
        return self._make()

    def give_back(self, slot: SlotType) -> None:
        """Take back a slot that runs nothing."""
        with self._lock:
            self._idle.append(slot)

    def close(self) -> None:
        """End the helpers that no trial uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for slot in idle:
            slot.close()


def _latin(text: str) -> str:
    return os.fsencode(text).decode("latin-1")


@contextmanager
def _stdin_file(content: bytes | IO[bytes] | None) -> Iterator[IO[bytes]]:
    if content is None:
        with Path(os.devnull).open("rb") as file:
            yield file
        return
    if not isinstance(content, bytes):
        yield content
        return
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield file


def _feed(descriptor: int, sink: OutputSink) -> bool:
    """Move one chunk; the answer is whether there may be more later."""
    try:
        data = os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return True
    sink.feed(data)
    return bool(data)


def _drain(streams: Mapping[IO[bytes], OutputSink]) -> None:
    """Take what was written before the end; nobody is left to write more."""
    for stream, sink in streams.items():
        for _ in range(_DRAINED_CHUNKS):
            try:
                data = os.read(stream.fileno(), _CHUNK)
            except BlockingIOError:
                break
            if not data:
                break
            sink.feed(data)


def _kill_remains(leader: int, pipes: frozenset[int]) -> None:
    """Kill what can still be found of a command whose helper is gone.

    Args:
        leader: The leader of its session; 0 where the helper was gone before it could tell.
        pipes: The inodes of its output pipes, which it and its children hold open.
    """
    if leader:
        with suppress(OSError):
            os.killpg(leader, signal.SIGKILL)
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if int(process.name) != os.getpid() and _belongs(process, leader, pipes):
                os.kill(int(process.name), signal.SIGKILL)


def _belongs(process: Path, leader: int, pipes: frozenset[int]) -> bool:
    """Whether a process, by its folder in /proc, is of a session, or can write to one of the pipes."""
    # proc(5): the name, in parentheses, may hold anything; the session is the fourth field behind it. Session 0 is what
    # was started outside of this PID namespace, and so never a command's.
    session = int((process / "stat").read_bytes().rpartition(b")")[2].split()[3])
    if leader > 0 and session == leader:
        return True
    ends = {f"pipe:[{inode}]" for inode in pipes}
    return any(
        file.lstat().st_mode & stat.S_IWUSR and str(file.readlink()) in ends for file in (process / "fd").iterdir()
    )

"""The helper that runs one command at a time and leaves none of its processes behind.

Not imported: `skillgrade.process` starts it as ``python -I -S subreaper.py`` with a socket as its standard input. It
uses the standard library only, and gets an empty environment, so that its ``/proc/PID/environ`` holds no secret.

On Linux it is a child subreaper (prctl(2)): whatever a command leaves, also what forked twice or called setsid, becomes
its child. Children are listed in ``/proc/self/task/PID/children`` (proc(5)), killed and reaped until there are none.
Only children are killed, never their children: a child's number cannot pass to a stranger before it is reaped.

Where there is no such list (macOS), it kills the command's process group and what ``ps`` shows below itself at that
moment. What left the group *and* lost its parent before escapes there.

Messages from the runner, numbers being 4 bytes, big-endian:

* ``R``, a length and a JSON object with `number`, `argv`, `env` and `cwd`, whose strings are Latin-1 and stand for
  bytes, and `extra`, a list of numbers, with the three standard streams and as many more descriptors as ancillary data:
  run a command that sees those descriptors under these numbers;
* ``K`` and a command's number: kill that command;
* ``S``: kill whatever is left.

Answers are JSON objects, one a line. The end of the socket, as by the runner's death, kills everything.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

MOST_EXTRA = 4
"""How many descriptors a command may get beside its standard streams."""

KILL_SECONDS = 2.0
"""How long the tree of a dead command is hunted."""

_PR_SET_CHILD_SUBREAPER = 36


class Helper:
    """The loop over the runner's messages.

    Args:
        control: The socket to the runner.
        changes: A non-blocking file descriptor that becomes readable when a child has ended.
    """

    def __init__(self, control: socket.socket, changes: int) -> None:
        self._control = control
        self._changes = changes
        self._main = 0
        self._exit: int | None = None

    def serve(self) -> None:
        """Do what the runner asks until it is gone; then leave nothing."""
        try:
            self._answer(ready=True)
            while True:
                kind, files, _flags, _address = socket.recv_fds(self._control, 1, 3 + MOST_EXTRA)
                if kind == b"R":
                    self._run(files)
                elif kind == b"K":
                    self._read(4)  # that command has just ended by itself
                elif kind == b"S":
                    self._answer(survivors=self._end_all())
                elif not kind:
                    return
        except (EOFError, ConnectionError):
            return
        finally:
            self._end_all()

    def _run(self, files: list[int]) -> None:
        try:
            request = json.loads(self._read(int.from_bytes(self._read(4), "big")))
            error = self._start(request, files)
        finally:
            for file in files:
                os.close(file)
        if error is not None:
            self._answer(error=error)
            return
        self._answer(pid=self._main)
        killed = not self._ends_by_itself(request["number"])
        survivors = self._end_all()
        self._answer(exit=self._exit, killed=killed, survivors=survivors)

    def _start(self, request: dict[str, Any], files: list[int]) -> str | None:
        """Start the command; the answer is why it could not be started."""
        argv = [argument.encode("latin-1") for argument in request["argv"]]
        env = {name.encode("latin-1"): value.encode("latin-1") for name, value in request["env"].items()}
        cwd = request["cwd"].encode("latin-1")
        streams, extra = files[:3], request["extra"]
        self._exit = None
        try:
            for file, number in zip(files[3:], extra, strict=True):
                os.dup2(file, number, inheritable=False)
            process = subprocess.Popen(
                argv,
                env=env,
                cwd=cwd,
                stdin=streams[0],
                stdout=streams[1],
                stderr=streams[2],
                pass_fds=extra,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            name = getattr(error, "filename", None) or argv[0]
            return f"{os.fsdecode(name)}: {getattr(error, 'strerror', None) or error}"
        finally:
            for number in extra:
                with suppress(OSError):
                    os.close(number)
        self._main = process.pid
        process.returncode = 0  # all children are reaped in one place, below; Popen must not wait for this one too
        return None

    def _ends_by_itself(self, number: int) -> bool:
        """Wait until the command ends (true) or the runner wants it dead (false)."""
        while True:
            ready, _, _ = select.select([self._control.fileno(), self._changes], [], [])
            self._reap()
            if self._exit is not None:
                return True
            if self._control.fileno() in ready and int.from_bytes(self._read(5)[1:], "big") == number:
                return False

    def _end_all(self) -> int:
        """Kill and reap until nothing is left; the answer counts what is, when the time is over."""
        deadline = time.monotonic() + KILL_SECONDS
        while True:
            victims = self._victims()
            for pid in victims:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            left = self._reap()
            if not (left or victims):
                return 0
            remaining = deadline - time.monotonic()
            if left and remaining <= 0:
                return len(victims)
            # A child's orphans become ours before its own end is signalled, so the next look finds them.
            select.select([self._changes], [], [], max(0.0, min(remaining, 0.05)) if left else 0)

    def _victims(self) -> list[int]:
        try:
            with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:  # noqa: PTH123 (pathlib costs start-up)
                return [int(pid) for pid in file.read().split()]
        except FileNotFoundError:
            table = subprocess.run(["/bin/ps", "-A", "-o", "pid=,ppid=,pgid="], capture_output=True, check=False)
            return members(table.stdout, os.getpid(), self._main)

    def _reap(self) -> bool:
        """Reap what is dead; the answer is whether a child is left."""
        with suppress(BlockingIOError):
            while os.read(self._changes, 4096):
                pass
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._main:
                self._exit = os.waitstatus_to_exitcode(status)

    def _read(self, length: int) -> bytes:
        data = bytearray()
        while len(data) < length:
            chunk = self._control.recv(length - len(data))
            if not chunk:
                raise EOFError
            data += chunk
        return bytes(data)

    def _answer(self, **fields: object) -> None:
        self._control.sendall(json.dumps(fields).encode() + b"\n")


def members(table: bytes, root: int, group: int) -> list[int]:
    """Who is below `root`, or in the process group `group`, by a table of ``pid ppid pgid`` lines."""
    rows = [tuple(map(int, line.split())) for line in table.splitlines()]
    found = {root}
    while True:
        more = {pid for pid, parent, pgid in rows if parent in found or (pgid == group and group)} - found
        if not more:
            return sorted(found - {root})
        found |= more


def main() -> None:
    """Become a clean process, then serve."""
    # Whatever the runner ignores or blocks, such as SIGINT at its end, a command must start with the defaults.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(name, signal.SIG_DFL)
    os.umask(0o022)  # what a command makes must not depend on who runs the evaluation
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    changes, wakeup = os.pipe()
    for end in (changes, wakeup):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    with socket.socket(fileno=0) as control:
        Helper(control, changes).serve()


if __name__ == "__main__":
    main()

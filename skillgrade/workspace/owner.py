"""Whose a container or a temporary folder is, and whether that process is still there.

A process id alone says little: numbers are used again. Together with the time at which the process started it names one
process of one host.
"""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import uuid
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Owner:
    """One process.

    Attributes:
        host: The machine and, on Linux, the namespace in which its number counts.
        pid: Its number there.
        started: When it started, in a form that only says whether two are the same; empty when that cannot be told.
    """

    host: str
    pid: int
    started: str

    def is_gone(self) -> bool:
        """Whether the process is known to be gone; one of another host never is."""
        if self.host != this_process().host or not self.started:
            return False
        started = _started(self.pid)
        return started != self.started and not (started == "" and _is_hidden(self.pid))

    def mark(self) -> str:
        """A short form for names of files: who owns them shows even where nothing else about them is left."""
        return f"{_short(self.host)}.{self.pid}.{_short(self.started)}"


def is_mark_of_the_dead(mark: str) -> bool:
    """Whether the process that a `Owner.mark` names is known to be gone; one of another host never is."""
    host, pid, started = mark.split(".")
    if host != _short(this_process().host) or started == _short(""):
        return False
    now = _started(int(pid))
    return _short(now) != started and not (now == "" and _is_hidden(int(pid)))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@cache
def _this(pid: int) -> Owner:
    return Owner(_host(), pid, _started(pid))


def this_process() -> Owner:
    """The process that asks."""
    return _this(os.getpid())


def _host() -> str:
    """Names this machine among all that may use one daemon or one folder.

    Host names alone are often the same, and a container that shares its host's name still counts processes by itself.
    """
    address = uuid.getnode()
    is_random = address >> 40 & 1  # RFC 9562, 6.10: the bit that marks one that no network card has
    try:
        namespace = str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:
        namespace = ""
    return "-".join((socket.gethostname(), "" if is_random else f"{address:x}", namespace))


def _started(pid: int) -> str:
    """When a process started; empty when it is none, or dead and not yet waited for."""
    if Path("/proc/self/stat").exists():
        try:
            # proc(5): the state is the first field behind the name, which may hold anything, and starttime the 20th.
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            return "" if fields[0] in {b"Z", b"X"} else fields[19].decode()
        except (OSError, IndexError):
            return ""
    shown = subprocess.run(["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout.strip()


def _is_hidden(pid: int) -> bool:
    """Whether there is such a process of another user: /proc may not show those (its option hidepid)."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return False

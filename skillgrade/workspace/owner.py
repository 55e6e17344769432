"""Whose a container or a temporary folder is, and whether that process is still there.

A process id alone says little: numbers are used again. Together with the time at which the process started it names one
process of one host.
"""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Owner:
    """One process.

    Attributes:
        host: The name of its host.
        pid: Its number there.
        started: When it started, in a form that only says whether two are the same; empty when that cannot be told.
    """

    host: str
    pid: int
    started: str

    def is_gone(self) -> bool:
        """Whether the process is known to be gone; one of another host never is."""
        return self.host == socket.gethostname() and self.started not in {"", _started(self.pid)}


@cache
def _this(pid: int) -> Owner:
    return Owner(socket.gethostname(), pid, _started(pid))


def this_process() -> Owner:
    """The process that asks."""
    return _this(os.getpid())


def _started(pid: int) -> str:
    if Path("/proc/self/stat").exists():
        try:
            # proc(5): starttime is the 22nd field, and the 20th behind the name, which may hold anything.
            return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
        except (OSError, IndexError):
            return ""
    shown = subprocess.run(["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout.strip()

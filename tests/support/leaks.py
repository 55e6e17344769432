"""What a test left: processes, threads, file descriptors, temporary files, containers."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from skillgrade.workspace.owner import this_process
from tests.support.processes import eventually

_PR_SET_CHILD_SUBREAPER = 36
_PATIENCE = 3.0
"""Seconds in which what is ending may end."""


@dataclass(frozen=True)
class Held:
    """What this process holds at a moment.

    Attributes:
        processes: Its children, orphans of its children too.
        threads: The numbers of threads that would keep it alive.
        files: What each file descriptor stands for.
        temporary: What skillgrade has in the temporary folder.
    """

    processes: frozenset[int]
    threads: frozenset[int]
    files: frozenset[tuple[int, str]]
    temporary: frozenset[str]


def adopt_orphans() -> None:
    """Become the parent of what outlives its own one (prctl(2)), so that it is seen."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def held(temporary: Path, sockets: bool = True) -> Held:
    """What this process holds now.

    Args:
        temporary: The temporary folder.
        sockets: Whether they count; the connections to Docker's daemon are kept for the next test.
    """
    files = {(number, target) for number, target in _files() if sockets or not target.startswith("socket:")}
    names = frozenset(name for name in os.listdir(temporary) if name.startswith("skillgrade-"))  # noqa: PTH208 (fast)
    return Held(_children(), _threads(), frozenset(files), names)


def left(before: Held, temporary: Path, sockets: bool = True) -> list[str]:
    """What has come since and does not go."""
    if not _news(before, held(temporary, sockets)):
        return []
    gc.collect()
    eventually(lambda: not _news(before, held(temporary, sockets)), _PATIENCE)
    return _news(before, held(temporary, sockets))


def containers_left(tmp_path: Path) -> list[str]:
    """Containers of this process, and of runs whose results are below a test's folder; other workers have theirs."""
    import docker

    owner, runs = this_process(), {path.name for path in tmp_path.glob("**/.skillgrade/2*")}
    with closing(docker.APIClient()) as api:
        found = api.containers(all=True, filters={"label": [f"skillgrade.host={owner.host}", "skillgrade.run"]})
    return [
        f"container {container['Id'][:12]} of run {labels['skillgrade.run']}"
        for container in found
        for labels in [container["Labels"]]
        if labels["skillgrade.run"] in runs or labels["skillgrade.pid"] == str(owner.pid)
    ]


def _news(before: Held, now: Held) -> list[str]:
    return [
        *(f"process {pid}: {_command(pid)}" for pid in now.processes - before.processes),
        *(f"thread {thread.name}" for thread in threading.enumerate() if thread.ident in now.threads - before.threads),
        *(f"file descriptor {number}: {target}" for number, target in now.files - before.files),
        *(f"temporary {name}" for name in now.temporary - before.temporary),
    ]


def _children() -> frozenset[int]:
    found: set[int] = set()
    with suppress(OSError):
        for thread in os.listdir("/proc/self/task"):  # noqa: PTH208 (fast)
            with suppress(OSError):
                found.update(map(int, Path(f"/proc/self/task/{thread}/children").read_bytes().split()))
    return frozenset(pid for pid in found if not _is_dead(pid))


def _is_dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in {b"Z", b"X"}
    except OSError:
        return True


def _threads() -> frozenset[int]:
    # The watchdog of each test is one of pytest's own.
    return frozenset(
        thread.ident
        for thread in threading.enumerate()
        if thread.ident is not None and not thread.daemon and not thread.name.startswith("pytest_timeout")
    )


def _files() -> list[tuple[int, str]]:
    found = []
    with suppress(OSError):
        for number in os.listdir("/proc/self/fd"):  # noqa: PTH208 (fast)
            with suppress(OSError):
                found.append((int(number), os.readlink(f"/proc/self/fd/{number}")))  # noqa: PTH115 (fast)
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()[:200]
    except OSError:
        return "gone"

"""Linux control groups: limits on memory, processes and processors for everything that a group holds.

Both versions are served (kernel: admin-guide/cgroup-v1 and cgroup-v2). A group is made below the one that skillgrade
itself is in, or, in version 2, below its nearest ancestor that hands controllers on, since a group with processes may
not. Whoever may not make groups there gets none, and is told so.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from skillgrade.suite.model import Limits
from skillgrade.workspace.leftover import Leftover, empty_folder
from skillgrade.workspace.owner import Owner, this_process

MOUNT = Path("/sys/fs/cgroup")
CONTROLLERS = ("memory", "pids", "cpu")

_PREFIX = "skillgrade-"
_PERIOD_US = 100_000
_LABEL = re.compile(re.escape(_PREFIX) + r"(\d+)-([^-]*)-[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """Folders that make up one group; several of them in version 1.

    Attributes:
        folders: By controller, those that could be had.
        is_unified: Whether they are of version 2.
    """

    folders: dict[str, Path]
    is_unified: bool

    def limit(self, limits: Limits, extra_processes: int) -> None:
        """Set what the processes in it may use together.

        Args:
            limits: What they may use.
            extra_processes: Processes of ours that are in it as well.

        Raises:
            OSError: A limit was refused.
        """
        memory, quota = str(limits.memory_mb << 20), str(max(1000, round(limits.cpus * _PERIOD_US)))
        settings = [("pids", "pids.max", str(limits.pids + extra_processes))]
        if self.is_unified:
            settings += [
                ("memory", "memory.max", memory),
                ("memory", "memory.swap.max", "0"),
                ("cpu", "cpu.max", f"{quota} {_PERIOD_US}"),
            ]
        else:
            settings += [
                # The sum with swap must never be below the other, so it makes room first.
                ("memory", "memory.memsw.limit_in_bytes", "-1"),
                ("memory", "memory.limit_in_bytes", memory),
                ("memory", "memory.memsw.limit_in_bytes", memory),
                ("cpu", "cpu.cfs_period_us", str(_PERIOD_US)),
                ("cpu", "cpu.cfs_quota_us", quota),
            ]
        for controller, name, value in settings:
            folder = self.folders.get(controller)
            # Where swap is not accounted for, its files are missing.
            if folder is not None and not ("sw" in name and not (folder / name).exists()):
                (folder / name).write_text(value, encoding="ascii")

    def add(self, pid: int) -> None:
        """Move a process into it; its children to come are in it too.

        Raises:
            OSError: It may not be moved.
        """
        for folder in set(self.folders.values()):
            (folder / "cgroup.procs").write_text(str(pid), encoding="ascii")

    def oom_kills(self) -> int:
        """How many processes the memory limit has killed so far."""
        folder = self.folders.get("memory")
        if folder is None:
            return 0
        text = (folder / ("memory.events" if self.is_unified else "memory.oom_control")).read_text(encoding="ascii")
        return int(dict(line.split() for line in text.splitlines()).get("oom_kill", "0"))

    def remove(self) -> None:
        """Remove it, once nothing is in it; a later run sweeps what could not be."""
        for folder in set(self.folders.values()):
            with suppress(OSError):
                folder.rmdir()


def make_control_group(
    pid: int, mount: Path = MOUNT, membership: Path = Path("/proc/self/cgroup")
) -> ControlGroup | None:
    """Make a group and move a process into it.

    Args:
        pid: The process.
        mount: Where control groups are mounted.
        membership: The file that names this process's own groups (cgroups(7)).

    Returns:
        The group, or None where none may be made.
    """
    owner = this_process()
    name = f"{_PREFIX}{owner.pid}-{owner.started}-{uuid.uuid4().hex[:12]}"
    for is_unified, places in _candidates(mount, membership):
        group = ControlGroup(_make(places, name), is_unified)
        if not group.folders:
            continue
        try:
            group.add(pid)
        except OSError:
            group.remove()
            continue
        return group
    return None


def dead_control_groups(mount: Path = MOUNT, membership: Path = Path("/proc/self/cgroup")) -> Iterator[Leftover]:
    """The groups of processes that are gone; they can be removed once they are empty."""
    parents = {place for _, places in _candidates(mount, membership) for place in places.values()}
    for parent in sorted(parents):
        for folder in sorted(parent.glob(f"{_PREFIX}*")):
            label = _LABEL.fullmatch(folder.name)
            if label and Owner(this_process().host, int(label[1]), label[2]).is_gone():
                yield empty_folder("control group", folder)


def _candidates(mount: Path, membership: Path) -> Iterator[tuple[bool, dict[str, Path]]]:
    """Where a group may be had, the nearest place first: whether of version 2, and the parent of each controller."""
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    own = {name: path for _, names, path in (line.split(":", 2) for line in lines) for name in names.split(",")}
    if (mount / "cgroup.controllers").exists():
        place = mount / own.get("", "/").lstrip("/")
        for parent in (place, *place.parents):
            handed_on = _words(parent / "cgroup.subtree_control")
            if enabled := [name for name in CONTROLLERS if name in handed_on]:
                yield True, dict.fromkeys(enabled, parent)
            if parent == mount:
                return
    else:
        yield False, {name: mount / name / own[name].lstrip("/") for name in CONTROLLERS if name in own}


def _make(places: dict[str, Path], name: str) -> dict[str, Path]:
    made = {}
    for controller, parent in places.items():
        folder = parent / name
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
            made[controller] = folder
    return made


def _words(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").split()
    except OSError:
        return []

"""Who owns what in a container, and where its places are."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import IO

from skillgrade.suite.model import PLAIN_USER_ID
from skillgrade.workspace.base import Place, StagedFile
from skillgrade.workspace.docker.archive import write_archive
from skillgrade.workspace.staging import CONTROL_PATH, WORKSPACE_PATH, Item, flatten

ROOTS = {Place.WORKSPACE: WORKSPACE_PATH, Place.CONTROL: CONTROL_PATH}

_PROTECTED = ("/bin/", "/boot/", "/etc/", "/lib/", "/lib32/", "/lib64/", "/opt/", "/root/", "/run/", "/sbin/", "/usr/")


@dataclass(frozen=True, slots=True)
class PlacedItems:
    """Items with their owner's uid.

    Attributes:
        items: What to put in, parents first.
        user: The uid that the agent runs as.
    """

    items: tuple[Item, ...]
    user: int

    def write(self, out: IO[bytes]) -> None:
        """Write them as an archive to be unpacked at ``/``."""
        write_archive(self.items, ROOTS, self._owner, out)

    def ways(self) -> list[tuple[str, str]]:
        """What must be clear before they are put in: pairs of a root that is trusted and a path below it."""
        ways = []
        for item in self.in_the_way():
            if item.place is Place.SYSTEM:
                ways.append((posixpath.dirname(item.path), posixpath.basename(item.path)))
            else:
                ways.append((ROOTS[item.place], item.path))
        return ways

    def in_the_way(self) -> list[Item]:
        """The items whose places must be clear: those named by a destination, but no folder of the system."""
        return [item for item in self.items if (item.kind != "folder" if item.place is Place.SYSTEM else item.named)]

    def _owner(self, item: Item) -> int:
        return 0 if item.place is Place.CONTROL or _is_protected(item) else self.user


def place_items(files: Sequence[StagedFile], is_root: bool, warn: Callable[[str], None]) -> PlacedItems:
    """Flatten staged files for a container.

    The workspace, and whatever a task puts outside the system's folders, belongs to the agent's user. In the system's
    folders root owns it, since graders may use it, and everybody may read it, since the agent must be able to.

    Args:
        files: What to put in.
        is_root: Whether the agent is root.
        warn: Called with one sentence for each thing that is left out.
    """
    items = tuple(
        replace(item, mode=item.mode | (0o555 if item.mode & 0o100 or item.kind == "folder" else 0o444))
        if _is_protected(item)
        else item
        for item in flatten(files, warn)
    )
    return PlacedItems(items, 0 if is_root else PLAIN_USER_ID)


def _is_protected(item: Item) -> bool:
    return item.place is Place.SYSTEM and item.path.startswith(_PROTECTED)

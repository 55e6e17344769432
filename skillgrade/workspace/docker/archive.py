"""Staged items as a tar archive, and a workspace's archive made safe to put into another container."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterable, Mapping
from typing import IO

from skillgrade.errors import WorkspaceError
from skillgrade.reading import reason
from skillgrade.workspace.base import Place
from skillgrade.workspace.staging import Item

# Whole seconds and no pax headers: the same items make the same bytes.
_FORMAT = tarfile.GNU_FORMAT
_CARRIED = frozenset((tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE))


def write_archive(
    items: Iterable[Item], roots: Mapping[Place, str], owner: Callable[[Item], int], out: IO[bytes]
) -> None:
    """Write items as a tar archive to be unpacked at ``/``.

    Args:
        items: Parents before what they hold.
        roots: The absolute path that stands for each place; what is in the system keeps its own.
        owner: The uid (and gid) of an item.
        out: Where the archive goes; left at its end.

    Raises:
        WorkspaceError: A source cannot be read, or the archive cannot be written.
    """
    with tarfile.open(fileobj=out, mode="w", format=_FORMAT, encoding="utf-8", errors="surrogateescape") as tar:
        for item in items:
            name = item.path if item.place is Place.SYSTEM else f"{roots[item.place]}/{item.path}"
            member = tarfile.TarInfo(name.lstrip("/"))
            member.mode, member.mtime = item.mode, int(item.mtime)
            member.uid = member.gid = owner(item)
            try:
                _add(tar, member, item)
            except OSError as error:
                raise WorkspaceError(f"{item.source or item.path}: cannot be staged: {reason(error)}") from error


def _add(tar: tarfile.TarFile, member: tarfile.TarInfo, item: Item) -> None:
    if item.kind == "folder":
        member.type = tarfile.DIRTYPE
        tar.addfile(member)
    elif item.target is not None:
        member.type, member.linkname = tarfile.SYMTYPE, item.target
        tar.addfile(member)
    elif item.source is not None:
        with item.source.open("rb") as content:
            # The size now, not when the folder was walked: the header must match what follows.
            member.size = content.seek(0, io.SEEK_END)
            content.seek(0)
            tar.addfile(member, content)
    else:
        data = item.data or b""
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))


def carry_over(source: IO[bytes], out: IO[bytes]) -> None:
    """Copy a workspace's archive without what could act on whoever unpacks it.

    Owners, times, links and contents stay; set-user-ID bits, extended attributes (such as capabilities) and special
    files with every name that they have go.

    Raises:
        WorkspaceError: It is no archive of a folder, or cannot be written.
    """
    gone: set[str] = set()
    try:
        with (
            tarfile.open(fileobj=source, mode="r|", encoding="utf-8", errors="surrogateescape") as tar,
            tarfile.open(fileobj=out, mode="w", format=_FORMAT, encoding="utf-8", errors="surrogateescape") as safe,
        ):
            for number, member in enumerate(tar):
                if number == 0 and not member.isdir():
                    raise WorkspaceError("the workspace is no folder any more: tampered with")
                if member.type not in _CARRIED or (member.islnk() and member.linkname in gone):
                    gone.add(member.name)
                    continue
                member.mode &= 0o1777
                member.mtime = int(member.mtime)
                member.pax_headers = {}
                safe.addfile(member, tar.extractfile(member) if member.isreg() else None)
    except (OSError, tarfile.TarError) as error:
        raise WorkspaceError(f"the workspace could not be carried over: {error}") from error

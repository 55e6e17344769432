"""What goes where in a workspace: staged files, walked and flattened into single items.

Every provider puts in the same items, so that a task's files mean the same in each. Destinations follow ``cp`` and
COPY: a file whose destination ends in ``/``, or is a folder that was staged before, goes into it under its own name; a
folder's contents go to its destination. Later files replace earlier ones, folders merge. `chmod` on a folder applies to
the files in it, since a mode such as 644 would lock the folders themselves.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from skillgrade.errors import WorkspaceError
from skillgrade.file_trees import inner_target, special_kind
from skillgrade.suite.modes import apply_chmod
from skillgrade.workspace.base import Place, StagedFile

CONTROL_PATH = "/run/skillgrade"
WORKSPACE_PATH = "/workspace"
"""Where files written for containers expect the workspace; a destination below it means the workspace everywhere."""

FIXED_TIME = 946_684_800.0
"""Time of what has none of its own: 2000-01-01, since zip archives hold nothing before 1980."""

_KERNEL_FOLDERS = ("/proc", "/sys", "/dev")


@dataclass(frozen=True, slots=True)
class Item:
    """One file, folder or link to put into a workspace.

    Attributes:
        path: POSIX path relative to `place`, normalised; absolute for `Place.SYSTEM`.
        place: What `path` is relative to.
        kind: ``file``, ``folder`` or ``link``.
        mode: Permission bits; without meaning for a link.
        mtime: Seconds since the epoch.
        source: A regular file on the host that holds a file's content; None when `data` does.
        data: A file's content; None when `source` holds it.
        target: What a link points at, relative to the folder it stands in.
        named: Whether a destination names it: what stood there before must give place. For a folder whose contents go
            straight into a place, each of its entries counts as named.
    """

    path: str
    place: Place
    kind: Literal["file", "folder", "link"]
    mode: int
    mtime: float
    source: Path | None = None
    data: bytes | None = None
    target: str | None = None
    named: bool = False


def flatten(files: Sequence[StagedFile], warn: Callable[[str], None]) -> tuple[Item, ...]:
    """Walk staged files into single items; parents stand before what they hold.

    Every folder on the way to an item is an item too, except in `Place.SYSTEM`, whose folders belong to the system and
    keep their modes. A source that is itself a link is followed; links inside a source folder stay links when they
    point into that folder, and are left out with a warning otherwise, as are special files.

    Args:
        files: What to put in, later ones over earlier ones.
        warn: Called with one sentence for each thing that is left out.

    Raises:
        WorkspaceError: A destination leaves its place, a mode is none, or a source cannot be read.
    """
    tree: dict[tuple[Place, str], Item] = {}
    for file in files:
        for item in _items_of(file, tree, warn):
            _add(tree, item)
    return tuple(sorted(tree.values(), key=lambda item: (item.place, item.path.split("/"))))


def _items_of(file: StagedFile, tree: dict[tuple[Place, str], Item], warn: Callable[[str], None]) -> Iterator[Item]:
    place, path = _destination(file)
    if file.data is not None:
        if file.dest.endswith("/") or path in {"", "/"}:
            raise WorkspaceError(f"{file.dest}: the destination is a folder, but the content has no name of its own")
        yield Item(path, place, "file", _mode(file, 0o644), FIXED_TIME, data=file.data, named=True)
        return
    if file.src is None:
        raise WorkspaceError(f"{file.dest}: has neither a source nor content")
    try:
        source = file.src.resolve(strict=True)
        status = source.stat()
        if stat.S_ISDIR(status.st_mode):
            for item in _walk(file, source, place, path, warn):
                is_top = path in {"", "/"} and posixpath.dirname(item.path) == path
                yield replace(item, named=is_top or item.path == path)
            return
    except (OSError, RuntimeError) as error:
        raise WorkspaceError(f"{file.src}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    kind = special_kind(status.st_mode)
    if kind is not None:
        warn(f"{file.src}: left out, it is a {kind}")
        return
    existing = tree.get((place, path))
    if file.dest.endswith("/") or path in {"", "/"} or (existing is not None and existing.kind == "folder"):
        path = posixpath.join(path, file.src.name)
    yield replace(_file_item(file, source, status, place, path), named=True)


def _walk(file: StagedFile, root: Path, place: Place, path: str, warn: Callable[[str], None]) -> Iterator[Item]:
    pending = [(root, path)]
    while pending:
        folder, folder_path = pending.pop()
        status = folder.stat()
        if folder_path not in {"", "/"}:
            yield Item(folder_path, place, "folder", stat.S_IMODE(status.st_mode) & 0o777, status.st_mtime)
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                child, child_path = folder / entry.name, posixpath.join(folder_path, entry.name)
                status = entry.stat(follow_symlinks=False)
                kind = special_kind(status.st_mode)
                if kind is not None:
                    warn(f"{child}: left out, it is a {kind}")
                elif stat.S_ISDIR(status.st_mode):
                    pending.append((child, child_path))
                elif stat.S_ISREG(status.st_mode):
                    yield _file_item(file, child, status, place, child_path)
                else:
                    target = inner_target(child, root)
                    if target is None:
                        warn(f"{child}: left out, the link points outside {root.name}")
                    else:
                        yield Item(child_path, place, "link", 0o777, status.st_mtime, target=target)


def _file_item(file: StagedFile, source: Path, status: os.stat_result, place: Place, path: str) -> Item:
    # A set-user-ID bit of the host means nothing good in a workspace.
    mode = _mode(file, stat.S_IMODE(status.st_mode) & 0o777)
    return Item(path, place, "file", mode, status.st_mtime, source=source)


def _mode(file: StagedFile, mode: int) -> int:
    if file.chmod is None:
        return mode
    try:
        return apply_chmod(file.chmod, mode)
    except ValueError as error:
        raise WorkspaceError(f"{file.dest}: chmod: {error}") from error


def _destination(file: StagedFile) -> tuple[Place, str]:
    dest, place = file.dest, file.place
    if "\0" in dest:
        raise WorkspaceError(f"{dest!r}: a destination cannot hold a NUL byte")
    if dest.startswith("/") != (place is Place.SYSTEM):
        raise WorkspaceError(f"{dest}: a destination is absolute in the system and relative anywhere else")
    path = posixpath.normpath(dest).replace("//", "/")
    if place is Place.SYSTEM:
        if path == WORKSPACE_PATH or path.startswith(WORKSPACE_PATH + "/"):
            return Place.WORKSPACE, path[len(WORKSPACE_PATH) + 1 :]
        if any(path == folder or path.startswith(folder + "/") for folder in _KERNEL_FOLDERS):
            raise WorkspaceError(f"{dest}: nothing can be put into {'/' + path.split('/')[1]}")
        return place, path
    if path == ".." or path.startswith("../"):
        raise WorkspaceError(f"{dest}: the destination leaves the workspace; name a path inside, or an absolute one")
    return place, "" if path == "." else path


def _add(tree: dict[tuple[Place, str], Item], item: Item) -> None:
    for parent in _parents(item.path):
        holder = tree.get((item.place, parent))
        if holder is not None and holder.kind == "folder":
            break
        # A file or link in the way gives place: writing through a link would leave the place.
        tree.pop((item.place, parent), None)
        if item.place is not Place.SYSTEM:
            tree[item.place, parent] = Item(parent, item.place, "folder", 0o755, FIXED_TIME)
    earlier = tree.get((item.place, item.path))
    if earlier is not None and earlier.kind == "folder" and item.kind != "folder":
        prefix = item.path + "/"
        for key in [key for key in tree if key[0] is item.place and key[1].startswith(prefix)]:
            del tree[key]
    tree[item.place, item.path] = item


def _parents(path: str) -> Iterator[str]:
    parent = posixpath.dirname(path)
    while parent not in {"", "/"}:
        yield parent
        parent = posixpath.dirname(parent)

"""Absolute destinations in a sandbox: a task's file stands where the task asks for it, and nowhere on the host.

The files lie in the trial's private root. Below a folder that the sandbox shows read-only, such as /usr/local/bin, the
nearest existing folder is overlaid with ours or, without overlays, rebuilt entry by entry; anywhere else files and
folders are bound by themselves.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from skillgrade.errors import WorkspaceError
from skillgrade.workspace.base import Place
from skillgrade.workspace.bubblewrap_layers import HOME
from skillgrade.workspace.bubblewrap_system import is_shown_read_only
from skillgrade.workspace.programs import SYSTEM_FOLDERS
from skillgrade.workspace.staging import Item

_WRITABLE = {f"{HOME}/": "home", "/tmp/": "tmp", "/var/tmp/": "tmp"}  # noqa: S108 - places inside
"""Absolute places that belong to the trial, and the folders that stand for them."""


_MOST_ENTRIES = 200
"""Mounts that are worth one file, where folders cannot be overlaid."""


def split_destinations(items: Iterable[Item]) -> tuple[tuple[Item, ...], dict[str, list[Item]]]:
    """Tell apart what is bound from what goes into folders that belong to the trial anyway.

    Args:
        items: Items of any place.

    Returns:
        The items, those of the system under their real paths (``/bin/x`` is ``/usr/bin/x`` on most hosts); and those
        that the trial's own folders take, by the folder's name, with paths relative to it.
    """
    kept: list[Item] = []
    taken: dict[str, list[Item]] = {}
    for item in items:
        prefix = next((p for p in _WRITABLE if item.place is Place.SYSTEM and item.path.startswith(p)), None)
        if prefix is not None:
            taken.setdefault(_WRITABLE[prefix], []).append(replace(item, path=item.path[len(prefix) :]))
        elif item.place is Place.SYSTEM:
            kept.append(replace(item, path=_real_path(item.path)))
        else:
            kept.append(item)
    return tuple(kept), taken


def destination_options(items: Sequence[Item], root: Path, has_overlays: bool) -> Iterator[str]:
    """The options that show the items of `Place.SYSTEM`.

    Args:
        items: The items, under their real paths.
        root: The folder that holds them.
        has_overlays: Whether folders can be overlaid.

    Raises:
        WorkspaceError: One cannot be shown without overlays.
    """
    paths = {item.path for item in items}
    tops = [item for item in items if not _has_ancestor(item.path, paths)]
    below = {_nearest_folder(item.path): item.path for item in tops if is_shown_read_only(item.path)}
    folders = [folder for folder in below if not _has_ancestor(folder, set(below))]
    for folder in folders:
        if has_overlays:
            yield from ("--overlay-src", folder, "--overlay-src", f"{root}{folder}", "--ro-overlay", folder)
        else:
            yield from _rebuilt(folder, below[folder])
    for item in tops:
        if has_overlays and is_shown_read_only(item.path):
            continue
        if item.target is not None:
            yield from ("--symlink", item.target, item.path)
        else:
            yield from ("--ro-bind", f"{root}{item.path}", item.path)
    if not has_overlays:
        yield from (word for folder in folders for word in ("--remount-ro", folder))


def _rebuilt(folder: str, path: str) -> Iterator[str]:
    """An empty folder with each of the old one's entries, into which ours can be bound."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    if len(found) > _MOST_ENTRIES:
        raise WorkspaceError(
            f"{path}: nothing can be put below {folder} by this bubblewrap: version 0.11 or newer can, with a kernel "
            "and a temporary folder that allow overlays; or use --provider=docker"
        )
    yield from ("--tmpfs", folder)
    for entry in found:
        if entry.is_symlink():
            yield from ("--symlink", os.readlink(entry.path), entry.path)  # noqa: PTH115 - no path, but words
        else:
            yield from ("--ro-bind", entry.path, entry.path)


def _real_path(path: str) -> str:
    if not any(path.startswith(folder + "/") for folder in SYSTEM_FOLDERS):
        return path
    folder, name = posixpath.split(path)
    return posixpath.join(os.path.realpath(folder), name)


def _nearest_folder(path: str) -> str:
    folder = posixpath.dirname(path)
    while not Path(folder).is_dir():
        folder = posixpath.dirname(folder)
    return folder


def _has_ancestor(path: str, paths: set[str]) -> bool:
    while path not in {"/", ""}:
        path = posixpath.dirname(path)
        if path in paths:
            return True
    return False

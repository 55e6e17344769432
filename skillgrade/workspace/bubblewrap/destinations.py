"""What a sandbox shows at absolute paths: what all sandboxes of an environment share, and a task's own destinations.

A task's file stands where the task asks for it, and nowhere on the host: it lies in the trial's private root. Below a
folder that the sandbox shows read-only, such as /usr/local/bin, the nearest existing folder is overlaid with ours or,
without overlays, rebuilt entry by entry; anywhere else files and folders are bound by themselves.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from skillgrade.errors import WorkspaceError
from skillgrade.workspace.base import Place
from skillgrade.workspace.bubblewrap.host_programs import SYSTEM_FOLDERS
from skillgrade.workspace.bubblewrap.system import HOME
from skillgrade.workspace.staging import Item

_WRITABLE = {f"{HOME}/": "home", "/tmp/": "tmp", "/var/tmp/": "tmp"}  # noqa: S108 - places inside
"""Absolute places that belong to the trial, and the folders that stand for them."""

_MOST_ENTRIES = 200
"""Mounts that are worth one file, where folders cannot be overlaid."""


def split_destinations(items: Iterable[Item]) -> tuple[tuple[Item, ...], dict[str, list[Item]]]:
    """Tell apart what is shown at absolute paths from what goes into folders that belong to the trial anyway.

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


def place_options(items: Sequence[Item], root: Path, shared: Mapping[str, Path], has_overlays: bool) -> Iterator[str]:
    """The options that show what is shared, and the items of `Place.SYSTEM`.

    Args:
        items: The items, under their real paths.
        root: The folder that holds them.
        shared: What all sandboxes show, by the path inside.
        has_overlays: Whether folders can be overlaid.

    Raises:
        WorkspaceError: An item cannot be shown without overlays.
    """
    sources = {**{folder: Path(folder) for folder in SYSTEM_FOLDERS}, **shared}
    paths = {item.path for item in items}
    tops = [item for item in items if not _has_ancestor(item.path, paths)]
    nearest = {item.path: _nearest_folder(item.path, sources) for item in tops}
    folders = {folder: path for path, folder in nearest.items() if folder is not None}
    for place, source in shared.items():
        if place not in folders:
            yield from ("--ro-bind", str(source), place)
    rebuilt = [folder for folder in folders if not _has_ancestor(folder, set(folders))]
    for folder in rebuilt:
        if has_overlays:
            below = str(_source(folder, sources))
            yield from ("--overlay-src", below, "--overlay-src", f"{root}{folder}", "--ro-overlay", folder)
        else:
            yield from _rebuilt(folder, _source(folder, sources), folders[folder])
    for item in tops:
        if has_overlays and nearest[item.path] is not None:
            continue
        if item.target is not None:
            yield from ("--symlink", item.target, item.path)
        else:
            yield from ("--ro-bind", f"{root}{item.path}", item.path)
    if not has_overlays:
        yield from (word for folder in rebuilt for word in ("--remount-ro", folder))


def _rebuilt(folder: str, source: Path, path: str) -> Iterator[str]:
    """An empty folder with each of the old one's entries, into which ours can be bound."""
    entries = sorted(source.iterdir())
    if len(entries) > _MOST_ENTRIES:
        raise WorkspaceError(
            f"{path}: nothing can be put below {folder} by this bubblewrap: version 0.11 or newer can, with a kernel "
            "and a temporary folder that allow overlays; or use --provider=docker"
        )
    yield from ("--tmpfs", folder)
    for entry in entries:
        shown = posixpath.join(folder, entry.name)
        if entry.is_symlink():
            yield from ("--symlink", str(entry.readlink()), shown)
        else:
            yield from ("--ro-bind", str(entry), shown)


def _real_path(path: str) -> str:
    if not any(path.startswith(folder + "/") for folder in SYSTEM_FOLDERS):
        return path
    folder, name = posixpath.split(path)
    return posixpath.join(os.path.realpath(folder), name)


def _nearest_folder(path: str, sources: Mapping[str, Path]) -> str | None:
    """The nearest folder above a path that the sandbox shows read-only; None where it shows none."""
    if not any(path.startswith(place + "/") for place in sources):
        return None
    folder = posixpath.dirname(path)
    while not _source(folder, sources).is_dir():
        folder = posixpath.dirname(folder)
    return folder


def _source(folder: str, sources: Mapping[str, Path]) -> Path:
    """What on the host stands for a folder inside."""
    for place, source in sources.items():
        if folder == place or folder.startswith(place + "/"):
            return Path(f"{source}{folder[len(place) :]}")
    return Path(folder)


def _has_ancestor(path: str, paths: set[str]) -> bool:
    while path not in {"/", ""}:
        path = posixpath.dirname(path)
        if path in paths:
            return True
    return False

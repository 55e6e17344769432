"""What may be copied out of a tree of files: no special files, and no links that lead out of it."""

from __future__ import annotations

import posixpath
import stat
from pathlib import Path


def special_kind(mode: int) -> str | None:
    """What a file is that cannot be copied, from its `st_mode`; None for files, folders and links."""
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode):
        return None
    if stat.S_ISFIFO(mode):
        return "fifo"
    return "socket" if stat.S_ISSOCK(mode) else "device"


def inner_target(link: Path, root: Path) -> str | None:
    """Where a link inside `root` points, relative to its own folder; None when that is not inside `root`.

    Both readings must stay inside: the text alone, since the copy stands elsewhere, and where it leads on this host,
    since other links may be on the way.
    """
    text = str(link.readlink())
    folder = link.parent.relative_to(root).as_posix()
    if text.startswith("/"):
        inner = posixpath.relpath(posixpath.normpath(text), root.as_posix())
    else:
        inner = posixpath.normpath(posixpath.join(folder, text))
    if inner == ".." or inner.startswith("../") or not _leads_inside(link, root):
        return None
    return posixpath.relpath(inner, folder) if text.startswith("/") else text


def _leads_inside(link: Path, root: Path) -> bool:
    try:
        return link.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a loop of links leads nowhere, so not outside
        return True

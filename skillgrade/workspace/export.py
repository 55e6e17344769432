"""Taking the files of a workspace out into a folder of ours, whatever commands have made of them.

What comes out can be opened, copied and removed without harm: regular files, folders, and links that stay inside.
Nothing is written through a link, since links are made last. What is left out is told.
"""

from __future__ import annotations

import io
import os
import posixpath
import shutil
import stat
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from skillgrade.errors import Stage, WorkspaceError
from skillgrade.reading import reason
from skillgrade.stop import Stop
from skillgrade.workspace.base import Exported
from skillgrade.workspace.staging import WORKSPACE_PATH

MOST_ENTRIES = 200_000
"""Files, folders and links that are taken out."""

_NAMED = 5
_CHUNK = 1024 * 1024


class Export:
    """A folder that is being filled.

    Args:
        folder: An empty folder of ours.
        root: The workspace as commands inside see it, since links may say it in full.
        limit: Bytes of content that it may take.
        stop: Ends it early.
    """

    def __init__(self, folder: Path, root: str, limit: int, stop: Stop) -> None:
        self._folder = folder
        self._root = root
        self._left = limit
        self._limit = limit
        self._stop = stop
        self._entries = 0
        self._links: list[tuple[str, str]] = []
        self._is_whole = True
        self._left_out: Counter[str] = Counter()
        self._named: dict[str, list[str]] = {}

    def add_folder(self, path: str) -> None:
        """Add a folder, with those on its way."""
        if self._takes(path):
            self._write(path, lambda target: target.mkdir(mode=0o755, parents=True, exist_ok=True))

    def add_file(self, path: str, size: int, executable: bool, content: Callable[[], IO[bytes] | None]) -> None:
        """Add a regular file.

        Args:
            path: Where, relative to the workspace.
            size: Bytes that it says to have; holes count like what is between them.
            executable: Whether it can be executed.
            content: Opens it.
        """
        if not self._takes(path):
            return
        if size > self._left:
            self.leave_out(path, f"more than {self._limit // 2**20} MiB")
            return
        self._left -= size

        def write(target: Path) -> None:
            target.parent.mkdir(parents=True, exist_ok=True)
            source = content()
            if source is None:
                raise OSError("no content")
            try:
                with source, target.open("xb") as out:
                    shutil.copyfileobj(source, out, _CHUNK)
            except tarfile.TarError:
                target.unlink()  # half of it would look like all of it
                raise
            target.chmod(0o755 if executable else 0o644)

        self._write(path, write)

    def add_link(self, path: str, target: str) -> None:
        """Add a symbolic link; it is left out where it leads out of the workspace."""
        if not self._takes(path):
            return
        inner = target_inside(path, target, self._root)
        if inner is None:
            self.pass_over(path, "a link that leads out of the workspace")
        else:
            self._links.append((path, inner))

    def leave_out(self, path: str, why: str) -> None:
        """Note that something is not taken which belongs to the workspace."""
        self._is_whole = False
        self.pass_over(path, why)

    def pass_over(self, path: str, why: str) -> None:
        """Note that something is not taken which could not be taken from any workspace."""
        self._left_out[why] += 1
        named = self._named.setdefault(why, [])
        if len(named) < _NAMED:
            named.append(path)

    def finish(self) -> Exported:
        """Make the links; says what came of it all."""
        links = {path for path, _ in self._links}
        for path, target in self._links:
            if any(parent.as_posix() in links for parent in PurePosixPath(path).parents):
                # Only a forged archive says so; made there, it would lead elsewhere than was found harmless.
                self.leave_out(path, "it would be made through a link")
                continue

            def write(link: Path, target: str = target) -> None:
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(target)

            self._write(path, write)
        notes = (
            f"left out of what was taken out of the workspace ({why}): {_listed(self._named[why], count)}"
            for why, count in self._left_out.items()
        )
        return Exported(tuple(notes), self._is_whole)

    def _takes(self, path: str) -> bool:
        self._stop.check()
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            self.leave_out(path, f"more than {MOST_ENTRIES} files")
            return False
        if not is_plain(path):
            self.leave_out(path, "its name leads elsewhere")
            return False
        return True

    def _write(self, path: str, write: Callable[[Path], None]) -> None:
        try:
            write(self._folder / path)
        except (OSError, ValueError) as error:
            self.leave_out(path, reason(error) if isinstance(error, OSError) else str(error))


def target_inside(path: str, target: str, root: str) -> str | None:
    """Where a link leads, relative to its own folder; None when that is out of the workspace.

    The answer first goes up, along folders that are none but folders, and then down. So it stays inside whatever links
    are on its way, since they do so too. The text as it is may not: ``up/../..`` leads as far out as ``up`` led up.

    Args:
        path: The link, relative to the workspace.
        target: What it says.
        root: The workspace as whoever made the link sees it.
    """
    folder = posixpath.dirname(path)
    if target.startswith("/"):
        led = posixpath.relpath(posixpath.normpath(target), root)
    else:
        led = posixpath.normpath(posixpath.join(folder, target))
    return None if led == ".." or led.startswith("../") else posixpath.relpath(led, folder or ".")


def export_archive(source: IO[bytes], is_whole: bool, folder: Path, limit: int, stop: Stop) -> Exported:
    """Unpack the archive of a workspace, whose members have the workspace's name before their own.

    Args:
        source: The archive, which a container's daemon makes of what commands left.
        is_whole: Whether it is all there.
        folder: An empty folder of ours.
        limit: Bytes of content that are taken.
        stop: Ends it early.

    Raises:
        WorkspaceError: It is no archive of a folder.
        Cancelled: The stop came.
    """
    export = Export(folder, WORKSPACE_PATH, limit, stop)
    size = source.seek(0, io.SEEK_END)
    source.seek(0)
    try:
        with tarfile.open(fileobj=source, mode="r|", encoding="utf-8", errors="surrogateescape") as tar:
            for number, member in enumerate(tar):
                if number == 0:
                    if not member.isdir():
                        raise WorkspaceError("the workspace is no folder any more: tampered with", Stage.COLLECT)
                    continue
                _add_member(export, tar, member, _inside(member.name), folder)
                if member.offset_data + member.size > size:
                    break  # tarfile would look for the end of a terabyte of holes block by block
    except (OSError, tarfile.TarError) as error:
        if is_whole or isinstance(error, OSError):
            raise WorkspaceError(f"the workspace could not be taken out: {error}", Stage.COLLECT) from error
    if not is_whole:
        export.leave_out("what came last", f"more than {limit // 2**20} MiB")
    return export.finish()


def export_tree(
    root: Path, seen_as: str, folder: Path, limit: int, stop: Stop, skipped: Callable[[str], bool]
) -> Exported:
    """Copy a folder in which nothing runs any more.

    Args:
        root: The folder.
        seen_as: Where commands inside saw it.
        folder: An empty folder of ours.
        limit: Bytes of content that are taken.
        stop: Ends it early.
        skipped: Whether a path is not to be taken, for reasons that need not be told.

    Raises:
        WorkspaceError: The folder is none any more.
        Cancelled: The stop came.
    """
    export = Export(folder, seen_as, limit, stop)
    if not root.is_dir() or root.is_symlink():
        raise WorkspaceError("the workspace is no folder any more: tampered with", Stage.COLLECT)
    add_tree(export, root, skipped)
    return export.finish()


def add_tree(export: Export, root: Path, skipped: Callable[[str], bool]) -> None:
    """Add what a folder holds to an export; folders before what they hold."""
    for path, full, status in _walk(root, export, skipped):
        if stat.S_ISDIR(status.st_mode):
            export.add_folder(path)
        elif stat.S_ISLNK(status.st_mode):
            export.add_link(path, os.fsdecode(full.readlink()))
        elif stat.S_ISREG(status.st_mode):
            export.add_file(path, status.st_size, bool(status.st_mode & 0o100), partial(_open, full))
        else:
            export.pass_over(path, "neither a file nor a folder nor a link")


def _walk(root: Path, export: Export, skipped: Callable[[str], bool]) -> Iterator[tuple[str, Path, os.stat_result]]:
    pending = [""]
    while pending:
        at = pending.pop()
        try:
            names = sorted(_list(root / at))
        except OSError as error:
            export.leave_out(at or ".", reason(error))
            continue
        for name in names:
            path = posixpath.join(at, name)
            if skipped(path):
                continue
            full = root / path
            try:
                status = full.lstat()
            except OSError as error:
                export.leave_out(path, reason(error))
                continue
            yield path, full, status
            if stat.S_ISDIR(status.st_mode):
                pending.append(path)


def _list(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except PermissionError:
        folder.chmod(0o700)
        return [entry.name for entry in folder.iterdir()]


def _open(path: Path) -> IO[bytes]:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return os.fdopen(os.open(path, flags), "rb")
    except PermissionError:
        path.chmod(0o600)
        return os.fdopen(os.open(path, flags), "rb")


def _add_member(export: Export, tar: tarfile.TarFile, member: tarfile.TarInfo, path: str, folder: Path) -> None:
    if member.isdir():
        export.add_folder(path.rstrip("/"))
    elif member.issym():
        export.add_link(path, member.linkname)
    elif member.islnk():
        # Names of what was unpacked already, in which nothing is a link yet.
        inside = _inside(member.linkname)
        other = folder / inside
        if is_plain(inside) and other.is_file():
            status = other.stat()
            export.add_file(path, status.st_size, bool(status.st_mode & 0o100), partial(_open, other))
        else:
            export.leave_out(path, "a second name of what is not there")
    elif member.isreg():
        export.add_file(path, member.size, bool(member.mode & 0o100), partial(tar.extractfile, member))
    else:
        export.pass_over(path, "neither a file nor a folder nor a link")


def is_plain(path: str) -> bool:
    """Whether a relative path goes down only, step by step."""
    return bool(path) and not any(step in ("", ".", "..") for step in path.split("/"))


def _inside(name: str) -> str:
    """The path in the workspace of a member of its archive."""
    return name.partition("/")[2]


def _listed(paths: list[str], count: int) -> str:
    named = ", ".join(ascii(path)[1:-1] for path in paths)
    return named if count == len(paths) else f"{named} and {count - len(paths)} more"

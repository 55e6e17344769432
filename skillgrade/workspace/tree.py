"""Reaching into a folder that untrusted commands have written to.

Everything goes step by step through folder descriptors that are opened without following links, so that nothing is
written or read outside, whatever was planted. Whatever is in the way is moved to a place beside the folder: that is one
rename, whatever it holds. No command may run meanwhile.
"""

from __future__ import annotations

import io
import os
import posixpath
import shutil
import stat
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from skillgrade.reading import reason
from skillgrade.stop import Stop
from skillgrade.workspace.staging import Item

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ANY_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Tree:
    """A folder in a private one, which takes what is in the way. Not thread-safe.

    Args:
        root: The folder; `restore` makes it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def restore(self) -> bool:
        """Make sure that there is a folder; the answer is whether it had to be made, empty.

        Raises:
            OSError: It cannot be made.
        """
        if stat.S_ISDIR(_mode(self.root)):
            return False
        self._discard(self.root.name, None)
        self.root.mkdir(mode=0o755)
        return True

    def write(self, items: Iterable[Item], stop: Stop) -> tuple[str, ...]:
        """Put items in, parents before what they hold. Folders that are there keep their modes, unless they are named.

        Returns:
            The paths of named items for which something gave way.

        Raises:
            OSError: Something cannot be written.
            Cancelled: The stop came.
        """
        items = tuple(items)
        given_way: set[str] = set()
        made: list[Item] = []
        for item in items:
            stop.check()
            folder, name = posixpath.split(item.path.lstrip("/"))
            with self._folder(folder, given_way) as parent:
                there = self._discard(name, parent) if item.named or not _is_folder(name, parent) else False
                if there:
                    given_way.add(item.path.lstrip("/"))
                if item.kind != "folder":
                    _write_leaf(item, name, parent)
                elif not _is_folder(name, parent):
                    os.mkdir(name, 0o700, dir_fd=parent)
                    made.append(item)
        # Only now, since each entry changes its folder's time, and a read-only folder takes none.
        for item in reversed(made):
            with self._folder(item.path.lstrip("/"), given_way) as folder_descriptor:
                os.fchmod(folder_descriptor, item.mode)
                os.utime(folder_descriptor, (item.mtime, item.mtime))
        return tuple(item.path for item in items if item.named and _is_or_is_below(item.path.lstrip("/"), given_way))

    def read(self, path: str, limit: int) -> bytes | None:
        """The first `limit` bytes of a regular file; None where none can be read. Links may stay inside."""
        try:
            *folders, name = (self.root / path).resolve().relative_to(self.root.resolve()).parts
            descriptor = os.open(self.root, _FOLDER)
            for part, flags in [*((folder, _FOLDER) for folder in folders), (name, _ANY_FILE)]:
                with _closing(descriptor):
                    descriptor = os.open(part, flags, dir_fd=descriptor)
            with _closing(descriptor):
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    return None
                with os.fdopen(descriptor, "rb", closefd=False) as file:
                    return file.read(limit)
        except (OSError, ValueError, RuntimeError):
            return None

    @contextmanager
    def _folder(self, path: str, given_way: set[str]) -> Iterator[int]:
        """Open a folder for writing, making it and its parents where they are none."""
        descriptor = os.open(self.root, _FOLDER)
        try:
            at = ""
            for name in path.split("/") if path else ():
                at = posixpath.join(at, name)
                _permit(descriptor)
                if not _is_folder(name, descriptor):
                    if self._discard(name, descriptor):
                        given_way.add(at)
                    os.mkdir(name, 0o755, dir_fd=descriptor)
                following = _open_folder(name, descriptor)
                os.close(descriptor)
                descriptor = following
            _permit(descriptor)
            yield descriptor
        finally:
            os.close(descriptor)

    def _discard(self, name: str, parent: int | None) -> bool:
        """Move an entry out of the way; the answer is whether there was one."""
        source = name if parent is not None else self.root
        target = self.root.with_name(f"discarded-{uuid.uuid4().hex}")
        try:
            os.rename(source, target, src_dir_fd=parent)
        except FileNotFoundError:
            return False
        except PermissionError:
            # A folder must be writable to be moved: its entry for the parent changes.
            os.chmod(source, 0o700, dir_fd=parent)
            os.rename(source, target, src_dir_fd=parent)
        return True


def remove_tree(path: Path) -> str | None:
    """Remove a folder, also one that is read-only or a thousand levels deep; links are not followed.

    Returns:
        Why something of it is left; None when nothing is.
    """
    try:
        shutil.rmtree(path)
    except (OSError, RecursionError):
        # It may be gone already, or only something in it that vanished while it was listed.
        return _remove_stubborn(path) if os.path.lexists(path) else None
    return None


def _remove_stubborn(path: Path) -> str | None:
    """Remove level by level: folders in a folder are first moved up to the top, so that depth costs nothing."""
    problem: str | None = None
    try:
        if stat.S_ISDIR(_mode(path)):
            path.chmod(0o700)
        top = os.open(path, _FOLDER)
    except OSError as error:
        return f"{path}: cannot be removed: {reason(error)}"
    with _closing(top):
        pending = ["."]
        while pending:
            name = pending.pop()
            try:
                with _closing(_open_folder(name, top)) as folder:
                    _permit(folder)
                    with os.scandir(folder) as entries:
                        names = [entry.name for entry in entries]
                    for entry in names:
                        if not _is_folder(entry, folder):
                            os.unlink(entry, dir_fd=folder)
                        elif name == ".":
                            pending.append(entry)
                        else:
                            pending.append(uuid.uuid4().hex)
                            with _closing(_open_folder(entry, folder)) as inner:
                                _permit(inner)
                            os.rename(entry, pending[-1], src_dir_fd=folder, dst_dir_fd=top)
                if name != ".":
                    os.rmdir(name, dir_fd=top)
            except OSError as error:
                problem = problem or f"{path}: cannot be removed: {reason(error)}"
    with suppress(OSError):
        path.rmdir()
    return problem if os.path.lexists(path) else None


def _write_leaf(item: Item, name: str, parent: int) -> None:
    if item.target is not None:
        os.symlink(item.target, name, dir_fd=parent)
        os.utime(name, (item.mtime, item.mtime), dir_fd=parent, follow_symlinks=False)
        return
    with os.fdopen(os.open(name, _NEW_FILE, 0o600, dir_fd=parent), "wb") as file, _content(item) as content:
        shutil.copyfileobj(content, file, 1024 * 1024)
        file.flush()
        os.fchmod(file.fileno(), item.mode)
        os.utime(file.fileno(), (item.mtime, item.mtime))


def _content(item: Item) -> BinaryIO:
    return io.BytesIO(item.data or b"") if item.source is None else item.source.open("rb")


def _open_folder(name: str, parent: int) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=parent)  # it is a folder, and no link: the flags say so before the permission
        return os.open(name, _FOLDER, dir_fd=parent)


def _permit(folder: int) -> None:
    """Let the owner list and change a folder."""
    mode = stat.S_IMODE(os.fstat(folder).st_mode)
    if mode & 0o700 != 0o700:
        os.fchmod(folder, mode | 0o700)


def _is_folder(name: str, parent: int) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return 0


def _is_or_is_below(path: str, others: set[str]) -> bool:
    while path:
        if path in others:
            return True
        path = posixpath.dirname(path)
    return False


@contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)

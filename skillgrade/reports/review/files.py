"""The files of a trial: which there are, and reading one without ever leaving their folder."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from skillgrade.results.reviews import FOLDER

_MOST = 3000
"""Files that are listed."""

_PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".svg": "image/svg+xml",
}
_NO_PICTURE = "application/octet-stream"
_TEXT_SHOWN = 512 * 1024
"""Bytes of a text that are shown."""

_LARGEST = 64 * 1024 * 1024
"""Bytes of a file that is sent."""

_OPENING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class TrialFile:
    """A file of a trial.

    Attributes:
        id: What stands for it in addresses.
        path: Its path relative to the workspace, POSIX.
        size: Bytes.
    """

    id: str
    path: str
    size: int

    @property
    def media_type(self) -> str:
        """What it is served as; anything that is no picture is bytes to be saved."""
        return _PICTURES.get(PurePosixPath(self.path).suffix.lower(), _NO_PICTURE)

    @property
    def is_picture(self) -> bool:
        """Whether a page may show it as an image."""
        return self.media_type != _NO_PICTURE


@dataclass(frozen=True, slots=True)
class FileList:
    """The files of a trial in the order of their paths, and whether there are more than are listed."""

    files: tuple[TrialFile, ...]
    cut: bool

    def by_id(self, identifier: str) -> TrialFile | None:
        """The file that an address means."""
        return next((file for file in self.files if file.id == identifier), None)


def list_files(workspace: Path) -> FileList:
    """The regular files below a folder; links, pipes, git's own and the reviews are left out."""
    found: list[TrialFile] = []
    for path, size in _walk(workspace, PurePosixPath()):
        if len(found) == _MOST:
            return FileList(tuple(found), cut=True)
        found.append(TrialFile(_id(path), path, size))
    return FileList(tuple(found), cut=False)


def read_text(workspace: Path, file: TrialFile) -> tuple[str | None, bool]:
    """The beginning of a file as text, None where it is none; and whether there is more.

    Raises:
        OSError: As for `read_bytes`, whatever its size.
    """
    content = _read(workspace, file, _TEXT_SHOWN + 1)
    cut = len(content) > _TEXT_SHOWN
    return (None if b"\0" in content else content[:_TEXT_SHOWN].decode("utf-8", "replace")), cut


def read_bytes(workspace: Path, file: TrialFile) -> bytes:
    """The content of a file, reached folder by folder without following a link.

    Raises:
        OSError: It is gone, something else stands in its place by now, or it is too large to be sent.
    """
    content = _read(workspace, file, _LARGEST + 1)
    if len(content) > _LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return content


def _read(workspace: Path, file: TrialFile, limit: int) -> bytes:
    with _opened(workspace, file) as descriptor, open(descriptor, "rb", closefd=False) as stream:
        return stream.read(limit)


@contextmanager
def _opened(workspace: Path, file: TrialFile) -> Iterator[int]:
    folder = os.open(workspace, _OPENING | os.O_DIRECTORY)
    try:
        *folders, name = PurePosixPath(file.path).parts
        for part in folders:
            below = os.open(part, _OPENING | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = below
        descriptor = os.open(name, _OPENING, dir_fd=folder)
    finally:
        os.close(folder)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        yield descriptor
    finally:
        os.close(descriptor)


def _walk(folder: Path, inside: PurePosixPath) -> Iterator[tuple[str, int]]:
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = inside / entry.name
        with suppress(OSError):
            if entry.is_dir(follow_symlinks=False):
                if str(path) != FOLDER and entry.name != ".git":
                    yield from _walk(folder / entry.name, path)
            elif entry.is_file(follow_symlinks=False):
                yield str(path), entry.stat(follow_symlinks=False).st_size


def _id(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]

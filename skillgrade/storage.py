"""Writing that lasts: complete or not at all, on the disk when it returns, one clear error when it cannot be."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from skillgrade.errors import StorageError
from skillgrade.reading import reason

_REMEDY = "make room or choose another folder with --output=DIR"


@contextmanager
def storing(path: Path, remedy: str = _REMEDY) -> Iterator[None]:
    """Turn what the system says of a failed write into one sentence about `path`, with what to do.

    Raises:
        StorageError: The body met an OSError.
    """
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: cannot be written ({reason(error)}): {remedy}") from error


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of `data`; a full disk shows as a short write first, and as an error only at the next.

    Raises:
        OSError: It could not be written; a part of it may have been.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    """Make new and renamed entries of a folder survive a power loss.

    Raises:
        OSError: The folder cannot be opened or synced.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, chunks: Iterable[bytes]) -> None:
    """Put a new content in the place of a file; readers see the old one or the new one, never a part.

    Raises:
        StorageError: It could not be written; the old content stands.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with storing(path):
            with fresh.open("wb") as stream:
                for chunk in chunks:
                    stream.write(chunk)
                stream.flush()
                os.fsync(stream.fileno())
            fresh.replace(path)
            sync_folder(path.parent)
    finally:
        fresh.unlink(missing_ok=True)

"""How a file that somebody else wrote is read: regular, of bounded size, as UTF-8, without waiting on a pipe."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from skillgrade.errors import UserError

_BOM = b"\xef\xbb\xbf"


class UnreadableError(UserError):
    """A file could not be read as what it should be; the message says why, without naming the file.

    Attributes:
        line: 1-based line of the fault; None where the file as a whole is meant.
        column: 1-based column of the fault; None likewise.
    """

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def read_bytes(path: Path, limit: int) -> bytes:
    """Read a regular file.

    Args:
        path: The file; links are followed.
        limit: The most bytes that it may hold.

    Raises:
        UnreadableError: It is missing, no regular file, not permitted or larger than `limit`.
    """
    try:
        # Without O_NONBLOCK, opening a named pipe waits for somebody to write into it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                is_folder = f"cannot be read: {os.strerror(errno.EISDIR)}"
                raise UnreadableError(is_folder if stat.S_ISDIR(mode) else "is not a regular file")
            # Not before the check: a stream on a folder fails, and leaves the descriptor open.
            with open(descriptor, "rb", closefd=False) as stream:
                content = stream.read(limit + 1)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise UnreadableError(f"cannot be read: {reason(error)}") from None
    if len(content) > limit:
        raise UnreadableError(f"is larger than {limit // 1024} KiB")
    return content


def read_text(path: Path, limit: int) -> str:
    """Read a regular file as UTF-8, without its byte order mark.

    Raises:
        UnreadableError: As for `read_bytes`, or it is not UTF-8.
    """
    return decode(read_bytes(path, limit))


def decode(content: bytes) -> str:
    """Decode UTF-8, without a byte order mark.

    Raises:
        UnreadableError: It is not UTF-8; with the place of the first byte that is wrong.
    """
    try:
        return content.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        before = content.removeprefix(_BOM)[: error.start]
        line_start = before.rfind(b"\n") + 1
        column = len(before[line_start:].decode()) + 1
        raise UnreadableError("is not UTF-8 text", before.count(b"\n") + 1, column) from None


def reason(error: OSError | ValueError) -> str:
    """Why the system refused, in its own words and without the path."""
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)

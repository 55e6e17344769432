"""Output of a command, streamed to disk with a cap.

The first half of the cap goes to the file as it comes; of what follows, the newest half is held in memory and written
at the end behind a visible mark. So a gigabyte of output costs neither memory nor disk, and both the beginning and the
end of a log, which say most, are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from skillgrade.storage import storing, write_all

DEFAULT_CAP = 10 * 1024 * 1024
"""Bytes of one stream that are kept."""


class ByteFilter(Protocol):
    """Rewrites a stream of bytes, such as by redacting secrets that may span two chunks."""

    def feed(self, data: bytes) -> bytes:
        """Take a chunk; give back what is certain by now."""

    def flush(self) -> bytes:
        """Give back the rest."""


@dataclass(frozen=True, slots=True)
class Captured:
    """A finished stream.

    Attributes:
        path: The file that holds what was kept.
        size: Bytes that came, after the filter.
        truncated: Whether the middle was dropped.
    """

    path: Path
    size: int
    truncated: bool

    def text(self) -> str:
        """What was kept, as UTF-8; bytes that are none are replaced by U+FFFD."""
        return self.path.read_bytes().decode("utf-8", errors="replace")


class OutputSink:
    """Writes one stream to a file, keeping at most `cap` bytes of it. Not thread-safe.

    Args:
        path: The file; its folder must exist.
        cap: Bytes to keep, without the mark.
        byte_filter: Applied before anything is kept.
    """

    def __init__(self, path: Path, cap: int = DEFAULT_CAP, byte_filter: ByteFilter | None = None) -> None:
        self.path = path
        self._head_room = cap - cap // 2
        self._tail_room = cap // 2
        self._filter = byte_filter
        self._tail = bytearray()
        self._size = 0
        self._captured: Captured | None = None
        with storing(path):
            self._file = path.open("wb", buffering=0)

    def feed(self, data: bytes) -> None:
        """Take a chunk.

        Raises:
            StorageError: It could not be written.
        """
        self._keep(data if self._filter is None else self._filter.feed(data))

    def close(self) -> Captured:
        """End the stream; later calls give the same answer.

        Raises:
            StorageError: The rest could not be written.
        """
        if self._captured is not None:
            return self._captured
        try:
            if self._filter is not None:
                self._keep(self._filter.flush())
            dropped = self._size - min(self._size, self._head_room) - len(self._tail)
            if dropped:
                self._write(f"\n[... {dropped} bytes left out here ...]\n".encode())
            self._write(bytes(self._tail))
        finally:
            self._file.close()
        self._captured = Captured(self.path, self._size, truncated=dropped > 0)
        return self._captured

    def _keep(self, data: bytes) -> None:
        head = data[: max(0, self._head_room - self._size)]
        self._size += len(data)
        if head:
            self._write(head)
        rest = data[len(head) :]
        if rest:
            self._tail += rest[-self._tail_room :] if self._tail_room else b""
            del self._tail[: max(0, len(self._tail) - self._tail_room)]

    def _write(self, data: bytes) -> None:
        with storing(self.path):
            write_all(self._file.fileno(), data)

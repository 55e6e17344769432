"""The journal of a run: every attempt that ended, one JSON line each, on the disk before anyone hears of it.

Lines have a `kind`: ``run`` (the first: the `RunInfo`, and in `tasks` what was planned), ``prepared`` (a
`RunPrepared`), ``trial`` (a `TrialRecord`), ``regraded`` (a `Regrade` of an attempt that stands above it) and ``end``
(a `RunEnd`); each session of the run has one ``prepared`` and one ``end``. Two rules make it readable however a run
dies: a newline commits a line, and whoever appends cuts off what follows the last newline first.
`skillgrade.results.journal_index` reads it.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from skillgrade.errors import UsageError
from skillgrade.results.encoding import dump, encode
from skillgrade.results.records import TrialRecord
from skillgrade.results.regrades import Regrade
from skillgrade.results.run_info import RunEnd, RunHeader, RunInfo, RunPrepared, TaskInfo
from skillgrade.storage import storing, sync_folder, write_all

JOURNAL_FORMAT = 1
"""Raised when a line changes its meaning; new keys and kinds do not raise it."""

_BLOCK = 65536


class Journal:
    """A journal open for writing. Thread-safe; one process at a time, kept so by a lock on the file.

    Use `create` or `reopen`, and as a context manager.
    """

    def __init__(self, path: Path, flags: int) -> None:
        self.path = path
        self._lock = threading.Lock()
        with storing(path):
            self._descriptor = os.open(path, flags | os.O_RDWR | os.O_APPEND, 0o666)
        try:
            self._claim()
            with storing(path):
                self._size = _committed_size(self._descriptor)
                os.ftruncate(self._descriptor, self._size)
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(cls, path: Path, info: RunInfo, tasks: Sequence[TaskInfo]) -> Journal:
        """Start a run's journal with its header.

        Raises:
            StorageError: It could not be written, or there is one already.
        """
        journal = cls(path, os.O_CREAT | os.O_EXCL)
        try:
            journal._commit("run", {"format": JOURNAL_FORMAT, **encode(RunHeader(info, tuple(tasks)))})
            with storing(path.parent):
                sync_folder(path.parent)
        except BaseException:
            journal.close()
            raise
        return journal

    @classmethod
    def reopen(cls, path: Path) -> Journal:
        """Go on with a run's journal; a torn last line is cut off.

        Raises:
            UsageError: Another process is writing it.
            StorageError: It cannot be written.
        """
        return cls(path, 0)

    def append(self, record: TrialRecord) -> None:
        """Add an attempt; it is on the disk when this returns.

        Raises:
            StorageError: It could not be written; the journal is as it was.
        """
        self._commit("trial", encode(record))

    def regraded(self, regrade: Regrade) -> None:
        """Add later grades of an attempt that is in the journal; they are on the disk when this returns.

        Raises:
            StorageError: They could not be written; the journal is as it was.
        """
        self._commit("regraded", encode(regrade))

    def prepared(self, prepared: RunPrepared) -> None:
        """Add what is known once everything that trials share was made.

        Raises:
            StorageError: It could not be written; the journal is as it was.
        """
        self._commit("prepared", encode(prepared))

    def end(self, end: RunEnd) -> None:
        """Add how this session of the run ended.

        Raises:
            StorageError: It could not be written; the journal is as it was.
        """
        self._commit("end", encode(end))

    def close(self) -> None:
        """Let go of the file; more than once does no harm."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __enter__(self) -> Journal:
        """Itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close it."""
        self.close()

    def _claim(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(f"{self.path.parent}: another skillgrade is writing this run; wait for its end") from error
        except OSError:
            # Some network file systems know no locks; a run's folder has a name of its own there all the same.
            return

    def _commit(self, kind: str, document: Mapping[str, Any]) -> None:
        line = dump({"kind": kind, **document}) + b"\n"
        with self._lock, storing(self.path):
            try:
                write_all(self._descriptor, line)
                os.fsync(self._descriptor)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(self._descriptor, self._size)
                raise
            self._size += len(line)


def _committed_size(descriptor: int) -> int:
    """Bytes up to and with the last newline."""
    end = os.fstat(descriptor).st_size
    while end > 0:
        start = max(0, end - _BLOCK)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0

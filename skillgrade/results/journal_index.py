"""Reading a run's journal with memory that hardly grows with its length: places of lines, not lines, are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

from skillgrade.errors import UserError
from skillgrade.reading import reason
from skillgrade.results.encoding import (
    FormatError,
    decode,
    decode_record,
    decode_regrade,
    load_document,
    require_format,
)
from skillgrade.results.journal import JOURNAL_FORMAT
from skillgrade.results.records import TrialRecord
from skillgrade.results.regrades import AttemptHistory
from skillgrade.results.run_info import RunEnd, RunHeader, RunPrepared


class JournalIndex:
    """What a journal holds, as of when it was opened here.

    A torn last line does not count. Lines in the middle that cannot be read, that hold a trial that was not planned, or
    later grades of an attempt that is not recorded above them, are skipped and counted.

    Attributes:
        path: The journal.
        info: What the run is.
        tasks: What was planned, in the order of the suite.
        agent_versions: By task, the versions of the agent that worked on it, one for all sessions unless it changed.
        ends: How its sessions ended, in their order; a killed session has no end.
        interrupted: Whether the last session was interrupted or is without an end.
        skipped_lines: How many lines were skipped.

    Raises:
        UserError: There is no journal, or it is not one that this version reads.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.agent_versions: dict[str, tuple[str, ...]] = {}
        self.ends: list[RunEnd] = []
        self.interrupted = True
        self.skipped_lines = 0
        try:
            with path.open("rb") as stream:
                header = self._read_header(stream.readline())
                self.info, self.tasks = header.info, header.tasks
                self._planned = {task.task: task.planned for task in self.tasks}
                self._places: dict[str, dict[tuple[int, int], tuple[int, ...]]] = {task.task: {} for task in self.tasks}
                offset = stream.tell()
                for line in stream:
                    self._add(line, offset)
                    offset += len(line)
        except OSError as error:
            raise UserError(f"{path}: cannot be read ({reason(error)}): is this the folder of a run?") from error

    def attempts(self, task: str) -> Iterator[tuple[TrialRecord, ...]]:
        """The attempts of each trial of a task with the grades that count, in the order of `histories`."""
        for attempts in self.histories(task):
            yield tuple(attempt.latest for attempt in attempts)

    def histories(self, task: str) -> Iterator[tuple[AttemptHistory, ...]]:
        """The recorded attempts of each trial of a task, in order of trials; the last attempt is the one that counts.

        A trial without a record is left out. An attempt that stands twice in the journal counts once, as written last,
        and with what graded it again after that.
        """
        places = self._places[task]
        with self.path.open("rb") as stream:
            for _, keys in groupby(sorted(places), key=lambda key: key[0]):
                yield tuple(self._history_at(stream, places[key]) for key in keys)

    def _history_at(self, stream: BinaryIO, places: tuple[int, ...]) -> AttemptHistory:
        documents = []
        for place in places:
            stream.seek(place)
            documents.append(stream.readline())
        try:
            record, *regrades = map(load_document, documents)
            return AttemptHistory(decode_record(record), tuple(map(decode_regrade, regrades)))
        except FormatError as error:
            raise UserError(
                f"{self.path}: changed while it was read, at byte {places[0]}: read the run again"
            ) from error

    def _read_header(self, line: bytes) -> RunHeader:
        try:
            document = load_document(line if line.endswith(b"\n") else b"")
            require_format(document, JOURNAL_FORMAT)
            return decode(RunHeader, document)
        except FormatError as error:
            raise UserError(f"{self.path}:1: not the journal of a run that this version can read: {error}") from error

    def _add(self, line: bytes, offset: int) -> None:
        if not line.endswith(b"\n"):
            return
        try:
            self._add_document(load_document(line), offset)
        except FormatError:
            self.skipped_lines += 1

    def _add_document(self, document: dict[str, Any], offset: int) -> None:
        if document.get("kind") == "end":
            end = decode(RunEnd, document)
            self.ends.append(end)
            self.interrupted = end.interrupted
        elif document.get("kind") == "prepared":
            prepared = decode(RunPrepared, document)
            notes = tuple(dict.fromkeys((*self.info.notes, *prepared.notes)))
            self.info = replace(self.info, skills=prepared.skills, notes=notes)
            for task, version in prepared.agent_versions.items():
                versions = (*self.agent_versions.get(task, ()), version)
                self.agent_versions[task] = tuple(dict.fromkeys(versions))
            self.interrupted = True
        elif document.get("kind") == "trial":
            record = decode_record(document)
            if record.trial >= self._planned.get(record.task, 0):
                raise FormatError("was not planned", "trial")
            self._places[record.task][record.trial, record.attempt] = (offset,)
            self.interrupted = True
        elif document.get("kind") == "regraded":
            regrade = decode_regrade(document)
            places = self._places.get(regrade.task, {})
            if (regrade.trial, regrade.attempt) not in places:
                raise FormatError("is not recorded", "trial")
            places[regrade.trial, regrade.attempt] += (offset,)

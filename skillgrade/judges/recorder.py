"""Recording verdicts as they are given: each question once, merged into what is recorded already."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from skillgrade.errors import RecordingError
from skillgrade.judges.asking import Asked
from skillgrade.judges.recordings import Entry, RecordedSample, Recording, read_recording, write_recording
from skillgrade.results.records import Sample
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop

Key = tuple[str, str, str, str]


class Recorder:
    """Collects the verdicts of a run, and writes them into the recording at its end. Thread-safe.

    Args:
        path: The recording.
        redactor: Takes secrets out of what is recorded.
    """

    def __init__(self, path: Path, redactor: Redactor) -> None:
        self._path = path
        self._redactor = redactor
        self._lock = threading.Lock()
        self._turns: dict[Key, threading.Lock] = {}
        self._fresh: dict[Key, Entry] = {}
        self._failed: set[str] = set()
        self._stop: Stop | None = None

    def samples(
        self,
        question: Entry,
        count: int,
        ask: Callable[[], Asked],
        replay: Callable[[RecordedSample], Sample],
        stop: Stop,
    ) -> tuple[Sample, ...]:
        """The answers to a question: those that this run has recorded already, and as many new ones as are missing.

        Args:
            question: The entry to be recorded; its samples do not count.
            count: How many are wanted.
            ask: Asks the judge.
            replay: Reads what was recorded.
            stop: Ends it early.

        Raises:
            RecordingError: What is at the recording's place is none.
            ModelError: A judge could not be asked.
            Cancelled: The stop came.
        """
        with self._lock:
            self._stop = stop
            turn = self._turns.setdefault(question.key, threading.Lock())
        with turn, ExitStack() as failing:
            failing.callback(self._fail, question.task)
            stop.check()  # whoever had the turn before may have waited for long
            if not self._fresh:  # no answer should be paid for that cannot be written
                self._old()
            known = self._fresh.get(question.key, replace(question, samples=()))
            samples = [replay(one) for one in known.samples[:count]]
            while len(samples) < count:
                asked = ask()
                recorded = replace(asked.recorded, reply=self._redactor.text(asked.recorded.reply))
                known = replace(known, samples=(*known.samples, recorded))
                with self._lock:
                    self._fresh[known.key] = known
                samples.append(asked.sample)
            failing.pop_all()
            return tuple(samples)

    def close(self) -> None:
        """Write what was recorded.

        Of a task that was judged without a fault, verdicts that were not asked for any more leave the recording; after
        an interruption all stay.

        Raises:
            RecordingError: Something else was put at the recording's place meanwhile.
            StorageError: The recording could not be written.
        """
        with self._lock:
            fresh, self._fresh = tuple(self._fresh.values()), {}
            interrupted = self._stop is not None and self._stop.is_set()
            judged = set() if interrupted else {entry.task for entry in fresh} - self._failed
        if fresh:
            write_recording(self._path, self._old().merged(fresh, judged))

    def _fail(self, task: str) -> None:
        with self._lock:
            self._failed.add(task)

    def _old(self) -> Recording:
        """What is recorded."""
        if not self._path.exists():
            return Recording()
        try:
            return read_recording(self._path)
        except RecordingError as error:
            raise RecordingError(f"{error}; move it away, so that verdicts can be recorded there") from None

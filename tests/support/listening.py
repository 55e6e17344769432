"""A listener that remembers what a run told it."""

from __future__ import annotations

from collections.abc import Callable

from skillgrade.engine.listener import ReviewRequest
from skillgrade.results.records import TrialRecord


class Remembering:
    """A `RunListener`; `on_finished` is called with each record."""

    def __init__(self, on_finished: Callable[[TrialRecord], None] = lambda record: None) -> None:
        self.prepared: list[str] = []
        self.notes: list[str] = []
        self.started: list[tuple[str, int, int]] = []
        self.finished: list[tuple[TrialRecord, bool]] = []
        self.planned: tuple[int, int] | None = None
        self.wanted: list[ReviewRequest] = []
        self.reviewed: list[TrialRecord] = []
        self.ended = 0
        self._on_finished = on_finished

    def preparing(self, what: str) -> None:
        self.prepared.append(what)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def run_started(self, planned: int, slots: int) -> None:
        self.planned = (planned, slots)

    def trial_started(self, task: str, trial: int, attempt: int) -> None:
        self.started.append((task, trial, attempt))

    def trial_finished(self, record: TrialRecord, retried: bool) -> None:
        self.finished.append((record, retried))
        self._on_finished(record)

    def review_wanted(self, request: ReviewRequest) -> None:
        self.wanted.append(request)

    def trial_reviewed(self, record: TrialRecord) -> None:
        self.reviewed.append(record)

    def run_finished(self) -> None:
        self.ended += 1

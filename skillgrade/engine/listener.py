"""Who watches a run while it goes on."""

from __future__ import annotations

from typing import Protocol

from skillgrade.results.records import TrialRecord


class RunListener(Protocol):
    """Told what happens, in order, from the one thread that leads the run."""

    def preparing(self, what: str) -> None:
        """Something that trials share is being made, such as an image."""

    def note(self, text: str) -> None:
        """Something the user should know once per run."""

    def run_started(self, planned: int, slots: int) -> None:
        """Trials begin: how many there are, and how many run at a time."""

    def trial_started(self, task: str, trial: int, attempt: int) -> None:
        """An attempt at a trial begins."""

    def trial_finished(self, record: TrialRecord, retried: bool) -> None:
        """An attempt ended and is on disk; `retried` says that another one follows."""

    def run_finished(self) -> None:
        """No trial runs any more."""

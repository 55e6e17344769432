"""Who watches a run while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from skillgrade.results.records import TrialRecord


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """A person is asked for a score.

    Attributes:
        run: The run's folder; absolute.
        task: The task's name.
        trial: The trial's number, from 0.
        prompt: The question.
        result: The file that is waited for; absolute.
        deadline: Until when, ISO 8601, UTC.
    """

    run: Path
    task: str
    trial: int
    prompt: str
    result: Path
    deadline: str


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

    def review_wanted(self, request: ReviewRequest) -> None:
        """A trial waits for a person."""

    def trial_reviewed(self, record: TrialRecord) -> None:
        """A person's review of a trial is on disk, or its time is over; the trial may wait for another one."""

    def run_finished(self) -> None:
        """No trial runs any more."""

"""Where attempts run: a small protocol, and threads as its first kind.

The engine keeps at most `slots` attempts in flight and never relies on a future's `cancel` or on `shutdown`, since
those differ between executors. Stopping is the pool's own: it ends what runs, and every attempt still gives a record.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Protocol

from skillgrade.engine.pipeline import Pipeline
from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.trial import run_trial
from skillgrade.graders.assertions import keeping_workers
from skillgrade.judges.base import Judging
from skillgrade.results.records import TrialRecord
from skillgrade.stop import Stop


class Pool(Protocol):
    """Runs attempts somewhere."""

    @property
    def slots(self) -> int:
        """How many attempts it runs at a time."""

    def submit(self, spec: TrialSpec) -> Future[TrialRecord]:
        """Start an attempt; the caller keeps at most `slots` in flight."""

    def expect(self, spec: TrialSpec) -> None:
        """Get ready for an attempt that will be submitted when a place is free, unless the run stops before."""

    def stop(self) -> None:
        """End everything that runs; each attempt still gives its record."""

    def close(self) -> None:
        """Wait for what runs and let go of everything."""


class ThreadPool:
    """Attempts in threads of this process: they wait for containers and processes, not for the interpreter.

    Args:
        slots: How many at a time, >= 1.
        stop: The run's stop, which ends them.
        judging: Asks judges.
        tell: Told, when the pool is closed, what could not be removed once an attempt's record was made.
    """

    def __init__(self, slots: int, stop: Stop, judging: Judging, tell: Callable[[str], None]) -> None:
        self.slots = slots
        self._stop = stop
        self._judging = judging
        self._tell = tell
        self._pipeline = Pipeline(slots)
        self._executor = ThreadPoolExecutor(slots, thread_name_prefix="skillgrade-trial")
        self._kept = ExitStack()
        self._kept.enter_context(keeping_workers())

    def submit(self, spec: TrialSpec) -> Future[TrialRecord]:
        """Start an attempt in a thread."""
        return self._executor.submit(run_trial, spec, self._stop, self._judging, self._pipeline)

    def expect(self, spec: TrialSpec) -> None:
        """Begin to make its workspace."""
        self._pipeline.expect(spec, self._stop)

    def stop(self) -> None:
        """Wake every attempt to its end."""
        self._stop.set()

    def close(self) -> None:
        """Wait for the threads, and for everything to be removed."""
        self._executor.shutdown(wait=True)
        self._kept.close()
        for note in self._pipeline.close():
            self._tell(note)

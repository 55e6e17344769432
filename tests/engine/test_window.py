from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.window import run_attempts
from skillgrade.errors import StorageError
from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.stop import Stop
from skillgrade.workspace.base import Prepared
from tests.support.tasks import make_task


def spec(trial: int, attempt: int = 0) -> TrialSpec:
    return TrialSpec(make_task(), trial, attempt, "command", "local", Prepared("local"), (), Path("/"), Path("/"))


def record(spec: TrialSpec) -> TrialRecord:
    return TrialRecord("task", spec.trial, spec.attempt, Outcome.PASSED, 1.0, 1.0, 0, "")


class CountingPool:
    """Runs attempts in threads and keeps the highest number that was ever in flight."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.stopped = False
        self.most = 0
        self._in_flight = 0
        self._lock = threading.Lock()
        self._executor = ThreadPoolExecutor(slots + 4)

    def submit(self, spec: TrialSpec) -> Future[TrialRecord]:
        with self._lock:
            self._in_flight += 1
            self.most = max(self.most, self._in_flight)
        return self._executor.submit(self._work, spec)

    def _work(self, spec: TrialSpec) -> TrialRecord:
        with self._lock:
            self._in_flight -= 1
        return record(spec)

    def stop(self) -> None:
        self.stopped = True

    def close(self) -> None:
        self._executor.shutdown()


def test_every_attempt_runs_once_and_never_more_than_the_slots_at_a_time() -> None:
    pool, waiting, done = CountingPool(3), [spec(n) for n in range(50)], []
    run_attempts(pool, lambda: waiting.pop(0) if waiting else None, lambda s, r: done.append(r.trial), Stop())
    pool.close()
    assert sorted(done) == list(range(50))
    assert pool.most <= 3


def test_attempts_that_finishing_brings_are_run_too() -> None:
    pool, waiting, done = CountingPool(2), [spec(0)], []

    def finished(spec_: TrialSpec, record_: TrialRecord) -> None:
        done.append(record_.attempt)
        if record_.attempt < 3:
            waiting.append(spec(0, record_.attempt + 1))

    run_attempts(pool, lambda: waiting.pop(0) if waiting else None, finished, Stop())
    pool.close()
    assert done == [0, 1, 2, 3]


def test_nothing_is_taken_after_a_stop_but_what_runs_still_finishes() -> None:
    pool, stop = CountingPool(2), Stop()
    taken: list[int] = []
    done: list[int] = []

    def take() -> TrialSpec:
        taken.append(len(taken))
        return spec(taken[-1])

    def finished(spec_: TrialSpec, record_: TrialRecord) -> None:
        done.append(record_.trial)
        stop.set()

    run_attempts(pool, take, finished, stop)
    pool.close()
    assert sorted(done) == taken
    assert len(taken) <= 3


def test_what_the_caller_raises_stops_the_pool() -> None:
    pool = CountingPool(1)

    def finished(spec_: TrialSpec, record_: TrialRecord) -> None:
        raise StorageError("disk full")

    with pytest.raises(StorageError, match="disk full"):
        run_attempts(pool, lambda: spec(0), finished, Stop())
    pool.close()
    assert pool.stopped

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from skillgrade.engine.dispatch import Attempts, run_attempts
from skillgrade.engine.spec import TrialSpec
from skillgrade.errors import StorageError
from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.stop import Stop
from skillgrade.workspace.base import Prepared
from tests.support.listening import Remembering
from tests.support.tasks import make_task


def spec(trial: int, attempt: int = 0) -> TrialSpec:
    return TrialSpec(
        make_task(), trial, attempt, "command", "local", Prepared("local"), (), None, frozenset(), Path("/")
    )


def record(spec: TrialSpec) -> TrialRecord:
    return TrialRecord("task", spec.trial, spec.attempt, Outcome.PASSED, 1.0, 1.0, 0, "")


class CountingPool:
    """Runs attempts in threads and keeps the highest number that was ever in flight, as its user knows it."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.stopped = False
        self.expected: list[int] = []
        self.in_flight = 0
        self.most = 0
        self._executor = ThreadPoolExecutor(slots + 4)

    def submit(self, spec: TrialSpec) -> Future[TrialRecord]:
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        return self._executor.submit(record, spec)

    def expect(self, spec: TrialSpec) -> None:
        self.expected.append(spec.trial)

    def stop(self) -> None:
        self.stopped = True

    def close(self) -> None:
        self._executor.shutdown()


@pytest.fixture
def pool() -> Iterator[CountingPool]:
    made = CountingPool(3)
    yield made
    made.close()


def test_every_attempt_runs_once_and_never_more_than_the_slots_at_a_time(pool: CountingPool) -> None:
    waiting = [spec(number) for number in range(50)]
    listener = Remembering()

    def finished(spec_: TrialSpec, record_: TrialRecord) -> bool:
        pool.in_flight -= 1
        return False

    run_attempts(pool, Attempts(50, lambda: waiting.pop(0) if waiting else None, finished), listener, Stop())
    assert sorted(record_.trial for record_, _ in listener.finished) == list(range(50))
    assert [trial for _, trial, _ in listener.started] == list(range(50))
    assert pool.most == 3
    assert pool.expected[0] == 3  # the first that could not start at once
    assert pool.expected == sorted(set(pool.expected))
    assert (listener.planned, listener.ended) == ((50, 3), 1)


def test_attempts_that_finishing_brings_are_run_too(pool: CountingPool) -> None:
    waiting = [spec(0)]
    listener = Remembering()

    def finished(spec_: TrialSpec, record_: TrialRecord) -> bool:
        if record_.attempt < 3:
            waiting.append(spec(0, record_.attempt + 1))
        return record_.attempt < 3

    run_attempts(pool, Attempts(1, lambda: waiting.pop(0) if waiting else None, finished), listener, Stop())
    assert [(record_.attempt, retried) for record_, retried in listener.finished] == [
        (0, True), (1, True), (2, True), (3, False),
    ]  # fmt: skip


def test_nothing_is_taken_after_a_stop_but_what_runs_still_finishes(pool: CountingPool) -> None:
    stop = Stop()
    taken: list[int] = []
    listener = Remembering()

    def take() -> TrialSpec:
        taken.append(len(taken))
        return spec(taken[-1])

    def finished(spec_: TrialSpec, record_: TrialRecord) -> bool:
        stop.set()
        return False

    run_attempts(pool, Attempts(9, take, finished), listener, stop)
    assert sorted(record_.trial for record_, _ in listener.finished) == [0, 1, 2]
    assert taken == [0, 1, 2, 3]  # one more, to get ready for it


def test_what_the_caller_raises_stops_the_pool(pool: CountingPool) -> None:
    listener = Remembering()

    def finished(spec_: TrialSpec, record_: TrialRecord) -> bool:
        raise StorageError("disk full")

    with pytest.raises(StorageError, match="disk full"):
        run_attempts(pool, Attempts(1, lambda: spec(0), finished), listener, Stop())
    assert pool.stopped
    assert listener.ended == 1

"""Hands attempts to a pool: a bounded window over attempts that are made only when a place is free.

One attempt more is taken than runs, so that the pool can get ready for it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass

from skillgrade.engine.listener import RunListener
from skillgrade.engine.pool import Pool
from skillgrade.engine.spec import TrialSpec
from skillgrade.results.records import TrialRecord
from skillgrade.stop import Stop

_LOOK_AROUND = 1.0
"""Seconds after which a wait for results looks whether the run was stopped."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """What to run, and what becomes of it.

    Attributes:
        count: How many trials there are, retries not counted.
        take: Gives the next attempt; None when there is none at the moment (`finished` may bring some).
        finished: Told how an attempt ended, in the thread that leads the run; says whether another one follows.
        meanwhile: Called in that thread now and then while attempts run.
    """

    count: int
    take: Callable[[], TrialSpec | None]
    finished: Callable[[TrialSpec, TrialRecord], bool]
    meanwhile: Callable[[], None] = lambda: None


def run_attempts(pool: Pool, attempts: Attempts, listener: RunListener, stop: Stop) -> None:
    """Run every attempt, at most `pool.slots` at a time.

    Args:
        pool: Where they run.
        attempts: What to run. What its `finished` raises ends the rest and is raised again.
        listener: Told what happens.
        stop: Ends the rest; no more are taken, and those in flight still finish, as cancelled.
    """
    listener.run_started(attempts.count, pool.slots)
    try:
        _keep_busy(pool, attempts, listener, stop)
    except BaseException:
        pool.stop()
        raise
    finally:
        listener.run_finished()


def _keep_busy(pool: Pool, attempts: Attempts, listener: RunListener, stop: Stop) -> None:
    in_flight: dict[Future[TrialRecord], TrialSpec] = {}
    following: TrialSpec | None = None
    while True:
        while len(in_flight) < pool.slots and not stop.is_set():
            spec = following or attempts.take()
            following = None
            if spec is None:
                break
            listener.trial_started(spec.task.name, spec.trial, spec.attempt)
            in_flight[pool.submit(spec)] = spec
        if not in_flight:
            return
        if following is None and not stop.is_set():
            following = attempts.take()
            if following is not None:
                pool.expect(following)
        done, _ = wait(in_flight, timeout=_LOOK_AROUND, return_when=FIRST_COMPLETED)
        for future in done:
            spec, record = in_flight.pop(future), future.result()
            listener.trial_finished(record, retried=attempts.finished(spec, record))
        attempts.meanwhile()

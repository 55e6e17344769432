"""Keeps a pool busy: a bounded window over attempts that are made only when a place is free."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait

from skillgrade.engine.pool import Pool
from skillgrade.engine.spec import TrialSpec
from skillgrade.results.records import TrialRecord
from skillgrade.stop import Stop

_LOOK_AROUND = 1.0
"""Seconds after which a wait for results looks whether the run was stopped."""


def run_attempts(
    pool: Pool,
    take: Callable[[], TrialSpec | None],
    finished: Callable[[TrialSpec, TrialRecord], None],
    stop: Stop,
) -> None:
    """Run every attempt, at most `pool.slots` at a time.

    Args:
        pool: Where they run.
        take: Gives the next attempt, None when there is none at the moment (`finished` may bring some); not called any
            more after a stop.
        finished: Called in this thread, once per attempt. What it raises ends the rest and is raised again.
        stop: Ends the rest; those in flight still finish, as cancelled.
    """
    in_flight: dict[Future[TrialRecord], TrialSpec] = {}
    try:
        while True:
            while len(in_flight) < pool.slots and not stop.is_set():
                spec = take()
                if spec is None:
                    break
                in_flight[pool.submit(spec)] = spec
            if not in_flight:
                return
            done, _ = wait(in_flight, timeout=_LOOK_AROUND, return_when=FIRST_COMPLETED)
            for future in done:
                finished(in_flight.pop(future), future.result())
    except BaseException:
        pool.stop()
        raise

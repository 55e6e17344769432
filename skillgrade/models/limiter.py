"""How fast a model may be asked, and all retries of it: one limiter for everybody who asks the same model.

How many requests are under way at once follows additive increase, multiplicative decrease (Chiu and Jain 1989), as in
TCP: one more after each success until the provider says for the first time that it is too much, which halves it; from
then on one more after a whole round of successes. Requests that were already under way at a cut do not cut again. A
failed request waits for an exponentially growing time with full jitter (Brooker, "Exponential Backoff and Jitter",
2015); what a provider asks to wait, everybody waits.
"""

from __future__ import annotations

import bisect
import random
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

from skillgrade.errors import ModelError
from skillgrade.stop import Stop

T = TypeVar("T")

START = 8
"""Requests at once before anything is known of a provider."""

MOST = 64
"""Requests at once, ever."""

ATTEMPTS = 6
_FIRST_DELAY = 0.5
_LONGEST_DELAY = 30.0
"""Seconds; the bounds of the delay before jitter."""

_SHORTEST = 0.001
"""Seconds for a request; none at all would mean no limit."""

_NEVER_SENT = "no request could be sent: others were in work all the time, or the provider asked to wait longer"


class Clock(Protocol):
    """Time as a limiter sees it."""

    def now(self) -> float:
        """Seconds, monotonic."""

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        """Wait, the condition's lock being held, until it is notified or the seconds are over."""


class SystemClock:
    """The time of `time.monotonic`."""

    def now(self) -> float:
        """See the protocol."""
        return time.monotonic()

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        """See the protocol."""
        condition.wait(seconds)


class Limiter:
    """Lets requests to one model through, first come first served, and repeats those that may succeed later.

    Thread-safe.

    Args:
        clock: The time.
        jitter: Gives numbers from 0 to 1.
    """

    def __init__(self, clock: Clock | None = None, jitter: Callable[[], float] = random.random) -> None:
        self._clock = clock or SystemClock()
        self._jitter = jitter
        self._lock = threading.Lock()
        self._waiting: list[tuple[int, threading.Condition]] = []  # by arrival
        self._arrivals = 0
        self._under_way = 0
        self._limit = START
        self._successes = 0
        self._last_cut = float("-inf")
        self._not_before = float("-inf")

    @property
    def limit(self) -> int:
        """Requests that may be under way at once now."""
        return self._limit

    def call(self, send: Callable[[float], T], timeout: float, deadline: float, stop: Stop) -> T:
        """Send a request, repeated while its failures are transient, its attempts not used up, and there is time.

        Args:
            send: Sends it once, within the seconds that it is given.
            timeout: Seconds for each attempt.
            deadline: By the clock, when there is no more time for all of them.
            stop: Ends the waiting.

        Raises:
            ModelError: The last failure; its `calls` counts the requests of all attempts.
            Cancelled: The stop came.
        """
        with self._lock:
            self._arrivals += 1
            arrival = self._arrivals
        last: ModelError | None = None
        for attempt in range(1, ATTEMPTS + 1):
            started = self._enter(arrival, deadline, stop)
            if started is None:
                failure = last or ModelError(_NEVER_SENT, transient=True)
                raise _more(failure, attempt - 1, "there is no time left")
            earlier = 0 if last is None else last.calls
            outcome = self._attempt(send, max(_SHORTEST, min(timeout, deadline - started)), started)
            if not isinstance(outcome, ModelError):
                return outcome
            last = outcome
            last.calls += earlier
            if not last.transient or attempt == ATTEMPTS:
                raise _more(last, attempt)
            delay = self._delay(attempt, last)
            if self._clock.now() + delay >= deadline:
                raise _more(last, attempt, f"there is no time left to wait {delay:.1f} s and ask again")
            self._pause(delay, stop)
        raise AssertionError  # the last attempt returns or raises

    def _attempt(self, send: Callable[[float], T], seconds: float, started: float) -> T | ModelError:
        try:
            result = send(seconds)
        except ModelError as error:
            self._leave(partial(self._note_failure, started, error))
            return error
        except BaseException:
            self._leave(lambda: None)
            raise
        self._leave(self._note_success)
        return result

    def _enter(self, arrival: int, deadline: float, stop: Stop) -> float | None:
        """Wait for this call's turn; gives the time at which it came, None where it does not come in time."""
        turn = threading.Condition(self._lock)
        place = (arrival, turn)
        with stop.waking(lambda: _notify(turn)), self._lock:
            bisect.insort(self._waiting, place, key=lambda one: one[0])
            try:
                while True:
                    stop.check()
                    now = self._clock.now()
                    if max(now, self._not_before) >= deadline:
                        return None
                    next_in = self._waiting[0] is place and self._under_way < self._limit
                    if next_in and now >= self._not_before:
                        self._under_way += 1
                        return now
                    self._clock.wait(turn, (self._not_before if next_in else deadline) - now)
            finally:
                self._waiting.remove(place)
                self._wake_first()

    def _leave(self, note: Callable[[], None]) -> None:
        with self._lock:
            note()
            self._under_way -= 1
            self._wake_first()

    def _note_success(self) -> None:
        if self._under_way < self._limit:
            return  # what is not used up says nothing about how much would be too much
        self._successes += 1
        if self._successes >= self._limit or not self._was_cut:
            self._limit, self._successes = min(MOST, self._limit + 1), 0

    def _note_failure(self, started: float, failure: ModelError) -> None:
        if not failure.transient:
            return
        now = self._clock.now()
        self._successes = 0
        if started > self._last_cut:
            self._limit, self._last_cut = max(1, self._limit // 2), now
        if failure.retry_after is not None:
            self._not_before = max(self._not_before, now + failure.retry_after)

    @property
    def _was_cut(self) -> bool:
        return self._last_cut > float("-inf")

    def _delay(self, attempt: int, failure: ModelError) -> float:
        jittered: float = self._jitter() * min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** (attempt - 1))
        return max(failure.retry_after or 0.0, jittered)

    def _pause(self, seconds: float, stop: Stop) -> None:
        pause = threading.Condition(self._lock)
        until = self._clock.now() + seconds
        with stop.waking(lambda: _notify(pause)), self._lock:
            while (left := until - self._clock.now()) > 0 and not stop.is_set():
                self._clock.wait(pause, left)

    def _wake_first(self) -> None:
        if self._waiting:
            self._waiting[0][1].notify()


def _notify(condition: threading.Condition) -> None:
    with condition:
        condition.notify()


def _more(failure: ModelError, attempts: int, why: str = "") -> ModelError:
    """The failure, saying how often it was tried and why no more."""
    tried = f" ({attempts} attempts)" if attempts > 1 else ""
    failure.args = (f"{failure}{tried}{'; ' if why else ''}{why}",)
    return failure

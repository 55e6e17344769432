"""Calls that can be walked away from: a library blocks in them, and offers no way to be told to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from skillgrade.stop import Stop

T = TypeVar("T")

_LAST_WAIT = 1.0
"""Seconds in which an abandoned call usually ends by itself."""


class Abandoned(Exception):
    """The call did not end in time."""


@dataclass
class _Outcome(Generic[T]):
    over: threading.Event = field(default_factory=threading.Event)
    values: list[T] = field(default_factory=list)
    error: BaseException | None = None


def run_abandonable(action: Callable[[], T], limit: float, stop: Stop, end: Callable[[], None]) -> T:
    """Run a call in a thread of its own, and walk away from it when the stop comes or its time is over.

    The thread does not keep the process alive; it ends as soon as whatever it waits for does.

    Args:
        action: The call; what it raises is raised here.
        limit: Seconds.
        stop: Ends the waiting.
        end: Makes an abandoned call fail, where that is possible.

    Raises:
        Abandoned: It did not end in time.
        Cancelled: The stop came.
    """
    outcome = _Outcome[T]()
    attention = threading.Event()

    def run() -> None:
        try:
            outcome.values.append(action())
        except BaseException as error:  # noqa: BLE001  (raised again where it is waited for)
            outcome.error = error
        finally:
            outcome.over.set()
            attention.set()

    thread = threading.Thread(target=run, name="skillgrade model call", daemon=True)
    with stop.waking(attention.set):
        thread.start()
        attention.wait(limit)
    if not outcome.over.is_set():
        end()
        outcome.over.wait(_LAST_WAIT)
        stop.check()
        raise Abandoned
    thread.join()
    if outcome.values:
        return outcome.values[0]
    stop.check()  # the stop may be why it failed: it closes what other calls use
    assert outcome.error is not None  # noqa: S101  (a call ends in either way)
    raise outcome.error

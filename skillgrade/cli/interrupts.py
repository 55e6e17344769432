"""Ctrl-C, SIGTERM and a terminal that closes: the first stops the run, and clean-up is never interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from skillgrade.stop import Stop

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stopping_on_signals(stop: Stop, announce: Callable[[], None]) -> Iterator[None]:
    """Set `stop` when a signal asks the process to end.

    A signal that was ignored when the process started, as SIGHUP under nohup, stays ignored. The handler itself never
    raises and takes no locks: it starts a thread that sets the stop. After a stop the signals
    stay ignored to the end of the process, since the interpreter's shutdown would otherwise restore their default and
    a second Ctrl-C would kill it by signal instead of ending with exit code 130.

    Args:
        stop: The run's stop.
        announce: Called once, in that thread, before the stop is set.
    """
    asked = threading.Event()

    def end() -> None:
        announce()
        stop.set()

    def handle(_number: int, _frame: FrameType | None) -> None:
        if not asked.is_set():
            asked.set()
            threading.Thread(target=end, name="skillgrade-stop", daemon=True).start()

    heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if asked.is_set() else handler)

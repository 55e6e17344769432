"""How a run is asked to stop, and how whatever blocks is woken.

Signals and cancellation never raise into running code. A `Stop` is set once; every place that blocks registers, for as
long as it blocks, a function that ends what it waits for (kills a process, removes a container). That closes the race
between starting something and being told to stop: a registration that comes after the stop is woken at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from skillgrade.errors import Cancelled


class Stop:
    """A request to stop that wakes everything that waits.

    Thread-safe. `set` may be called from any thread, but not from a signal handler: a waker may take locks.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._wakers: dict[object, Callable[[], None]] = {}

    def is_set(self) -> bool:
        """Whether the stop was requested."""
        return self._event.is_set()

    def check(self) -> None:
        """Raise where the stop was requested.

        Raises:
            Cancelled: The stop was requested.
        """
        if self._event.is_set():
            raise Cancelled("the run was interrupted")

    def set(self) -> None:
        """Request the stop and wake everything that is registered now; later registrations wake themselves."""
        with self._lock:
            self._event.set()
            wakers = list(self._wakers.values())
        for wake in wakers:
            wake()

    @contextmanager
    def waking(self, wake: Callable[[], None]) -> Iterator[None]:
        """Call `wake` once when the stop comes while the body runs, or at once if it came before.

        Args:
            wake: Ends what the body waits for. It must not raise, may be called from another thread, and may run
                when the body has just finished by itself.
        """
        key = object()
        with self._lock:
            self._wakers[key] = wake
            stopped = self._event.is_set()
        try:
            if stopped:
                wake()
            yield
        finally:
            with self._lock:
                del self._wakers[key]

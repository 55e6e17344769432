"""How fast a model may be asked, on a clock of ours; and once with real threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import Cancelled, ModelError
from skillgrade.models.limiter import ATTEMPTS, MOST, START, Limiter
from skillgrade.stop import Stop
from tests.support.processes import eventually

NEVER = 1e9
TIMEOUT = 120.0


class Instant:
    """A clock on which waiting takes no time; `waits` are the seconds that were waited."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds


class Gates:
    """Sends that go on when they are told how they end.

    Attributes:
        limiter: What lets them through.
        started: The names of those that were let through, in order.
    """

    def __init__(self, limiter: Limiter) -> None:
        self.started: list[str] = []
        self.limiter = limiter
        self._ends: dict[str, Future[str]] = {}
        self._calls: dict[str, Future[str]] = {}
        self._threads = ThreadPoolExecutor(MOST * 2)

    def call(self, name: str, deadline: float = NEVER, stop: Stop | None = None) -> None:
        """Start a call in a thread, and return when it is under way or waits."""
        before = self.known()

        def send(seconds: float) -> str:
            self._ends[name] = end = Future[str]()
            self.started.append(name)
            return end.result(20)

        self._calls[name] = self._threads.submit(self.limiter.call, send, TIMEOUT, deadline, stop or Stop())
        assert eventually(lambda: self.known() > before, 10)

    def known(self) -> int:
        """Calls that are under way or wait."""
        return len(self.started) + len(self.limiter._waiting)

    def end(self, name: str, error: ModelError | None = None) -> None:
        """Let a call end well, or once with an error; returns when it is over, or under way or waiting again."""
        assert eventually(lambda: name in self._ends, 10)  # it was let through, perhaps a moment ago
        end = self._ends.pop(name)
        before = self.known()
        if error is None:
            end.set_result(name)
            assert self.result(name) == name
        else:
            end.set_exception(error)
            assert eventually(lambda: self.known() > before, 10)

    def result(self, name: str) -> str:
        """What became of a call."""
        return self._calls[name].result(20)

    def wait_for(self, *names: str) -> None:
        """Block until these were let through, in this order and no others."""
        assert eventually(lambda: len(self.started) >= len(names), 10), self.started
        assert self.started == list(names)

    def close(self) -> None:
        """Wait for the threads."""
        self._threads.shutdown()


def busy(retry_after: float | None = None) -> ModelError:
    return ModelError("busy", status=429, transient=True, retry_after=retry_after, calls=1)


def failing(*errors: ModelError | None) -> Callable[[float], str]:
    """A send that fails with each error in turn; None is a success."""
    ends = iter(errors)

    def send(seconds: float) -> str:
        if (error := next(ends)) is not None:
            raise error
        return "fine"

    return send


def instant(jitter: float = 1.0) -> tuple[Limiter, Instant]:
    clock = Instant()
    return Limiter(clock, lambda: jitter), clock


def error_of(limiter: Limiter, send: Callable[[float], str], deadline: float = NEVER) -> ModelError:
    with pytest.raises(ModelError) as raised:
        limiter.call(send, TIMEOUT, deadline, Stop())
    return raised.value


def test_failures_back_off_exponentially_and_give_up() -> None:
    limiter, clock = instant()
    error = error_of(limiter, failing(*(busy() for _ in range(ATTEMPTS))))
    assert clock.waits == [0.5, 1.0, 2.0, 4.0, 8.0]
    assert str(error) == f"busy ({ATTEMPTS} attempts)"
    assert (error.calls, error.status) == (ATTEMPTS, 429)


def test_the_delay_is_jittered_from_nothing_on() -> None:
    for jitter in (0.25, 0.0):
        limiter, clock = instant(jitter)
        assert limiter.call(failing(busy(), busy(), None), TIMEOUT, NEVER, Stop()) == "fine"
        assert sum(clock.waits) == pytest.approx(jitter * (0.5 + 1.0))


def test_what_is_not_transient_fails_at_once() -> None:
    limiter, clock = instant()
    error = error_of(limiter, failing(ModelError("no such model", status=404, calls=1)))
    assert (str(error), error.calls, clock.waits) == ("no such model", 1, [])
    assert limiter.limit == START


def test_a_lasting_failure_after_a_passing_one_counts_both() -> None:
    limiter, clock = instant()
    error = error_of(limiter, failing(busy(), ModelError("no such model", calls=2)))
    assert (str(error), error.calls, clock.waits) == ("no such model (2 attempts)", 3, [0.5])


def test_other_errors_pass_through_and_give_back_their_place() -> None:
    limiter, _ = instant()

    def send(seconds: float) -> str:
        raise Cancelled(f"{seconds:g}")

    for _ in range(START + 1):
        with pytest.raises(Cancelled, match="120"):
            limiter.call(send, TIMEOUT, NEVER, Stop())


def test_each_attempt_gets_the_timeout_or_the_time_that_is_left() -> None:
    limiter, clock = instant()
    given_seconds = []

    def send(seconds: float) -> str:
        given_seconds.append(seconds)
        clock.time += seconds
        raise busy()

    error = error_of(limiter, send, clock.time + 200)
    assert given_seconds == [120.0, 79.5]
    assert str(error) == "busy (2 attempts); there is no time left to wait 1.0 s and ask again"
    assert error.calls == 2


def test_what_a_provider_asks_to_wait_is_waited_at_least() -> None:
    limiter, clock = instant()
    start = clock.time
    assert limiter.call(failing(busy(7), None), TIMEOUT, NEVER, Stop()) == "fine"
    assert clock.time == start + 7


def test_waiting_beyond_the_deadline_is_not_begun() -> None:
    limiter, clock = instant()
    error = error_of(limiter, failing(busy(3600)), clock.time + 600)
    assert str(error) == "busy; there is no time left to wait 3600.0 s and ask again"
    assert (error.calls, clock.waits) == (1, [])
    other = error_of(limiter, failing(), clock.time + 600)
    assert str(other) == (
        "no request could be sent: others were in work all the time, or the provider asked to wait longer; "
        "there is no time left"
    )
    assert (other.calls, other.transient, clock.waits) == (0, True, [])


def test_everybody_waits_for_what_one_was_told() -> None:
    limiter, clock = instant()
    error_of(limiter, failing(busy(30)), clock.time + 5)
    start = clock.time
    assert limiter.call(failing(None), TIMEOUT, NEVER, Stop()) == "fine"
    assert clock.time == start + 30


def test_a_deadline_that_is_over_sends_nothing() -> None:
    limiter, clock = instant()
    assert error_of(limiter, failing(), clock.time).calls == 0


@given(st.lists(st.one_of(st.none(), st.floats(0, 50)), max_size=ATTEMPTS - 1), st.floats(0, 1), st.floats(1, 200))
def test_no_attempt_begins_before_its_time_or_after_the_deadline(
    waits: list[float | None], jitter: float, seconds: float
) -> None:
    limiter, clock = instant(jitter)
    deadline, not_before, attempts = clock.time + seconds, clock.time, 0
    ends = iter([*waits, "fine"])

    def send(given_seconds: float) -> str:
        nonlocal not_before, attempts
        attempts += 1
        assert not_before <= clock.time < deadline
        assert 0 < given_seconds <= max(0.001, deadline - clock.time)
        end = next(ends)
        if isinstance(end, str):
            return end
        not_before = clock.time + (end or 0)
        raise busy(end)

    failure = None
    try:
        limiter.call(send, TIMEOUT, deadline, Stop())
    except ModelError as error:
        failure = error
    if failure is None:
        assert attempts == len(waits) + 1
    else:
        assert failure.calls == attempts <= len(waits)
        assert "no time left" in str(failure)
    assert 1 <= limiter.limit <= START


@pytest.fixture
def gates() -> Iterator[Gates]:
    made = Gates(Limiter(jitter=lambda: 0.0))
    yield made
    made.close()


def names(prefix: str, number: int) -> list[str]:
    return [f"{prefix}{n}" for n in range(number)]


def test_it_starts_small_and_grows_with_each_success(gates: Gates) -> None:
    first, second = names("a", START), names("b", START)
    for name in [*first, *second]:
        gates.call(name)
    assert gates.started == first
    for n, name in enumerate(first):
        gates.end(name)  # which lets two in: one for the place that is free, one for the new one
        gates.wait_for(*first, *second[: 2 * (n + 1)])
    for name in second:
        gates.end(name)


def test_what_is_not_used_does_not_grow(gates: Gates) -> None:
    for name in names("a", 3 * START):
        gates.call(name)
        gates.end(name)
    assert gates.limiter.limit == START


def test_failures_halve_it_once_for_all_that_were_under_way(gates: Gates) -> None:
    under_way, half = names("a", START), START // 2
    for name in under_way:
        gates.call(name)
    for number, name in enumerate(under_way):
        gates.end(name, busy())
        assert gates.limiter.limit == half
        gates.wait_for(*under_way, *under_way[: max(0, number + 1 - half)])
    for name in under_way:
        gates.end(name)


def nest(limiter: Limiter, depth: int) -> None:
    """So many requests under way at once, the innermost of which succeeds first."""
    limiter.call(lambda _: nest(limiter, depth - 1) if depth > 1 else None, TIMEOUT, NEVER, Stop())


def test_after_a_cut_it_grows_by_one_a_round() -> None:
    limiter, _ = instant()
    limiter.call(failing(busy(), None), TIMEOUT, NEVER, Stop())
    grown = []
    for _ in range(9):
        nest(limiter, limiter.limit)
        grown.append(limiter.limit)
    assert grown == [4, 4, 4, 5, 5, 5, 5, 5, 6]


def test_it_never_falls_below_one_nor_grows_above_the_most() -> None:
    limiter, _ = instant()
    for _ in range(MOST):
        nest(limiter, limiter.limit)
    assert limiter.limit == MOST
    for _ in range(2):
        error_of(limiter, failing(*(busy() for _ in range(ATTEMPTS))))
    assert limiter.limit == 1


def test_first_come_first_served_and_a_retry_keeps_its_turn(gates: Gates) -> None:
    failed, succeeding, waiting = names("a", 4), names("b", START - 4), names("c", 4)
    for name in [*failed, *succeeding, *waiting]:
        gates.call(name)
    for name in failed:
        gates.end(name, busy())
    for number, name in enumerate(succeeding[:-1]):
        gates.end(name)
        gates.wait_for(*failed, *succeeding, *failed[: number + 1])
    for name in [succeeding[-1], *failed]:
        gates.end(name)
    for name in waiting:
        assert eventually(lambda: waiting[-1] in gates.started, 10)
        gates.end(name)
    assert gates.started == [*failed, *succeeding, *failed, *waiting]


def test_a_stop_wakes_whoever_waits_for_a_turn(gates: Gates) -> None:
    stop = Stop()
    under_way = names("a", START)
    for name in under_way:
        gates.call(name)
    gates.call("waiting", stop=stop)
    stop.set()
    with pytest.raises(Cancelled):
        gates.result("waiting")
    for name in under_way:
        gates.end(name)


@pytest.mark.parametrize("retry_after", [None, 500.0])
def test_a_stop_wakes_whoever_waits_to_ask_again(retry_after: float | None) -> None:
    stop, asked = Stop(), threading.Event()
    limiter = Limiter(jitter=lambda: 100.0)

    def send(seconds: float) -> str:
        asked.set()
        raise busy(retry_after)

    started = time.monotonic()
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(limiter.call, send, TIMEOUT, NEVER, stop)
        assert asked.wait(10)
        stop.set()
        with pytest.raises(Cancelled):
            call.result(10)
    assert time.monotonic() - started < 5


def test_a_stop_that_came_before_sends_nothing() -> None:
    stop = Stop()
    stop.set()
    with pytest.raises(Cancelled):
        Limiter().call(failing(), TIMEOUT, NEVER, stop)


def test_a_turn_that_does_not_come_in_time_fails(gates: Gates) -> None:
    under_way = names("a", START)
    for name in under_way:
        gates.call(name)
    with pytest.raises(ModelError, match=r"^no request could be sent: others were in work all the time"):
        gates.limiter.call(failing(), TIMEOUT, time.monotonic() + 0.02, Stop())
    for name in under_way:
        gates.end(name)


def test_many_threads_and_failures_lose_nobody_and_keep_the_limit() -> None:
    limiter = Limiter(jitter=lambda: 0.0)
    lock = threading.Lock()
    under_way = most = sent = 0

    def send_for(number: int) -> Callable[[float], int]:
        failures = iter([busy(0.001)] * (number % 4))

        def send(seconds: float) -> int:
            nonlocal under_way, most, sent
            with lock:
                under_way, sent = under_way + 1, sent + 1
                most = max(most, under_way)
            try:
                if (failure := next(failures, None)) is not None:
                    raise ModelError("busy", transient=True, retry_after=failure.retry_after, calls=1)
                return number
            finally:
                with lock:
                    under_way -= 1

        return send

    with ThreadPoolExecutor(32) as threads:
        calls = [
            threads.submit(limiter.call, send_for(number), TIMEOUT, time.monotonic() + 60, Stop())
            for number in range(400)
        ]
        assert [call.result(60) for call in calls] == list(range(400))
    assert sent == 400 + sum(number % 4 for number in range(400))
    assert most <= MOST
    assert limiter._under_way == 0
    assert limiter._waiting == []

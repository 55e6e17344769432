from __future__ import annotations

import threading

import pytest

from skillgrade.errors import Cancelled
from skillgrade.stop import Stop


def test_a_fresh_stop_lets_everything_go_on() -> None:
    stop = Stop()
    stop.check()
    assert not stop.is_set()


def test_check_raises_once_it_is_set() -> None:
    stop = Stop()
    stop.set()
    assert stop.is_set()
    with pytest.raises(Cancelled, match="interrupted"):
        stop.check()


def test_set_wakes_what_waits_now_and_nothing_that_is_over() -> None:
    stop = Stop()
    woken: list[str] = []
    with stop.waking(lambda: woken.append("over")):
        pass
    with stop.waking(lambda: woken.append("outer")), stop.waking(lambda: woken.append("inner")):
        stop.set()
    assert woken == ["outer", "inner"]


def test_a_registration_after_the_stop_is_woken_at_once() -> None:
    stop = Stop()
    stop.set()
    woken: list[str] = []
    with stop.waking(lambda: woken.append("late")):
        assert woken == ["late"]
    assert woken == ["late"]


def test_a_body_that_raises_is_not_woken_later() -> None:
    stop = Stop()
    woken: list[str] = []
    with pytest.raises(KeyError), stop.waking(lambda: woken.append("gone")):
        raise KeyError
    stop.set()
    assert woken == []


def test_no_registration_is_missed_by_a_stop_from_another_thread() -> None:
    stop = Stop()
    start = threading.Barrier(9)
    done = threading.Barrier(9)
    missed: list[int] = []

    def wait(number: int) -> None:
        woken = threading.Event()
        start.wait()
        with stop.waking(woken.set):
            if not woken.wait(10):
                missed.append(number)
        done.wait()

    threads = [threading.Thread(target=wait, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    start.wait()
    stop.set()
    done.wait()
    for thread in threads:
        thread.join()
    assert missed == []

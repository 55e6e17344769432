"""Searching for patterns: the verdicts of `re`, and an end to what runs wild."""

from __future__ import annotations

import re
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillgrade.errors import Cancelled
from skillgrade.graders.assertions import Subjects, check_assertions, keeping_workers, searching
from skillgrade.graders.assertions.searching import Pattern, SearchError, Searches
from skillgrade.results.records import AssertionStatus
from skillgrade.stop import Stop
from skillgrade.suite.model import Assertion

BOMB = Pattern("(a+)+$", 0)
WILD = "a" * 40 + "b"


def test_a_pattern_that_runs_wild_is_an_error_and_the_others_are_answered() -> None:
    searches = Searches(deadline=0.1)
    others = [Pattern("b", 0), BOMB, Pattern("c", 0)]
    searches.prepare((WILD, pattern) for pattern in others)
    assert searches.found(WILD, others[0])
    assert not searches.found(WILD, others[2])
    with pytest.raises(SearchError, match=r"it took more than 0\.1 s to search: write it without nested repetitions"):
        searches.found(WILD, BOMB)


def test_a_bomb_in_an_assertion_is_no_verdict() -> None:
    asked = [Assertion("matches_regex", "(a+)+$", negated=True), Assertion("matches_regex", "b")]
    results = check_assertions(asked, Subjects.of_answer(WILD))
    assert [each.status for each in results] == [AssertionStatus.ERROR, AssertionStatus.PASSED]


def test_a_stop_ends_a_search() -> None:
    stop = Stop()
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(Cancelled):
        Searches(deadline=60, stop=stop).found(WILD, BOMB)


def test_workers_are_kept_and_end_with_the_run() -> None:
    with keeping_workers():
        assert Searches().found("abc", Pattern("b", 0))
        (worker,) = searching._POOL._idle
        assert Searches().found("abd", Pattern("d", 0))
        assert searching._POOL._idle == [worker]
    assert searching._POOL._idle == []
    assert not worker.usable


def test_a_worker_that_was_killed_is_replaced() -> None:
    with keeping_workers():
        assert Searches().found("abc", Pattern("b", 0))
        (worker,) = searching._POOL._idle
        worker.kill()
        worker._process.wait()
        assert Searches().found("abc", Pattern("c", 0))


@given(
    st.text(max_size=50), st.sampled_from([r"\w+\b", "^$", r"[^\W\d]", "(?i)ß", r"\ud800", "a|b"]), st.integers(0, 3)
)
@settings(max_examples=40)
def test_the_verdicts_are_those_of_re(text: str, pattern: str, flags: int) -> None:
    number = (re.IGNORECASE if flags & 1 else 0) | (re.MULTILINE if flags & 2 else 0)
    with keeping_workers():
        assert Searches().found(text, Pattern(pattern, number)) is bool(re.search(pattern, text, number))


def test_half_a_character_is_searched_for_as_well() -> None:
    assert Searches().found("\ud800x", Pattern("\ud800", 0))

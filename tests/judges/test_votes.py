from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.judges.votes import Vote, count_votes, total_cost, total_tokens
from skillgrade.results.records import Sample


def samples(*scores: float | None) -> list[Sample]:
    return [Sample("gemini", "flash", "flash", score, "because") for score in scores]


def with_points(*points: tuple[float, ...]) -> list[Sample]:
    return [Sample("gemini", "flash", "flash", round(sum(of), 9), "because", points=of) for of in points]


@pytest.mark.parametrize(
    ("by_judge", "vote"),
    [
        ([[0.7]], Vote(0.7, (), None, None)),
        ([[0.0, 0.9, 1.0]], Vote(0.9, (), 1.0, None)),
        ([[0.6, 0.9]], Vote(0.75, (), 0.3, None)),
        ([[0.2], [0.8]], Vote(0.5, (), 0.6, 0.4)),
        ([[0.5], [0.5], [0.5]], Vote(0.5, (), 0.0, 1.0)),
        ([[0.0, 0.1, 1.0], [0.4, 0.5, 0.5]], Vote(0.3, (), 1.0, 0.6)),
        ([[0.0], [0.5], [1.0]], Vote(0.5, (), 1.0, round(1 - 2 / 3, 9))),
        ([[None]], Vote(None, (), None, None)),
        ([[0.5, None, 0.6]], Vote(None, (), 0.1, None)),
        ([[0.5], [None]], Vote(None, (), None, None)),
        ([[0.5], [None, 0.7]], Vote(None, (), 0.2, 0.8)),
    ],
)
def test_the_median_per_judge_and_the_mean_of_these(by_judge: list[list[float | None]], vote: Vote) -> None:
    assert count_votes([samples(*scores) for scores in by_judge]) == vote


def test_sections_are_counted_like_the_whole() -> None:
    first, second = with_points((0.1, 0.5), (0.3, 0.5), (0.2, 0.0)), with_points((0.4, 0.1), (0.4, 0.1), (0.4, 0.1))
    assert count_votes([first, second]).points == (0.3, 0.3)


@given(st.lists(st.lists(st.floats(0, 1), min_size=1), min_size=1))
def test_a_vote_lies_among_what_was_said(by_judge: list[list[float]]) -> None:
    vote = count_votes([samples(*scores) for scores in by_judge])
    said = list(itertools.chain.from_iterable(by_judge))
    assert vote.score is not None
    assert min(said) - 1e-9 <= vote.score <= max(said) + 1e-9
    assert vote.agreement is None or 0 <= vote.agreement <= 1
    assert (vote.spread is None) == (len(said) == 1)


def test_usage_is_summed_over_what_is_known() -> None:
    known = [
        Sample("a", "b", "b", 1, "", {"input": 2, "output": 1}, 0.5),
        Sample("a", "b", "b", 1, "", {"input": 3, "cached_input": 0}, 1.0),
    ]
    unknown = Sample("a", "b", "b", 1, "")
    assert total_tokens([*known, unknown]) == {"input": 5, "output": 1, "cached_input": 0}
    assert total_tokens([unknown]) is None
    assert total_cost(known) == 1.5
    assert total_cost([*known, unknown]) is None

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.reports.review.items import ReviewList, review_list
from skillgrade.results.folder import RunFolder
from skillgrade.results.records import AgentRun, Outcome
from skillgrade.results.reviews import read_context
from tests.support.reviews import waiting_run


def numbers(reviews: ReviewList) -> list[int]:
    return [item.record.trial for item in reviews.open]


def test_next_and_previous_go_round_what_is_open(run: RunFolder) -> None:
    first, second, third = review_list(run, None).items
    second.place.result().write_text('{"score": 1}')
    reviews = review_list(run, None)
    assert numbers(reviews) == [0, 2]
    assert [reviews.after(item) for item in (first, third)] == [reviews.items[2], reviews.items[0]]
    assert [reviews.before(item) for item in (first, third)] == [reviews.items[2], reviews.items[0]]
    assert reviews.after(second) == reviews.items[2]
    third.place.result().write_text('{"score": 1}')
    assert review_list(run, None).after(first) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"outcome": Outcome.FAILED, "agent": AgentRun(exit_code=None, timed_out=True, duration_ms=1)},
        {"outcome": Outcome.CANCELLED},
    ],
)
def test_nobody_is_asked_whose_review_could_have_no_say(tmp_path: Path, fields: dict[str, object]) -> None:
    assert review_list(waiting_run(tmp_path, 1, **fields), None).items == ()


def test_a_question_that_was_asked_anew_is_read_anew(run: RunFolder) -> None:
    item = review_list(run, None).items[0]
    assert item.prompt == "Does the page match the design?"
    text = item.place.context.read_text()
    item.place.context.write_text(text.replace("the design", "the new design"))
    assert read_context(item.place).prompt == "Does the page match the new design?"
    assert review_list(run, None).items[0].prompt == "Does the page match the new design?"


@pytest.mark.parametrize(
    ("prompt", "items"),
    [
        ("Good?", ()),
        ("- one", ("one",)),
        ("Look:\n  - [ ] one \n* two\n-three\n- \n---\n- - four", ("one", "two", "- four")),
    ],
)
def test_the_checklist_is_the_list_in_the_prompt(tmp_path: Path, prompt: str, items: tuple[str, ...]) -> None:
    assert review_list(waiting_run(tmp_path, 1, prompt=prompt), None).items[0].checklist == items

"""Which tasks are kept back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.engine.refine.split import split


def test_the_same_seed_keeps_the_same_tasks_back() -> None:
    names = [f"task-{number}" for number in range(10)]
    kept_back = split(names, 0.4, seed=0)[1]
    assert len(kept_back) == 4
    assert split(names[::-1], 0.4, seed=0)[1] == kept_back[::-1]
    assert any(split(names, 0.4, seed=seed)[1] != kept_back for seed in range(1, 5))


def test_one_task_cannot_be_split() -> None:
    with pytest.raises(ValueError, match="two tasks"):
        split(["alone"], 0.4, seed=0)


@given(st.lists(st.text(), min_size=2, max_size=12, unique=True), st.floats(0.01, 0.99), st.integers())
def test_both_parts_have_something_and_nothing_is_in_both(names: list[str], share: float, seed: int) -> None:
    worked_on, kept_back = split(names, share, seed)
    assert worked_on
    assert kept_back
    assert sorted((*worked_on, *kept_back)) == sorted(names)
    assert [name for name in names if name in worked_on] == list(worked_on)

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import SuiteError
from skillgrade.suite.dataset_files import DataRow
from skillgrade.suite.dataset_rows import filtered, sampled

ROWS = st.lists(st.sampled_from("abc"), min_size=1, max_size=60).map(
    lambda tiers: [DataRow(number, number + 1, {"tier": tier}) for number, tier in enumerate(tiers, 1)]
)


def test_the_same_seed_draws_the_same_rows_for_ever() -> None:
    rows = [DataRow(number, None, {}) for number in range(1, 21)]
    assert [row.number for row in sampled(rows, 5, seed=0)] == [4, 7, 15, 18, 20]
    assert [row.number for row in sampled(rows, 5, seed=1)] != [row.number for row in sampled(rows, 5, seed=0)]


@given(ROWS, st.integers(1, 70), st.integers())
def test_a_sample_is_a_part_in_the_order_of_the_file(rows: list[DataRow], size: int, seed: int) -> None:
    drawn = sampled(rows, size, seed)
    assert len(drawn) == min(size, len(rows))
    assert [row.number for row in drawn] == sorted({row.number for row in drawn})
    larger = sampled(rows, size + 1, seed)
    assert {row.number for row in drawn} <= {row.number for row in larger}


@given(ROWS, st.integers(1, 60), st.integers())
def test_strata_keep_their_shares(rows: list[DataRow], size: int, seed: int) -> None:
    drawn = sampled(rows, size, seed, "tier")
    assert len(drawn) == min(size, len(rows))
    before, after = (Counter(row.values["tier"] for row in some) for some in (rows, drawn))
    for tier, count in before.items():
        assert abs(after[tier] - count * len(drawn) / len(rows)) < 1


def test_a_condition_lets_rows_through() -> None:
    rows = [DataRow(number, None, {"n": number}) for number in range(4)]
    assert [row.number for row in filtered(rows, lambda row: row["n"] == 2, Path("d"))] == [2]


def test_a_row_that_a_condition_cannot_decide_about_is_named() -> None:
    rows = [DataRow(number, number + 1, {"n": number}) for number in range(1, 4)]

    def is_wanted(values: Mapping[str, object]) -> bool:
        if values["n"] == 3:
            raise ValueError("not 3")
        return True

    with pytest.raises(SuiteError, match=r"d\.csv:4: row 3: not 3"):
        filtered(rows, is_wanted, Path("d.csv"))

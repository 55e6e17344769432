from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.results.agreement import krippendorff_alpha

SCORES = st.floats(0, 1).map(lambda value: round(value, 3))
UNITS = st.lists(st.lists(SCORES, max_size=5), max_size=12)


def by_definition(units: list[list[float]]) -> float | None:
    """The same from the definition, pair by pair."""
    paired = [unit for unit in units if len(unit) > 1]
    values = [value for unit in paired for value in unit]
    if len(set(values)) < 2:
        return None
    observed = sum(sum((a - b) ** 2 for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in paired)
    expected = sum((a - b) ** 2 for a, b in permutations(values, 2))
    return 1 - (observed / len(values)) / (expected / len(values) / (len(values) - 1))


def test_the_example_of_the_method_s_author() -> None:
    """Four observers, twelve units, some missing: alpha is 0.849 with the interval metric (section E of the paper)."""
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    units = [[value for value in unit if value is not None] for unit in zip(*observers, strict=True)]
    assert krippendorff_alpha(units) == pytest.approx(0.849, abs=0.0005)


def test_full_agreement_is_one() -> None:
    assert krippendorff_alpha([[0.2, 0.2], [0.9, 0.9, 0.9], [0.5]]) == 1.0


def test_two_people_who_always_say_the_opposite() -> None:
    # observed: each unit's pair differs by 1; expected: 4 values, 8 of 12 ordered pairs differ by 1
    assert krippendorff_alpha([[0, 1], [1, 0]]) == pytest.approx(1 - 1 / (8 / 12))


@pytest.mark.parametrize("units", [[], [[]], [[0.5], [0.7]], [[0.5, 0.5], [0.5, 0.5]]])
def test_nothing_to_agree_on(units: list[list[float]]) -> None:
    assert krippendorff_alpha(units) is None


@given(UNITS)
def test_it_is_what_the_definition_says(units: list[list[float]]) -> None:
    alpha = krippendorff_alpha(units)
    assert alpha == (None if by_definition(units) is None else pytest.approx(by_definition(units), abs=1e-6))


@given(UNITS, st.floats(0.1, 10), st.floats(-5, 5))
def test_it_depends_on_neither_unit_nor_origin_nor_order(units: list[list[float]], scale: float, shift: float) -> None:
    alpha = krippendorff_alpha(units)
    moved = krippendorff_alpha([[value * scale + shift for value in reversed(unit)] for unit in reversed(units)])
    if alpha is not None and moved is not None:
        assert moved == pytest.approx(alpha, abs=1e-3)


@given(UNITS)
def test_it_is_at_most_one_and_lone_values_do_not_count(units: list[list[float]]) -> None:
    alpha = krippendorff_alpha(units)
    assert alpha is None or alpha <= 1
    assert krippendorff_alpha([*units, [0.123]]) == alpha

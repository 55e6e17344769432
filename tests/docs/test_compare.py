"""docs/compare.md names every field of a comparison, and says what the formulas say."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from skillgrade.results.comparison import (
    ArmNumbers,
    ComparedRun,
    Comparison,
    TaskComparison,
    TotalsComparison,
    Verdict,
    compare_task,
)
from skillgrade.results.paired import MOST_COUNTED, POWER
from skillgrade.results.records import Arm
from tests.support.pages import REPOSITORY

PAGE = (REPOSITORY / "docs" / "compare.md").read_text("utf-8")
KINDS = (Comparison, ComparedRun, ArmNumbers, TaskComparison, TotalsComparison)


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_on_the_page(kind: type) -> None:
    document = PAGE.partition("## The document")[2]
    assert {item.name for item in fields(kind)} - set(re.findall(r"`([a-z_]+)`", document)) == set()


def test_no_field_is_on_the_page_that_is_gone() -> None:
    cells = re.findall(r"^\| (`.*?) \|", PAGE.partition("## The document")[2], flags=re.MULTILINE)
    known = {item.name for kind in KINDS for item in fields(kind)}
    assert {name for cell in cells for name in re.findall(r"`([a-z_]+)`", cell)} <= known


@pytest.mark.parametrize("word", [*Verdict, *Arm])
def test_every_verdict_and_arm_is_on_the_page(word: str) -> None:
    assert f"`{word}`" in PAGE


def test_the_numbers_on_the_page_are_those_of_the_code() -> None:
    assert f"a power of {POWER:.0%}".replace("%", " %") in PAGE
    assert f"Beyond {MOST_COUNTED} trials" in PAGE


def test_the_example_is_what_the_formulas_give() -> None:
    def arm(passed: int) -> ArmNumbers:
        return ArmNumbers(15, 15, passed, passed / 15, passed / 15)

    helped, hindered = compare_task("helped", arm(3), arm(14)), compare_task("hindered", arm(15), arm(14))
    assert f"better (p = {helped.p_value:.2g})" in PAGE
    assert f"  {helped.normalised_gain:.0%}  " in PAGE
    assert f"unclear (p = {hindered.p_value:.2g}), {hindered.more_trials} more trials" in PAGE


def test_five_trials_per_arm_show_what_the_page_says() -> None:
    def arm(passed: int) -> ArmNumbers:
        return ArmNumbers(5, 5, passed, passed / 5, passed / 5)

    assert compare_task("a", arm(1), arm(5)).verdict is Verdict.BETTER
    assert compare_task("a", arm(2), arm(5)).verdict is Verdict.UNCLEAR

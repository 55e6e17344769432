"""Statements as the sections of one rubric."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from skillgrade.suite.formats.statements import statements_grader
from skillgrade.suite.rubric_sections import rubric_sections
from skillgrade.yaml_values import Mark, plain

MARK = Mark(Path("/cases.yaml"), 3, 5)


def test_every_statement_is_a_section_with_an_equal_share() -> None:
    grader = plain(statements_grader(MARK, ["Names every item", "Says the weight (in kg)"], 1.0, "A parcel list"))
    assert grader == {
        "type": "llm_rubric",
        "rubric": (
            "What is expected: A parcel list\n\n"
            "- Names every item (0-0.5000): all points where this holds, none where it does not.\n"
            "- Says the weight (in kg) (0-0.5000): all points where this holds, none where it does not.\n"
        ),
        "weight": 1.0,
        "optional": True,
    }


@given(
    st.lists(st.text("ab(0-1.5): *_#\n", min_size=1, max_size=40).filter(str.strip), min_size=1, max_size=6),
    st.text("ab(0-1) :\n"),
)
def test_statements_open_as_many_sections_whatever_they_look_like(statements: list[str], context: str) -> None:
    rubric = statements_grader(MARK, statements, 1.0, context)["rubric"]
    assert isinstance(rubric, str)
    sections = rubric_sections(rubric)
    assert len(sections) == len(statements)
    assert {section.low for section in sections} == {0}
    assert len({section.high for section in sections}) == 1


def test_a_statement_too_long_for_a_title_is_told_whole_behind_it() -> None:
    statement = "The list names " + ", ".join(f"item {number}" for number in range(40))
    rubric = statements_grader(MARK, [statement], 1.0)["rubric"]
    assert isinstance(rubric, str)
    (section,) = rubric_sections(rubric)
    assert section.title.startswith("The list names item 0, item 1")
    assert section.title.endswith(" ...")
    assert rubric.rstrip().endswith(statement)

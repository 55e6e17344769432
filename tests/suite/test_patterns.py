"""JavaScript's regular expressions find here what they find in Node 20, by which the data were made."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.suite.patterns import PatternError, compiled

DATA: Any = json.loads((Path(__file__).parents[1] / "data" / "javascript-patterns.json").read_text("utf-8"))


def found(pattern: str, flags: str = "", syntax: str = "javascript") -> dict[str, list[object]] | str:
    """What is found in each text, by position and words; of a pattern that is none, that it is none."""
    try:
        source, number = compiled(pattern, flags, syntax)
    except PatternError:
        return "error"
    matches = ((text, re.compile(source, number).search(text)) for text in DATA["texts"])
    return {text: [match.start(), match[0]] for text, match in matches if match}


@pytest.mark.parametrize("row", DATA["patterns"], ids=lambda row: row["pattern"])
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_it_finds_what_node_finds(row: Any) -> None:
    assert found(row["pattern"]) == row["found"]


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "holds"),
    [
        ("A.B", "is", "a\nb", True),
        ("a.b", "", "a\nb", False),
        ("^b$", "m", "a\nb\nc", True),
        ("^b$", "", "a\nb\nc", False),
        (r"(?<word>\w+) \k<word>", "", "go go", True),
    ],
)
def test_flags_are_those_that_are_given(pattern: str, flags: str, text: str, holds: bool) -> None:
    source, number = compiled(pattern, flags, "javascript")
    assert bool(re.search(source, text, number)) is holds


def test_pythons_patterns_stay_as_they_are() -> None:
    assert compiled(r"(?i)(?P<n>a)\Z", "im", "python") == (r"(?i)(?P<n>a)\Z", re.IGNORECASE | re.MULTILINE)
    with pytest.raises(PatternError, match="unterminated character set"):
        compiled("[a", "", "python")
    with pytest.raises(PatternError, match="name the characters in brackets"):
        compiled(r"\p{L}", "", "javascript")


@given(st.text(r"abc\dwsSDWbB()[]{}|?*+^$.-,<>=!:0123kux/ ", max_size=12))
def test_any_text_is_a_pattern_or_refused(text: str) -> None:
    with suppress(PatternError):
        source, number = compiled(text, "", "javascript")
        assert re.compile(source, number).flags & re.IGNORECASE == 0

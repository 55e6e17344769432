"""The sections of a SKILL.md."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skillgrade.skill.sections import headings, sections

TEXT = """\
---
name: x
# no heading
---
before

# One #
text
```sh
# a comment
```
## Two
~~~
## code
~~~
#tag
"""


def test_headings_open_sections_outside_of_frontmatter_and_code() -> None:
    found = sections(TEXT)
    assert [(one.title, one.level, one.line) for one in found] == [("", 0, 1), ("One", 1, 7), ("Two", 2, 12)]
    assert headings(TEXT) == ("One", "Two")
    assert found[1].body[0] == (8, "text")
    assert (10, "# a comment") in found[1].body
    assert found[2].body[-1] == (16, "#tag")


def test_a_text_without_headings_is_one_section_and_a_blank_one_is_none() -> None:
    assert [one.level for one in sections("just text")] == [0]
    assert sections("\n\n") == ()


@given(st.lists(st.sampled_from(["# a", "## b", "text", "```", "~~~", "---", ""]), max_size=12).map("\n".join))
def test_every_line_is_in_one_section_at_most(text: str) -> None:
    lines = [number for one in sections(text) for number, _ in one.body] + [
        one.line for one in sections(text) if one.level
    ]
    assert len(lines) == len(set(lines))

"""A rubric made of statements, each of which holds or does not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.formats.building import mapping
from skillgrade.yaml_values import Mark, MarkedMap

_LONGEST_TITLE = 180
_MARKUP = "*_: "

# A statement such as "marks each (1-5): ..." must not open a section of its own.
_RANGE_END = re.compile(r"\)[*_ \t]*:")


def statements_grader(mark: Mark, statements: Sequence[str], weight: float, context: str = "") -> MarkedMap:
    """A grader that asks a judge which statements hold for the work; its score is their share.

    Where no judge can be asked, it is skipped: what nobody checked is shown as such and passes nothing.

    Args:
        mark: Where the statements stand.
        statements: At least one.
        weight: The grader's weight.
        context: What is said of the expected work beside them.
    """
    share = f"{1 / len(statements):.4f}"
    lines = [_section(statement, share) for statement in statements]
    rubric = "\n".join([*([f"What is expected: {context}", ""] if context else []), *lines, ""])
    return mapping(mark, {"type": "llm_rubric", "rubric": rubric, "weight": weight, "optional": True})


def _section(statement: str, share: str) -> str:
    """A statement as a section of a rubric, which the report calls by its title."""
    text = _RANGE_END.sub(") -", " ".join(statement.split()).lstrip(_MARKUP))
    title = text if len(text) <= _LONGEST_TITLE else f"{text[:_LONGEST_TITLE].rsplit(' ', 1)[0]} ..."
    rest = "" if title == text else f" {text}"
    return f"- {title} (0-{share}): all points where this holds, none where it does not.{rest}"


def folded(value: Cursor) -> str:
    """A text on one line."""
    return " ".join((value.text() or "").split())

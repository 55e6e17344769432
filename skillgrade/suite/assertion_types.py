"""The types of assertions, and what each is compared with.

`skillgrade.graders.assertions.CHECKS` has the check of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from skillgrade.suite.model import SKILL_USED

OUTPUT_FORMATS = (
    *("json", "markdown_table", "numbered_list", "yaml", "code_block"),
    *("bullet_list", "headings", "html", "csv"),
)
"""What `output_format` knows."""

FLAGS = frozenset("ims")
"""Flags of a pattern: upper and lower case alike, ``^`` and ``$`` at every line, ``.`` for line breaks too."""


class Shape(Enum):
    """What a target is."""

    TEXT = auto()
    TEXTS = auto()
    PATTERN = auto()
    FORMAT = auto()
    SCHEMA = auto()
    PATH = auto()
    SKILL = auto()
    TOOL = auto()
    TOOL_ARGS = auto()
    TOOL_COUNT = auto()
    TOOL_SEQUENCE = auto()
    SECONDS = auto()
    NUMBER = auto()


SHAPES: Mapping[str, Shape] = {
    "contains": Shape.TEXT,
    "not_contains": Shape.TEXT,
    "contains_any": Shape.TEXTS,
    "contains_all": Shape.TEXTS,
    "equals": Shape.TEXT,
    "starts_with": Shape.TEXT,
    "matches_regex": Shape.PATTERN,
    "output_format": Shape.FORMAT,
    "json_schema": Shape.SCHEMA,
    "file_exists": Shape.PATH,
    "file_contains": Shape.TEXT,
    SKILL_USED: Shape.SKILL,
    "calls_tool": Shape.TOOL,
    "tool_args": Shape.TOOL_ARGS,
    "tool_count": Shape.TOOL_COUNT,
    "tool_sequence": Shape.TOOL_SEQUENCE,
    "max_cost": Shape.NUMBER,
    "max_tokens": Shape.NUMBER,
    "max_seconds": Shape.SECONDS,
}
"""Every type, and the shape of its target."""

OF_TEXT = frozenset({Shape.TEXT, Shape.TEXTS, Shape.PATTERN, Shape.FORMAT, Shape.SCHEMA})
"""Shapes of the types that look at text, and so take `on` and `file`."""

OF_CASE = frozenset({Shape.TEXT, Shape.TEXTS, Shape.PATTERN})
"""Shapes of the types for which upper and lower case may matter."""

OF_THE_STREAM = frozenset(
    {Shape.SKILL, Shape.TOOL, Shape.TOOL_ARGS, Shape.TOOL_COUNT, Shape.TOOL_SEQUENCE, Shape.NUMBER}
)
"""Shapes of the types that only an agent whose output is a stream of events can fulfil."""

ARGS_MODES = ("partial", "exact")
SEQUENCE_MODES = ("in_order", "exact")
ARG_TESTS = ("equals", "contains", "matches")
"""How an argument of a tool may be compared."""

"""What kind of fault a failed assertion shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from skillgrade.diagnostics.lookup import Place, SkillText
from skillgrade.diagnostics.model import Category, Result, Status

_INLINE = re.compile(r"^(?:\(\?[a-z]+\)|\^|\\A|\s|\\s[*+?]?)+")
_MARKUP = re.compile(r"#|\\\||\||`|\\`|\[-\*|\[\*-|\\d\+\\\.|- |\\-")
_LITERAL = re.compile(r"[A-Za-z]{3,}")
_ESCAPE = re.compile(r"\\[A-Za-z]")

_FORMATS = frozenset(("output_format", "json_schema"))
_TOOLS = frozenset(("calls_tool", "tool_args", "tool_count", "tool_sequence", "skill_used"))
_TEXTS = frozenset(
    ("contains", "contains_any", "contains_all", "equals", "starts_with", "file_contains", "file_exists")
)


def is_structural(pattern: str) -> bool:
    """Whether a regular expression looks for Markdown's marks and for no words."""
    rest = _INLINE.sub("", pattern)
    return bool(_MARKUP.match(rest)) and not _LITERAL.search(_ESCAPE.sub(" ", rest))


def is_format(result: Result) -> bool:
    """Whether an assertion is about the form of the output."""
    return result.type in _FORMATS or (result.type == "matches_regex" and is_structural(result.target))


def is_tool(result: Result) -> bool:
    """Whether an assertion is about what the agent called."""
    return result.type in _TOOLS


def is_content(result: Result) -> bool:
    """Whether an assertion is about what the output says."""
    return not is_format(result) and not is_tool(result)


def forbids(result: Result) -> bool:
    """Whether an assertion asks for something not to be there."""
    return (result.type == "not_contains") is not result.negated


def is_item(result: Result) -> bool:
    """Whether an assertion is one of the things that a section asks for."""
    return is_content(result) and not forbids(result)


def place_of(result: Result, skill: SkillText) -> Place | None:
    """The place of SKILL.md that asks for what an assertion looks for."""
    if result.type == "output_format":
        return skill.of_format(result.target)
    if is_tool(result):
        return skill.of_tool(result.target)
    if result.type == "matches_regex":
        return skill.of_pattern(result.target)
    return skill.of_text(result.target)


def group_of(result: Result, place: Place | None) -> str | None:
    """What an assertion belongs to: what the eval says, else the section that asks for it."""
    return result.group or (place.section if place is not None else None)


def category_of(result: Result, failed_in_group: int) -> Category:
    """The kind of fault.

    Args:
        result: A failed assertion.
        failed_in_group: How many things that its group asks for are missing; 0 without a group.
    """
    if is_tool(result):
        return Category.TOOL
    if is_format(result):
        return Category.FORMAT
    if forbids(result):
        return Category.HALLUCINATED
    return Category.INCOMPLETE if failed_in_group > 1 else Category.MISSING


def failed_items(results: Sequence[Result], groups: Mapping[int, str | None]) -> dict[str, int]:
    """By group, how many things that it asks for are missing.

    Args:
        results: All assertions.
        groups: By place, the group of each.
    """
    counts: dict[str, int] = {}
    for number, result in enumerate(results):
        group = groups.get(number)
        if group is not None and result.status is Status.FAILED and is_item(result):
            counts[group] = counts.get(group, 0) + 1
    return counts

"""The sections of a SKILL.md: its headings, what stands below each, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_FRONTMATTER = "---"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it, until the next one.

    Attributes:
        title: The heading's words; empty for what stands before the first heading.
        level: 1 to 6; 0 before the first heading.
        line: The heading's line, 1-based.
        body: The lines below it, with their numbers; those in code fences too.
    """

    title: str
    level: int
    line: int
    body: tuple[tuple[int, str], ...]


def sections(text: str) -> tuple[Section, ...]:
    """The sections of a Markdown text, without its frontmatter; a ``#`` in a code fence opens none."""
    found: list[Section] = []
    title, level, begin = "", 0, 1
    body: list[tuple[int, str]] = []
    for number, line, is_code in _lines(text):
        heading = None if is_code else _HEADING.fullmatch(line)
        if heading is None:
            body.append((number, line))
            continue
        found.append(Section(title, level, begin, tuple(body)))
        title, level, begin, body = heading[2], len(heading[1]), number, []
    found.append(Section(title, level, begin, tuple(body)))
    return tuple(section for section in found if section.level or any(line.strip() for _, line in section.body))


def headings(text: str) -> tuple[str, ...]:
    """The words of all headings of a Markdown text, in order."""
    return tuple(section.title for section in sections(text) if section.level)


def _lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """The lines behind the frontmatter, with their numbers, and whether each is code."""
    lines = text.splitlines()
    start = 0
    if lines and lines[0].rstrip() == _FRONTMATTER:
        end = next((index for index, line in enumerate(lines[1:], 1) if line.rstrip() == _FRONTMATTER), 0)
        start = end + 1 if end else 0
    fence = ""
    for number, line in enumerate(lines[start:], start + 1):
        mark = _FENCE.match(line)
        if fence:
            yield number, line, True
            if mark is not None and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif mark is not None:
            fence = mark[1]
            yield number, line, True
        else:
            yield number, line, False

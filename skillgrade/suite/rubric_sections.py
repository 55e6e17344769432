"""The weighted sections of a rubric: which lines open one, and how many points each can give.

A section is a line such as ``Economy (0-0.3):``: a title, a range with a hyphen or an en dash, a colon. It may stand
behind a mark of a list or a heading (``-``, ``*``, ``+``, ``1.``, ``##``) and within ``**``, ``__`` or ``*``, as people
write them in Markdown. What follows the colon, and all lines up to the next section, says what earns the points.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

SUM_TOLERANCE = 0.011
"""How far the sum of the maxima may be from 1 without a warning: three sections of 0.33 are meant to be thirds."""

_NUMBER = r"\d{1,6}(?:\.\d{1,6})?|\.\d{1,6}"
_SECTION = re.compile(
    r"^[ \t]*(?:[-+*•][ \t]+|\d{1,3}[.)][ \t]+|#{1,6}[ \t]+)?[*_]{0,3}"
    rf"(?P<title>[^\s*_:].{{0,199}}?)[*_]{{0,3}}[ \t]*\("
    rf"[ \t]*(?P<low>{_NUMBER})[ \t]*[-–][ \t]*(?P<high>{_NUMBER})[ \t]*\)[ \t]*[*_]{{0,3}}[ \t]*:",
    re.MULTILINE,
)
_ALMOST = re.compile(
    r"^.{0,200}?\([ \t]*0(?:\.0{1,6})?[ \t]*(?:[-–—−]|to)[ \t]*"
    rf"(?:{_NUMBER})[ \t]*\)[*_ \t]*:?[*_ \t]*$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class RubricSection:
    """A part of a rubric that is scored by itself, from `low` to `high` points; `high` is above `low`."""

    title: str
    low: float
    high: float

    @property
    def range(self) -> str:
        """Its range as text, such as ``0-0.3``."""
        return f"{self.low:g}-{self.high:g}"


def rubric_sections(rubric: str) -> tuple[RubricSection, ...]:
    """The sections of a rubric, in its order; empty where it has none and is scored as a whole."""
    found = (_section(match) for match in _SECTION.finditer(rubric))
    return tuple(section for section in found if section.low < section.high)


def section_problems(rubric: str) -> tuple[str, ...]:
    """What is suspicious about the sections of a rubric, a sentence each."""
    matches = list(_SECTION.finditer(rubric))
    written = [_section(match) for match in matches]
    problems = [
        f'section "{section.title}" has the range {section.range}, which no score can lie in; '
        "write the lower number first"
        for section in written
        if section.low >= section.high
    ]
    opened = {match.start() for match in matches}
    problems += [
        f'the line "{match[0].strip()}" looks like a section, but is none: write `Title (0-0.5):`, with a colon'
        for match in _ALMOST.finditer(rubric)
        if match.start() not in opened
    ]
    total = math.fsum(section.high for section in written)
    if not problems and written and abs(total - 1) > SUM_TOLERANCE:
        problems.append(
            f"the sections can give {total:g} points together, not 1; the score is the share of them that was earned"
        )
    return tuple(problems)


def _section(match: re.Match[str]) -> RubricSection:
    return RubricSection(match["title"].strip(), float(match["low"]), float(match["high"]))

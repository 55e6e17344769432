"""Which section of SKILL.md asks for what an assertion looks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from skillgrade.skill.sections import Section, sections

DESCRIPTION = "description"
"""What the description in the frontmatter is called as a section."""

_WORKFLOW = re.compile(r"\b(?:phase|step|mode|workflow)\b", re.IGNORECASE)
_MARKS = re.compile(r"^[#\s]+|[\"'`]")
_ESCAPES = re.compile(r"\\[A-Za-z]|\(\?[a-zA-Z-]*[:)]|\[[^\]]*\]|\{[^}]*\}")
_WORD = re.compile(r"[A-Za-z]{3,}")
_FORMAT_WORDS = {
    "markdown_table": ("table",),
    "json": ("json",),
    "yaml": ("yaml",),
    "numbered_list": ("numbered", "ordered list"),
    "code_block": ("code block", "code blocks", "fence", "fenced"),
    "bullet_list": ("bullet", "bullets", "bulleted", "bullet list"),
    "headings": ("heading", "headings"),
    "html": ("html",),
    "csv": ("csv",),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A section of SKILL.md, and the line of it that asks for something."""

    section: str
    quote: str


class SkillText:
    """A SKILL.md to look things up in.

    Args:
        text: All of it; empty where there is none.
        description: The description in its frontmatter.
    """

    def __init__(self, text: str, description: str = "") -> None:
        found = [section for section in sections(text) if section.level]
        self._sections = sorted(found, key=lambda section: _WORKFLOW.search(section.title) is None)
        self._description = " ".join(description.split())
        self.is_there = bool(text.strip())

    def of_text(self, target: str) -> Place | None:
        """The place that names a text, as whole words."""
        words = " ".join(_MARKS.sub("", target.strip()).lower().split())
        return self._first(_whole_words([words])) if words else None

    def of_pattern(self, pattern: str) -> Place | None:
        """The place that names one of the words of a regular expression."""
        words = [word.lower() for word in _WORD.findall(_ESCAPES.sub(" ", pattern))]
        return self._first(_whole_words(words)) if words else None

    def of_format(self, name: str) -> Place | None:
        """The place that asks for a form of output."""
        words = _FORMAT_WORDS.get(name, ())
        return self._first(_whole_words(words)) if words else None

    def of_tool(self, tool: str) -> Place | None:
        """The place that names a tool; lines that call it a tool come first."""
        name = re.compile(rf"(?<![\w-]){re.escape(tool)}(?![\w-])")
        tool_line = self._first(lambda line: bool(name.search(line)) and "tool" in line.lower())
        return tool_line or self._first(lambda line: bool(name.search(line)))

    def _first(self, matches: Callable[[str], bool]) -> Place | None:
        for section in self._sections:
            for line in _searched(section):
                if matches(line):
                    return Place(section.title, line.strip())
        if self._description and matches(self._description):
            return Place(DESCRIPTION, self._description)
        return None


def _searched(section: Section) -> Iterator[str]:
    """The lines of a section, its heading last."""
    yield from (line for _, line in section.body)
    yield section.title


def _whole_words(words: Sequence[str]) -> Callable[[str], bool]:
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in words))
    return lambda line: bool(pattern.search(" ".join(_MARKS.sub("", line).lower().split())))

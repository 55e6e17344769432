"""Taking out of a text about a skill what it is not for, so that those words do not speak for it.

What is taken out: the rest of a sentence from "not for", "do not use for" or "does not" on; a sentence that begins with
"never"; what stands in parentheses that begin with "not" (but not "not only"), "never" or "see"; and a redirection such
as "use `other-skill` instead". Every step is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_ASIDE = re.compile(r"\((?:not\b(?!\s+only\b)|never\b|see\b)[^()]*\)", re.IGNORECASE)
_REDIRECT = re.compile(
    r"\buse\s+(?:`[^`\s]+`|\"[^\"\s]+\"|'[^'\s]+'|[a-z0-9]+(?:-[a-z0-9]+)+)\s+instead\b", re.IGNORECASE
)
_MARK = re.compile(r"\b(?:not for|do not use for|does not)\b", re.IGNORECASE)
_NEVER = re.compile(r"\s*never\b", re.IGNORECASE)
_END = re.compile(r"[.!?]+(?=\s|$)")
_ABBREVIATIONS = ("e.g.", "i.e.")


def without_exclusions(text: str) -> str:
    """The text without what it excludes; one that excludes nothing stays as it is."""
    text = _REDIRECT.sub(" ", _ASIDE.sub(" ", text))  # a space, so that no two words become one
    return "".join(map(_included, _sentences(text))).strip() if _may_exclude(text) else text


def joined(*parts: str) -> str:
    """Texts as one, each of them a sentence of its own."""
    return " ".join(part if part[-1] in ".!?" else f"{part}." for part in map(str.strip, parts) if part)


def _may_exclude(text: str) -> bool:
    lower = text.lower()
    return "never" in lower or "not" in lower


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a text with the white space before them; together they are the text."""
    begin = 0
    for end in _END.finditer(text):
        if not text[begin : end.end()].lower().endswith(_ABBREVIATIONS):
            yield text[begin : end.end()]
            begin = end.end()
    yield text[begin:]


def _included(sentence: str) -> str:
    if _NEVER.match(sentence):
        return ""
    mark = _MARK.search(sentence)
    return sentence if mark is None else sentence[: mark.start()]

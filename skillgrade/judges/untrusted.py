r"""Text that somebody else wrote, made fit for a prompt: bounded, and with nothing in it that cannot be seen.

What is invisible to the person who reads a transcript may still speak to a model: zero-width characters, bidirectional
overrides, tag characters and variation selectors can carry whole sentences, and control characters and ANSI escapes
can paint over others. All of these become ``\u{200b}`` and the like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Categories Cc (but for tab and line feed), Cf, Cs, Zl and Zp of Unicode 16, and what else is drawn as nothing by its
# property Default_Ignorable_Code_Point (DerivedCoreProperties.txt).
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\U000110bd\U000110cd\U00013430-\U00013455\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

_ASCII = {code: f"\\u{{{code:x}}}" for code in (*range(0x20), 0x7F) if chr(code) not in "\t\n"}


@dataclass(frozen=True, slots=True)
class Budget:
    """How many characters of a part a judge gets to read: from its beginning and from its end."""

    head: int
    tail: int


TRANSCRIPT = Budget(12_000, 36_000)
"""Of the transcript: what an agent did last, and what it says that it did, matters most."""

DIFF = Budget(16_000, 8_000)
"""Of what changed in the workspace."""

ARTIFACT = Budget(10_000, 10_000)
"""Of each file that the grader names."""

INSTRUCTION = Budget(8_000, 8_000)
"""Of what the agent was told."""

FACTS = Budget(8_000, 8_000)
"""Of what the graders before said, all together."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part as a judge gets it: the text, and how many characters of it are missing in the middle."""

    text: str
    missing: int


def excerpt(text: str, budget: Budget) -> Excerpt:
    """Cut a text in its middle to what the budget allows, say so there, and make visible what is hidden.

    The costly steps see what is kept only, so that a text of many megabytes costs hardly more than a short one.
    """
    missing = len(text) - budget.head - budget.tail
    if missing <= 0:
        return Excerpt(visible(text), 0)
    head, tail = visible(text[: budget.head]), visible(text[len(text) - budget.tail :])
    return Excerpt(f"{head}\n[... {missing} characters are missing here ...]\n{tail}", missing)


def visible(text: str) -> str:
    """A text whose hidden characters are escaped, and whose lines end in line feeds; it can always be encoded."""
    text = text.replace("\r\n", "\n")
    # The interpreter translates ASCII by a table, in a tenth of the time that a pattern takes.
    return text.translate(_ASCII) if text.isascii() else _HIDDEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"

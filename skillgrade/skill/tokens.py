"""Words of prompts and descriptions, as the lexical router of skills compares them.

The rules are those of keryx, the public system whose numbers are reproduced here. The stemmer is as crude as it is
there: two forms of a word need not meet.
"""

from __future__ import annotations

import re

_CAMEL = re.compile(r"([a-z])([A-Z])")
_OTHER = re.compile(r"[\W_]+")
_SHORTEST = 3
_STOP_WORDS = frozenset(
    (
        *("the", "and", "for", "with", "this", "that", "your", "are", "from", "into", "out", "run", "use", "used"),
        *("make", "get", "can", "please", "help", "want", "them"),
        *("для", "при", "что", "как", "это", "под", "над", "или", "все", "мне", "нам", "нужно", "надо"),
        *("мой", "моя", "мои", "чтобы", "его"),
    )
)


def normalised(text: str) -> str:
    """A text in lower case, with one space between words, which camel case separates too."""
    return _OTHER.sub(" ", _CAMEL.sub(r"\1 \2", text).lower()).strip()


def tokens(text: str) -> frozenset[str]:
    """The stems of the words that count: three UTF-16 units long at least, and no stop words."""
    return frozenset(map(stem, words(text)))


def words(text: str) -> frozenset[str]:
    """The words that count, as they are."""
    found = normalised(text).split(" ")
    return frozenset(word for word in found if _units(word) >= _SHORTEST and word not in _STOP_WORDS)


def stem(word: str) -> str:
    """A word without its English ending."""
    length = _units(word)
    if length > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if length > 4 and word.endswith("es"):
        return word[:-2]
    if length > 5 and word.endswith("ing"):
        return word[:-3]
    if length > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _units(word: str) -> int:
    """The length in UTF-16 units, by which the rules count."""
    return len(word) if word.isascii() else len(word.encode("utf-16-le")) // 2

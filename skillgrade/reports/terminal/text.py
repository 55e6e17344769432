"""Text for terminals: safe to print, and short."""

from __future__ import annotations

import unicodedata

_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Unicode categories that can move the cursor, reorder text or hide it."""

_KEPT = "\n\t\u200d"


def printable(text: str) -> str:
    """The text without anything that could steer a terminal: agents and graders wrote it.

    Newlines and tabs stay; other control characters become U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char if char in _KEPT or unicodedata.category(char) not in _UNSAFE else "\ufffd"
        for char in text.replace("\r\n", "\n")
    )


def one_line(text: str, limit: int) -> str:
    """The text in one printable line of at most `limit` characters."""
    line = " ".join(printable(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def size(count: int) -> str:
    """A number of bytes as people say it: ``0.0 MB``, ``12.3 MB``, ``1.20 GB``."""
    return f"{count / 1e6:.1f} MB" if count < 1e9 else f"{count / 1e9:.2f} GB"


def seconds(milliseconds: float) -> str:
    """A duration as people say it: ``0.3 s``, ``12 s``, ``3 min 05 s``, ``1 h 02 min``."""
    value = milliseconds / 1000
    if value < 10:
        return f"{value:.1f} s"
    if value < 60:
        return f"{value:.0f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"

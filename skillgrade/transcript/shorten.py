"""Keeping what a stream says small: its beginning and its end, with a mark between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OUTPUT_LIMIT = 8_000
"""Characters of a tool's output that are kept."""

MESSAGE_LIMIT = 256_000
"""Characters of a message that are kept."""

ARGUMENT_LIMIT = 16_000
"""Characters of one string in a call's arguments that are kept."""

_MARK_ROOM = 80
_ITEMS = 100
_DEPTH = 6


def shortened(text: str, limit: int) -> str:
    """A text of at most `limit` characters."""
    return text if len(text) <= limit else _cut(text, limit, 0)


def _cut(text: str, limit: int, dropped: int) -> str:
    """The text's two ends; what was dropped from its middle before counts with what is now."""
    half = (limit - _MARK_ROOM) // 2
    left_out = dropped + len(text) - 2 * half
    return f"{text[:half]}\n[... {left_out} characters left out here ...]\n{text[-half:]}"


def short_arguments(value: object) -> dict[str, Any]:
    """The arguments of a call, cut; empty when they are no object."""
    if not isinstance(value, dict):
        return {}
    return _short_mapping(value, _DEPTH)


def _short_mapping(value: Mapping[str, object], depth: int) -> dict[str, Any]:
    if len(value) > _ITEMS:
        value = dict(list(value.items())[:_ITEMS])
    return {
        key: item if isinstance(item, str) and len(item) <= ARGUMENT_LIMIT else _short(item, depth)
        for key, item in value.items()
    }


def _short(value: object, depth: int) -> Any:
    if isinstance(value, str):
        return shortened(value, ARGUMENT_LIMIT)
    if isinstance(value, dict):
        return _short_mapping(value, depth - 1) if depth else "{...}"
    if isinstance(value, list):
        return [_short(item, depth - 1) for item in value[:_ITEMS]] if depth else "[...]"
    return value


class Growing:
    """A text that comes in pieces and is kept short: its beginning, and its newest end.

    Args:
        limit: Characters that are kept.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[str] = []
        self._kept = 0
        self._dropped = 0

    def add(self, text: str) -> None:
        """Go on."""
        self._pieces.append(text)
        self._kept += len(text)
        if self._kept > 2 * self._limit:
            whole, half = "".join(self._pieces), (self._limit - _MARK_ROOM) // 2
            self._dropped += len(whole) - 2 * half
            self._pieces = [whole[:half], whole[-half:]]
            self._kept = 2 * half

    def take(self) -> str:
        """What there is; nothing is left of it."""
        whole, dropped = "".join(self._pieces), self._dropped
        self._pieces, self._kept, self._dropped = [], 0, 0
        return _cut(whole, self._limit, dropped) if dropped else shortened(whole, self._limit)

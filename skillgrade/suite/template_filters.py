"""The filters of templates: those of Jinja2 that cost no more than their value is long, and bounded ones of our own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

LONGEST_TEXT = 1024 * 1024
"""Characters that one text may become."""

_MOST_DIGITS = 100


def filters(known: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """The filters by name.

    Args:
        known: Jinja2's own, of which most are taken.
    """
    return {name: known[name] for name in _TAKEN} | _OWN


def _join(values: Iterable[object], between: object = "") -> str:
    parts, separator = [_text(value) for value in values], _text(between)
    _bound(sum(map(len, parts)) + len(separator) * len(parts))
    return separator.join(parts)


def _replace(value: object, old: object, new: object) -> str:
    text, before, after = _text(value), _text(old), _text(new)
    _bound(len(text) + text.count(before) * len(after))
    return text.replace(before, after)


def _round(value: float, digits: int = 0) -> float:
    if abs(digits) > _MOST_DIGITS:
        raise ValueError(f"round takes at most {_MOST_DIGITS} digits")
    return round(value, digits)


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _bound(size: int) -> None:
    if size > LONGEST_TEXT:
        raise ValueError(f"a text becomes longer than {LONGEST_TEXT} characters")


_TAKEN = (
    "abs", "capitalize", "default", "first", "float", "int", "last", "length", "lower", "string", "title", "trim",
    "upper",
)  # fmt: skip

# Jinja2's escape for HTML, or grow as far as an argument says.
_OWN: dict[str, Callable[..., Any]] = {"join": _join, "replace": _replace, "round": _round, "tojson": _as_json}

FILTERS = frozenset((*_TAKEN, *_OWN))
"""The names of the filters that may be used."""

"""The filters of templates: those of Jinja2 that cost no more than their value is long, and stricter ones of ours."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from skillgrade.wording import shown

LONGEST_TEXT = 1024 * 1024
"""Characters that one text may become."""

_MOST_DIGITS = 100


def filters(known: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """The filters by name.

    Args:
        known: Jinja2's own, of which most are taken.
    """
    return {name: known[name] for name in _TAKEN} | _OWN


def _float(value: object, default: object = None) -> object:
    number = _number(value)
    return _or_default(value, default) if number is None else float(number)


def _int(value: object, default: object = None) -> object:
    number = _number(value)
    return _or_default(value, default) if number is None else int(number)


def _number(value: object) -> int | float | None:
    """A value as a finite number; whole numbers exactly, however long."""
    if not isinstance(value, (int, float, str)):
        return None
    try:
        return int(value) if not isinstance(value, float) else value
    except ValueError:
        pass
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _or_default(value: object, default: object) -> object:
    """The default that was given; Jinja2 takes 0 without one, which looks like a value."""
    if default is None:
        raise ValueError(f"{shown(value)} is no number")
    return default


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
    "abs", "capitalize", "default", "first", "last", "length", "lower", "string", "title", "trim",
    "upper",
)  # fmt: skip

# Jinja2's escape for HTML, grow as far as an argument says, or take what is no number for 0.
_OWN: dict[str, Callable[..., Any]] = {
    "float": _float,
    "int": _int,
    "join": _join,
    "replace": _replace,
    "round": _round,
    "tojson": _as_json,
}

FILTERS = frozenset((*_TAKEN, *_OWN))
"""The names of the filters that may be used."""

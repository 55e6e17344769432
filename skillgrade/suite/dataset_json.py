"""The rows of JSON and of JSON lines, each with the line that it begins at; strict where Python's reader is not."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NoReturn

from skillgrade.errors import Problem, SuiteError
from skillgrade.yaml_reader import MAX_DEPTH


def json_lines(path: Path, text: str) -> Iterator[tuple[int, object]]:
    """The value of each line that is not blank, with its line.

    Raises:
        SuiteError: A line is no JSON.
    """
    for line, written in enumerate(text.split("\n"), 1):
        if not written.strip():
            continue
        try:
            value = _JSON.decode(written)
        except (ValueError, RecursionError) as error:
            raise _fault(path, error, line) from None
        _bound(path, written, value, line)
        yield line, value


def json_list(path: Path, text: str) -> Iterator[tuple[int, object]]:
    """The items of the list that a text is, with the line that each begins at.

    Raises:
        SuiteError: It is no JSON, or no list.
    """
    opening = _OPENING.match(text)
    if opening is None:
        _refuse(path, text)
        raise SuiteError([Problem("must be a list of objects", path)])
    position, counted, line = opening.end(), 0, 1
    while not text.startswith("]", position):
        line += text.count("\n", counted, position)
        counted = position
        try:
            value, end = _JSON.raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise _fault(path, error, error.lineno) from None
        except (ValueError, RecursionError) as error:
            raise _fault(path, error, line) from None
        _bound(path, text[position:end], value, line)
        yield line, value
        between = _BETWEEN.match(text, end)
        if between is None:
            break
        position = between.end()
    if _END.fullmatch(text, position) is None:
        _refuse(path, text)


def _refuse(path: Path, text: str) -> None:
    """Say what is wrong with a text as a whole, if it is no JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise _fault(path, error, error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise _fault(path, error, None) from None


def _bound(path: Path, written: str, value: object, line: int) -> None:
    """Refuse what is nested so deeply that others who take it apart would fail on it."""
    if written.count("[") + written.count("{") <= MAX_DEPTH:
        return
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        level = list(chain.from_iterable(map(_parts, level)))
    if any(isinstance(one, (dict, list)) for one in level):
        raise SuiteError([Problem(_TOO_DEEP, path, line)])


def _parts(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        return iter(value.values())
    return iter(value if isinstance(value, list) else ())


def _fault(path: Path, error: ValueError | RecursionError, line: int | None) -> SuiteError:
    if isinstance(error, json.JSONDecodeError):
        message = f"is no JSON: {error.msg}"
    elif isinstance(error, RecursionError):
        message = _TOO_DEEP
    else:
        message = f"is no JSON that can be used: {error}"
    return SuiteError([Problem(message, path, line)])


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _whole(number: str) -> int:
    if len(number) > _MOST_DIGITS:
        raise ValueError(f"a number has more than {_MOST_DIGITS} digits")
    return int(number)


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number} is too large a number")
    return value


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has the same name twice")
    return found


_MOST_DIGITS = 1000
"""Digits of a whole number; Python itself refuses some thousands, at a limit that its settings move."""

_TOO_DEEP = f"is nested more than {MAX_DEPTH} levels deep"
_JSON = json.JSONDecoder(
    parse_constant=_no_constant, parse_float=_finite, parse_int=_whole, object_pairs_hook=_without_doubles
)
_OPENING = re.compile(r"[ \t\r\n]*\[[ \t\r\n]*")
_BETWEEN = re.compile(r"[ \t\r\n]*(?:,[ \t\r\n]*(?!\])|(?=\]))")
_END = re.compile(r"\][ \t\r\n]*")

"""What a deterministic grader printed: found, checked, read."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from skillgrade.errors import GraderError
from skillgrade.results.records import Check
from skillgrade.suite.schema import grader_output_schema

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_QUOTE_LIMIT = 300
"""Characters of output that an error message quotes."""

_WINDOWS = (4 * 1024, 64 * 1024, 16 * 1024 * 1024)
"""Characters in which the end of an object is looked for. The decoder's errors cost as much as the text before them is
long, so that a search in the whole text would take n^2 for n opening braces."""

_LONGEST_TOKEN = 12
"""Characters of a token, such as a number or an escape, that the end of a window may have cut."""

_SCAN_BUDGET = 256 * 1024 * 1024
"""Characters that may be looked at in vain."""

_ADVICE = "print one JSON object with score and details on stdout, and send all other output to stderr"


@dataclass(frozen=True, slots=True)
class GraderAnswer:
    """What a deterministic grader said: a score of 0..1, its words, its checks."""

    score: float
    details: str
    checks: tuple[Check, ...]


def read_answer(stdout: str) -> GraderAnswer:
    """Read a grader's verdict from everything that it printed: the last JSON object that has a ``score``.

    Args:
        stdout: The whole output; log lines, CRLF, a BOM and NUL bytes around the object are fine.

    Raises:
        GraderError: There is no such object, or it is not of the shape that ``skillgrade schema grader-output`` prints.
    """
    stdout = stdout.replace("\0", "")  # wide characters and binary tools leave them between tokens
    last: Mapping[str, Any] | None = None
    for candidate in _objects(stdout):
        if "score" in candidate:
            last = candidate
    if last is None:
        raise GraderError(f"the grader printed {_quote(stdout)}, {_what_is_missing(stdout)}: {_ADVICE}")
    _check_shape(last)
    return GraderAnswer(
        score=float(last["score"]),
        details=last["details"],
        checks=tuple(
            Check(check["name"], check["passed"], check.get("message") or "") for check in last.get("checks") or ()
        ),
    )


def _check_shape(found: Mapping[str, Any]) -> None:
    score = found["score"]
    if isinstance(score, float) and not math.isfinite(score):
        raise GraderError(f"the grader's score is {score}, which is no finite number from 0 to 1")
    error = min(_validator().iter_errors(found), key=lambda error: error.json_path, default=None)
    if error is not None:
        place = error.json_path.removeprefix("$").removeprefix(".") or "the object"
        raise GraderError(f"the grader's JSON is not as it must be: {place}: {_shorten(error.message)}")


@cache
def _validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(grader_output_schema())


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object in the text that is not inside another one, in order."""
    budget = _SCAN_BUDGET
    start = text.find("{")
    while start >= 0:
        for window in _WINDOWS:
            value, length = _object_at(text[start : start + window])
            if value is not None:
                yield value
                break
            budget -= min(window, len(text) - start)
            if length < window:
                break
        if budget < 0:
            raise GraderError(f"the grader's output has too many unfinished braces to look for its JSON: {_ADVICE}")
        start = text.find("{", start + length if value is not None else start + 1)


def _object_at(text: str) -> tuple[dict[str, Any] | None, int]:
    """The JSON object that a text starts with, and how much of the text was read to know."""
    # Control characters inside strings are accepted: shell graders interpolate messages with raw newlines.
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text)
    except json.JSONDecodeError as error:
        reached_end = error.pos >= len(text) - _LONGEST_TOKEN or error.msg.startswith("Unterminated string")
        return None, len(text) if reached_end else error.pos
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        return None, 0
    return value, end


def _what_is_missing(stdout: str) -> str:
    if any(_objects(stdout)):
        return "an object without a score"
    if "{" in stdout:
        return "which is no valid JSON (write it with a JSON library, such as Python's json.dumps)"
    return "where a JSON object with a score belongs"


def _quote(text: str) -> str:
    return f"«{_shorten(text.strip())}»" if text.strip() else "nothing"


def _shorten(text: str) -> str:
    if len(text) <= _QUOTE_LIMIT:
        return text
    half = _QUOTE_LIMIT // 2
    return f"{text[:half]} […] {text[-half:]}"

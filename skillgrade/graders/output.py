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

_SCAN_BUDGET = 64 * 1024 * 1024
"""Characters that may be read while looking for JSON, failed starts included: unclosed braces would cost n^2."""

_ADVICE = "print one JSON object with score and details on stdout, and send all other output to stderr"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a deterministic grader said: a score of 0..1, its words, its checks."""

    score: float
    details: str
    checks: tuple[Check, ...]


def read_verdict(stdout: str) -> Verdict:
    """Read a grader's verdict from everything that it printed: the last JSON object that has a ``score``.

    Args:
        stdout: The whole output; log lines, CRLF, a BOM and NUL bytes around the object are fine.

    Raises:
        GraderError: There is no such object, or it is not of the shape that ``skillgrade schema grader-output`` prints.
    """
    last: Mapping[str, Any] | None = None
    for candidate in _objects(stdout):
        if "score" in candidate:
            last = candidate
    if last is None:
        quoted = _quote(stdout)
        raise GraderError(
            f"the grader printed {quoted or 'nothing'}, where a JSON object with a score belongs: {_ADVICE}"
        )
    _check_shape(last)
    return Verdict(
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
    # Control characters inside strings are accepted: shell graders interpolate messages with raw newlines.
    decoder = json.JSONDecoder(strict=False)
    budget = _SCAN_BUDGET
    start = text.find("{")
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            end = start + 1
            budget -= max(1, error.pos - start)
        except RecursionError:
            end = start + 1
            budget -= 1000
        else:
            budget -= end - start
            yield value
        if budget < 0:
            raise GraderError(f"the grader's output has too many unfinished braces to look for its JSON: {_ADVICE}")
        start = text.find("{", end)


def _quote(text: str) -> str:
    return json.dumps(_shorten(text.strip()), ensure_ascii=False) if text.strip() else ""


def _shorten(text: str) -> str:
    if len(text) <= _QUOTE_LIMIT:
        return text
    half = _QUOTE_LIMIT // 2
    return f"{text[:half]} […] {text[-half:]}"

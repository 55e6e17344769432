"""Checks of the form that a text has.

The first five are the heuristics of the format that cases.yaml comes from; they look at lines, not at meaning.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

from skillgrade.graders.assertions.base import Finding, Look, quoted
from skillgrade.graders.assertions.searching import Pattern
from skillgrade.graders.assertions.subjects import UntoldError
from skillgrade.suite.model import Assertion

_SEPARATOR = re.compile(r"\|[-:| \t\r]*\|")
_NUMBERED = re.compile(r"[ \t]*\d+\.[ \t]+\S")
_PAIR = re.compile(r"\w[\w \t]*:[ \t]+\S")
_BULLET = re.compile(r"[ \t]*[-*+][ \t]+\S")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_OPENING_TAG = re.compile(r"<([A-Za-z][A-Za-z0-9-]*)(?=[\s>/])")
_CLOSING_TAG = re.compile(r"</([A-Za-z][A-Za-z0-9-]*)\s*>")
_FENCE = "```"
_FENCED = re.compile(r"\s*```[A-Za-z]*[ \t]*\n(?P<inside>.*?)\n[ \t]*```\s*", re.DOTALL)
_FENCES_OF_A_BLOCK = 2


def output_format(assertion: Assertion, look: Look) -> Finding:
    """The text has the form that the target names."""
    name = str(assertion.target)
    holds = _FORMATS[name](look.text(assertion))
    return Finding(holds, f"{name} is {'there' if holds else 'not there'}")


def json_schema(assertion: Assertion, look: Look) -> Finding:
    """The text, or the one fenced block that it is, is JSON that the target allows."""
    text = look.text(assertion)
    fenced = _FENCED.fullmatch(text)
    try:
        value = json.loads(fenced["inside"] if fenced else text)
    except (ValueError, RecursionError) as fault:
        return Finding(False, f"the text is no JSON: {fault}")
    from jsonschema import Draft202012Validator, validators
    from jsonschema.exceptions import ValidationError
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    def pattern(_: Any, wanted: str, instance: Any, __: Any) -> Iterable[ValidationError]:
        if isinstance(instance, str) and not look.found(instance, Pattern(wanted, 0)):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    extend: Any = validators.extend
    validator = extend(Draft202012Validator, {"pattern": pattern})(assertion.target, registry=Registry())
    try:
        error = next(validator.iter_errors(value), None)
    except (Unresolvable, RecursionError) as fault:
        raise UntoldError(f"the schema cannot be applied: {fault}") from None
    return Finding(
        error is None, "it is what the schema says" if error is None else f"{error.json_path}: {quoted(error.message)}"
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _has_table(text: str) -> bool:
    """A line with two bars, and below it one that separates a head from rows."""
    return any(head.count("|") > 1 and _SEPARATOR.match(line) for head, line in pairwise(text.split("\n")))


def _has_line(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: any(pattern.match(line) for line in text.split("\n"))


def _has_block(text: str) -> bool:
    return text.count(_FENCE) >= _FENCES_OF_A_BLOCK


def _has_html(text: str) -> bool:
    """An element that is opened and closed."""
    opened = {name.lower() for name in _OPENING_TAG.findall(text)}
    return any(name.lower() in opened for name in _CLOSING_TAG.findall(text))


def _is_csv(text: str) -> bool:
    """Two rows or more of as many cells, two at least."""
    try:
        rows = [row for row in csv.reader(text.strip().splitlines(), strict=True) if row]
    except csv.Error:
        return False
    return len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1


_FORMATS: Mapping[str, Callable[[str], bool]] = {
    "json": _is_json,
    "markdown_table": _has_table,
    "numbered_list": _has_line(_NUMBERED),
    "yaml": _has_line(_PAIR),
    "code_block": _has_block,
    "bullet_list": _has_line(_BULLET),
    "headings": _has_line(_HEADING),
    "html": _has_html,
    "csv": _is_csv,
}

"""Evaluating assertions: every one of them, whatever came of the others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from skillgrade.graders.assertions.base import Check, Finding, Look, MissingFileError
from skillgrade.graders.assertions.files import file_exists
from skillgrade.graders.assertions.formats import json_schema, output_format
from skillgrade.graders.assertions.measures import max_cost, max_seconds, max_tokens
from skillgrade.graders.assertions.patterns import matches_regex, pattern_of
from skillgrade.graders.assertions.searching import Pattern, Searches
from skillgrade.graders.assertions.skills import skill_used
from skillgrade.graders.assertions.subjects import Subjects, UntoldError
from skillgrade.graders.assertions.texts import contains, contains_all, contains_any, equals, not_contains, starts_with
from skillgrade.graders.assertions.tools import calls_tool, tool_args, tool_count, tool_sequence
from skillgrade.results.records import AssertionResult, AssertionStatus
from skillgrade.stop import Stop
from skillgrade.suite.assertion_specs import TEXT_SOURCE
from skillgrade.suite.assertion_types import OF_THE_STREAM, SHAPES, Shape
from skillgrade.suite.model import SKILL_USED, Assertion

CHECKS: dict[str, Check] = {
    "contains": contains,
    "not_contains": not_contains,
    "contains_any": contains_any,
    "contains_all": contains_all,
    "equals": equals,
    "starts_with": starts_with,
    "matches_regex": matches_regex,
    "output_format": output_format,
    "json_schema": json_schema,
    "file_exists": file_exists,
    "file_contains": contains,
    SKILL_USED: skill_used,
    "calls_tool": calls_tool,
    "tool_args": tool_args,
    "tool_count": tool_count,
    "tool_sequence": tool_sequence,
    "max_cost": max_cost,
    "max_tokens": max_tokens,
    "max_seconds": max_seconds,
}
"""The check of each type of assertion."""

_TRACE = "trace"


def check_assertions(
    assertions: Sequence[Assertion], subjects: Subjects, stop: Stop | None = None
) -> tuple[AssertionResult, ...]:
    """Evaluate assertions, in their order.

    Args:
        assertions: The assertions.
        subjects: What they look at.
        stop: Ends it early.

    Raises:
        Cancelled: The stop came.
    """
    look = Look(subjects, Searches(stop=stop))
    look.searches.prepare(_searches(assertions, look))
    return tuple(_result(each, *_outcome(each, look)) for each in assertions)


def share(results: Iterable[AssertionResult]) -> float:
    """The weighted share of assertions that hold, 0..1; 0 where nothing weighs anything."""
    listed = list(results)
    total = sum(each.weight for each in listed)
    held = sum(each.weight for each in listed if each.status is AssertionStatus.PASSED)
    return round(held / total, 12) if total else 0.0


def _searches(assertions: Iterable[Assertion], look: Look) -> Iterator[tuple[str, Pattern]]:
    """All searches of one kind, which cost less together; what cannot be searched for is said later."""
    for each in assertions:
        if each.type == "matches_regex" and each.fault is None:
            with suppress(UntoldError, MissingFileError):
                yield look.text(each), pattern_of(each)


def _outcome(assertion: Assertion, look: Look) -> tuple[AssertionStatus, str]:
    if assertion.fault is not None:
        return AssertionStatus.ERROR, assertion.fault
    try:
        finding = CHECKS[assertion.type](assertion, look)
    except UntoldError as error:
        return AssertionStatus.ERROR, str(error)
    except MissingFileError as error:
        finding = Finding(False, f"the file {error} is not there", fails_negated=True)
    holds = not finding.holds and not finding.fails_negated if assertion.negated else finding.holds
    return AssertionStatus.PASSED if holds else AssertionStatus.FAILED, finding.why


def _result(assertion: Assertion, status: AssertionStatus, detail: str) -> AssertionResult:
    target = assertion.target
    return AssertionResult(
        type=assertion.type,
        target=target if isinstance(target, str) else json.dumps(target, ensure_ascii=False),
        weight=assertion.weight,
        status=status,
        detail=detail,
        negated=assertion.negated,
        group=assertion.group,
        subject=_subject(assertion),
    )


def _subject(assertion: Assertion) -> str:
    shape = SHAPES.get(assertion.type)
    if shape is Shape.SECONDS or (shape in OF_THE_STREAM and assertion.options.get("source") != TEXT_SOURCE):
        return _TRACE
    if assertion.file is not None:
        return assertion.file
    return str(assertion.target) if shape is Shape.PATH else assertion.subject.value

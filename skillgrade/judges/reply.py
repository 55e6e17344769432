"""The reply of a judge to a rubric: the schema that it is asked for, and the strict reader of what came.

A reply is one JSON object, alone or in one code fence, with the fields of the schema and no others. What is nearly that
is no verdict: a reader that looks for numbers in prose finds those that the agent planted, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from skillgrade.errors import ReplyError
from skillgrade.judges.base import Reading
from skillgrade.judges.strict_json import Fault, checked, object_schema, parsed, quote
from skillgrade.judges.untrusted import visible
from skillgrade.suite.rubric_sections import RubricSection
from skillgrade.wording import shown

_SCORED = ("reasoning", "score")


def section_key(index: int) -> str:
    """The field of a reply that holds a section; titles are no names that every provider takes."""
    return f"section_{index + 1}"


def reply_schema(sections: Sequence[RubricSection]) -> Mapping[str, object]:
    """The JSON Schema of a reply.

    It keeps to what the strict modes of all providers take: every field required, no others, no bounds for numbers
    (the reader checks them). Reasoning stands before the score, so that a model that writes in order thinks first.

    Args:
        sections: The sections to be scored; none for one score from 0 to 1.
    """
    tag: Mapping[str, object] = {"type": "string", "description": "The tag of the answer."}
    if not sections:
        return object_schema({"tag": tag, **_scored("How well the work meets the rubric, from 0 to 1.")})
    parts = {section_key(index): _section_schema(section) for index, section in enumerate(sections)}
    return object_schema({"tag": tag, **parts})


def read_reply(text: str, tag: str, sections: Sequence[RubricSection]) -> Reading:
    """Read a judge's reply.

    Args:
        text: The whole reply.
        tag: The tag that it must echo.
        sections: The sections that it must score; none for one score.

    Returns:
        The score, 0..1. With sections it is the share of all points that was earned.

    Raises:
        ReplyError: It is anything else than one object as it was asked for; the message quotes it.
    """
    try:
        return _read(text, tag, sections)
    except Fault as fault:
        raise ReplyError(f"the judge's reply {fault}: {quote(text)}") from None


def _read(text: str, tag: str, sections: Sequence[RubricSection]) -> Reading:
    keys = [section_key(index) for index in range(len(sections))]
    answer = checked(parsed(text), ("tag", *(keys or _SCORED)))
    if answer["tag"] != tag:
        raise Fault(f'does not echo the tag "{tag}" of its question')
    if not sections:
        reasoning, score = _scores(answer, 0, 1)
        return Reading(score, reasoning)
    words, points = [], []
    for key, section in zip(keys, sections, strict=True):
        where = f" in the section {shown(section.title)}"
        reasoning, score = _scores(checked(answer[key], _SCORED, where), section.low, section.high, where)
        words.append(f"{section.title}: {reasoning}")
        points.append(score)
    return Reading(_share(points, sections), "\n".join(words), tuple(points))


def _share(points: Sequence[float], sections: Sequence[RubricSection]) -> float:
    """The share of all points; rounded, so that tenths that sum to all of them are 1 exactly."""
    most = math.fsum(section.high for section in sections)
    return min(1.0, round(math.fsum(points) / most, 9))


def _scores(fields: Mapping[str, Any], low: float, high: float, where: str = "") -> tuple[str, float]:
    reasoning, score = fields["reasoning"], fields["score"]
    if not isinstance(reasoning, str):
        raise Fault(f"has a reasoning that is no text{where}")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise Fault(f"has a score that is no number{where}")
    if not low <= score <= high:
        raise Fault(f"has a score outside {low:g}..{high:g}{where}")
    return visible(reasoning), float(score)


def _scored(description: str) -> Mapping[str, object]:
    return {
        "reasoning": {"type": "string", "description": "What was seen, written before the score."},
        "score": {"type": "number", "description": description},
    }


def _section_schema(section: RubricSection) -> Mapping[str, object]:
    return object_schema(_scored(f"Points for this section, from {section.low:g} to {section.high:g}."))

"""The reply of a judge to a rubric: the schema that it is asked for, and the strict reader of what came.

A reply is one JSON object, alone or in one code fence, with the fields of the schema and no others. What is nearly that
is no verdict: a reader that looks for numbers in prose finds those that the agent planted, too.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from skillgrade.errors import ReplyError
from skillgrade.judges.base import Reading
from skillgrade.judges.untrusted import visible
from skillgrade.suite.rubric_sections import RubricSection
from skillgrade.wording import shown

_QUOTE = 300
"""Characters of a reply that an error quotes."""

_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(?P<inside>.*?)\r?\n?[ \t]*```", re.DOTALL | re.IGNORECASE)
_SCORED = ("reasoning", "score")
_AROUND = " \t\r\n\ufeff"


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
        return _object({"tag": tag, **_scored("How well the work meets the rubric, from 0 to 1.")})
    parts = {section_key(index): _section_schema(section) for index, section in enumerate(sections)}
    return _object({"tag": tag, **parts})


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
    except _Fault as fault:
        raise ReplyError(f"the judge's reply {fault}: {quote(text)}") from None


def quote(text: str) -> str:
    """A reply as messages quote it: short, and with nothing in it that cannot be seen."""
    text = visible(text.strip(_AROUND))
    if not text:
        return "nothing"
    if len(text) > _QUOTE:
        text = f"{text[: _QUOTE // 2]} [...] {text[-_QUOTE // 2 :]}"
    return f"«{text}»"


class _Fault(Exception):
    """What is wrong with a reply, as the rest of a sentence about it."""


def _read(text: str, tag: str, sections: Sequence[RubricSection]) -> Reading:
    keys = [section_key(index) for index in range(len(sections))]
    answer = _checked(_parsed(text), ("tag", *(keys or _SCORED)))
    if answer["tag"] != tag:
        raise _Fault(f'does not echo the tag "{tag}" of its question')
    if not sections:
        reasoning, score = _scores(answer, 0, 1)
        return Reading(score, reasoning)
    words, points = [], []
    for key, section in zip(keys, sections, strict=True):
        where = f" in the section {shown(section.title)}"
        reasoning, score = _scores(_checked(answer[key], _SCORED, where), section.low, section.high, where)
        words.append(f"{section.title}: {reasoning}")
        points.append(score)
    return Reading(_share(points, sections), "\n".join(words), tuple(points))


def _share(points: Sequence[float], sections: Sequence[RubricSection]) -> float:
    """The share of all points; rounded, so that tenths that sum to all of them are 1 exactly."""
    most = math.fsum(section.high for section in sections)
    return min(1.0, round(math.fsum(points) / most, 9))


def _parsed(text: str) -> object:
    text = text.strip(_AROUND)
    if not text:
        raise _Fault("is empty")
    fenced = _FENCE.fullmatch(text)
    try:
        return json.loads(
            fenced["inside"] if fenced else text,
            object_pairs_hook=_without_doubles,
            parse_constant=_no_number,
        )
    except json.JSONDecodeError as error:
        if text.startswith(("{", "`")) and error.msg.startswith("Extra data"):
            raise _Fault("goes on after its JSON object") from None
        raise _Fault("is not one JSON object and nothing else") from None
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        raise _Fault("is no JSON that can be read") from None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _Fault("has a field twice")
    return fields


def _no_number(word: str) -> NoReturn:
    raise _Fault(f"has {word} where a number belongs")


def _checked(found: object, wanted: Sequence[str], where: str = "") -> Mapping[str, Any]:
    if not isinstance(found, dict):
        raise _Fault(f"is no JSON object{where}")
    missing = [name for name in wanted if name not in found]
    unknown = [name for name in found if name not in wanted]
    if missing:
        raise _Fault(f"lacks {', '.join(missing)}{where}")
    if unknown:
        raise _Fault(f"has unknown fields ({visible(', '.join(unknown))[:60]}){where}")
    return found


def _scores(fields: Mapping[str, Any], low: float, high: float, where: str = "") -> tuple[str, float]:
    reasoning, score = fields["reasoning"], fields["score"]
    if not isinstance(reasoning, str):
        raise _Fault(f"has a reasoning that is no text{where}")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise _Fault(f"has a score that is no number{where}")
    if not low <= score <= high:
        raise _Fault(f"has a score outside {low:g}..{high:g}{where}")
    return visible(reasoning), float(score)


def _scored(description: str) -> Mapping[str, object]:
    return {
        "reasoning": {"type": "string", "description": "What was seen, written before the score."},
        "score": {"type": "number", "description": description},
    }


def _section_schema(section: RubricSection) -> Mapping[str, object]:
    return _object(_scored(f"Points for this section, from {section.low:g} to {section.high:g}."))


def _object(properties: Mapping[str, object]) -> Mapping[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }

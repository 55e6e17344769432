"""The reply of a judge that decides by criteria: the schema that it is asked for, and the strict reader of what came.

The verdict is derived here, from the criteria. A reply whose own verdict is another one, or that quotes what the answer
does not say, contradicts itself and is no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from skillgrade.errors import ReplyError
from skillgrade.judges.base import Reading
from skillgrade.judges.strict_json import Fault, checked, object_schema, parsed, quote
from skillgrade.judges.untrusted import visible
from skillgrade.results.records import Criterion
from skillgrade.wording import shown

PASS, FAIL = "pass", "fail"
_FIELDS = ("criteria", "verdict", "reason")
_CRITERION = ("id", "holds", "quote")
_SPACE = re.compile(r"\s+")


def verdict_schema(ids: Sequence[str]) -> Mapping[str, object]:
    """The JSON Schema of a reply, within what the strict modes of all providers take.

    The criteria stand before the verdict, so that a model that writes in order decides them first.

    Args:
        ids: The criteria.
    """
    criterion = object_schema(
        {
            "id": {"type": "string", "enum": list(ids)},
            "holds": {"type": "boolean"},
            "quote": {"type": "string", "description": "The words of the answer that show it, or nothing."},
        }
    )
    return object_schema(
        {
            "criteria": {"type": "array", "items": criterion},
            "verdict": {"type": "string", "enum": [PASS, FAIL]},
            "reason": {"type": "string", "description": "One or two sentences."},
        }
    )


def read_verdict(text: str, passing: Sequence[str], failing: Sequence[str], quotable: Iterable[str]) -> Reading:
    """Read a judge's reply.

    Args:
        text: The whole reply.
        passing: The ids of the criteria that must hold.
        failing: The ids of those of which none may hold.
        quotable: The texts that quotes come from.

    Returns:
        The score, 1 or 0, the reason, and what the reply says of each criterion, in their order.

    Raises:
        ReplyError: It is anything else than one object as it was asked for, or contradicts itself; with the reply
            quoted.
    """
    try:
        return _read(text, passing, failing, [_folded(each) for each in quotable])
    except Fault as fault:
        raise ReplyError(f"the judge's reply {fault}: {quote(text)}") from None


def _read(text: str, passing: Sequence[str], failing: Sequence[str], quotable: Sequence[str]) -> Reading:
    answer = checked(parsed(text), _FIELDS)
    listed = answer["criteria"]
    if not isinstance(listed, list):
        raise Fault("has criteria that are no list")
    found: dict[str, Criterion] = {}
    for item in listed:
        criterion = _criterion(item)
        if criterion.id in found:
            raise Fault(f"has the criterion {shown(criterion.id)} twice")
        found[criterion.id] = criterion
    wanted = (*passing, *failing)
    if missing := [each for each in wanted if each not in found]:
        raise Fault(f"says nothing of {', '.join(missing)}")
    if unknown := [each for each in found if each not in wanted]:
        raise Fault(f"has criteria that are not asked for ({visible(', '.join(unknown))[:60]})")
    criteria = tuple(found[each] for each in wanted)
    for criterion in criteria:
        _check_quote(criterion, criterion.id in passing, quotable)
    verdict, reason = answer["verdict"], answer["reason"]
    if verdict not in (PASS, FAIL):
        raise Fault(f'has a verdict that is neither "{PASS}" nor "{FAIL}"')
    if not isinstance(reason, str):
        raise Fault("has a reason that is no text")
    passes = all(found[each].holds for each in passing) and not any(found[each].holds for each in failing)
    if (verdict == PASS) is not passes:
        raise Fault(f'says "{verdict}", and by its own criteria it is the opposite')
    return Reading(float(passes), visible(reason), criteria=criteria)


def _criterion(item: object) -> Criterion:
    fields = checked(item, _CRITERION, " among its criteria")
    identity, holds, words = (fields[name] for name in _CRITERION)
    if not isinstance(identity, str) or not isinstance(words, str):
        raise Fault("has an id or a quote that is no text")
    if not isinstance(holds, bool):
        raise Fault(f"has a criterion {shown(visible(identity))} whose `holds` is neither true nor false")
    return Criterion(identity, holds, visible(words))


def _check_quote(criterion: Criterion, is_passing: bool, quotable: Sequence[str]) -> None:
    words = _folded(criterion.quote)
    if words and not any(words in each for each in quotable):
        raise Fault(f"quotes for {criterion.id} what the answer does not say")
    if criterion.holds and is_passing and not words:
        raise Fault(f"says that {criterion.id} holds, and quotes nothing for it")


def _folded(text: str) -> str:
    return _SPACE.sub(" ", text).strip()

"""Reading a model's reply strictly: one JSON object, alone or in one code fence, with just the fields asked for.

What is nearly that is no answer: a reader that looks for what it wants in prose finds what the agent planted, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from skillgrade.judges.untrusted import visible

_QUOTE = 300
"""Characters of a reply that an error quotes."""

_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(?P<inside>.*?)\r?\n?[ \t]*```", re.DOTALL | re.IGNORECASE)
_AROUND = " \t\r\n\ufeff"


class Fault(Exception):
    """What is wrong with a reply, as the rest of a sentence about it."""


def parsed(text: str) -> object:
    """The one JSON value of a reply.

    Raises:
        Fault: The reply holds something else, or more.
    """
    text = text.strip(_AROUND)
    if not text:
        raise Fault("is empty")
    fenced = _FENCE.fullmatch(text)
    try:
        return json.loads(
            fenced["inside"] if fenced else text,
            object_pairs_hook=_without_doubles,
            parse_constant=_no_number,
        )
    except json.JSONDecodeError as error:
        if text.startswith(("{", "`")) and error.msg.startswith("Extra data"):
            raise Fault("goes on after its JSON object") from None
        raise Fault("is not one JSON object and nothing else") from None
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        raise Fault("is no JSON that can be read") from None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise Fault("has a field twice")
    return fields


def _no_number(word: str) -> NoReturn:
    raise Fault(f"has {word} where a number belongs")


def checked(found: object, wanted: Sequence[str], where: str = "") -> Mapping[str, Any]:
    """A value that must be an object with certain fields and no others.

    Raises:
        Fault: It is not.
    """
    if not isinstance(found, dict):
        raise Fault(f"is no JSON object{where}")
    missing = [name for name in wanted if name not in found]
    if missing:
        raise Fault(f"lacks {', '.join(missing)}{where}")
    if len(found) > len(wanted):
        unknown = [name for name in found if name not in wanted]
        raise Fault(f"has unknown fields ({visible(', '.join(unknown))[:60]}){where}")
    return found


def quote(text: str) -> str:
    """A reply as messages quote it: short, and with nothing in it that cannot be seen."""
    text = visible(text.strip(_AROUND))
    if not text:
        return "nothing"
    if len(text) > _QUOTE:
        text = f"{text[: _QUOTE // 2]} [...] {text[-_QUOTE // 2 :]}"
    return f"«{text}»"


def object_schema(properties: Mapping[str, object]) -> Mapping[str, object]:
    """The JSON Schema of an object with just these properties, as the strict modes of all providers take it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }

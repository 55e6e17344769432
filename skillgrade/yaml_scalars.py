"""What a plain scalar means: text, a number, a truth value or nothing.

The core schema of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema), as js-yaml reads it: ``yes``, ``no``, ``on``
and dates are text, ``1e3`` is a number. Numbers that JSON cannot hold are refused.
"""

from __future__ import annotations

import math
import re

CORE_TAG = "tag:yaml.org,2002:"

_MAX_NUMBER_LENGTH = 400
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:[0-9][0-9_]*|0b[01][01_]*|0o[0-7][0-7_]*|0x[0-9a-fA-F][0-9a-fA-F_]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMBER_STARTS = frozenset("-+.0123456789")
_BASES = {"0b": 2, "0o": 8, "0x": 16}


def resolve_scalar(text: str) -> object:
    """The value of a plain scalar.

    Raises:
        ValueError: It is a number that cannot be held.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is not a finite number")
    is_integer = _INTEGER.fullmatch(text) is not None
    if not is_integer and _FLOAT.fullmatch(text) is None:
        return text
    if len(text) > _MAX_NUMBER_LENGTH:
        raise ValueError(f"a number of {len(text)} digits is too long")
    digits = text.replace("_", "")
    if is_integer:
        return int(digits, _BASES.get(digits.lstrip("+-")[:2], 10))
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


def apply_tag(value: object, tag: str) -> object:
    """A resolved value as its tag has it.

    Raises:
        ValueError: It is no such value, or the tag is not supported.
    """
    name = tag.removeprefix(CORE_TAG)
    if name == "float" and type(value) is int:
        return float(value)
    wanted = {"int": int, "float": float, "bool": bool, "null": type(None)}.get(name)
    if wanted is None:
        raise ValueError(unsupported_tag(tag))
    if type(value) is not wanted:
        raise ValueError(f"this is no {name}, as its tag says")
    return value


def unsupported_tag(tag: str) -> str:
    """What is wrong with a tag that has no meaning here."""
    name = tag.removeprefix(CORE_TAG)
    return f"the tag {name if name.startswith('!') else f'!!{name}'} is not supported; leave it out"

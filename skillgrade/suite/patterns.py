r"""Regular expressions of assertions: Python's, or JavaScript's in terms of Python's.

What JavaScript's syntax means is that of ECMA-262 without the ``u`` flag. What Python's `re` cannot do alike, such as a
lookbehind of no fixed width or ``\p{...}``, is refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

PYTHON, JAVASCRIPT = "python", "javascript"
SYNTAXES = (PYTHON, JAVASCRIPT)

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}
_ANY = "(?s:.)"
_DOT = r"[^\n\r\u2028\u2029]"
_WHITE = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_OUTSIDE = {"d": "[0-9]", "D": "[^0-9]", "w": "[A-Za-z0-9_]", "W": "[^A-Za-z0-9_]", "b": r"(?a:\b)", "B": r"(?a:\B)"}
_OUTSIDE |= {"s": f"[{_WHITE}]", "S": f"[^{_WHITE}]"}
_INSIDE = {"d": "0-9", "w": "A-Za-z0-9_", "s": _WHITE, "b": r"\x08"}
_OPPOSITES = {"D": "d", "W": "w", "S": "s"}
_ALIKE = frozenset("fnrtv")
_HEX = re.compile(r"x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}")
_CONTROL = re.compile(r"c([A-Za-z])")
_NAMED = re.compile(r"k<([A-Za-z_$][\w$]*)>")
_GROUP = re.compile(r"\(\?(?:<(?![=!])(?P<name>[A-Za-z_]\w*)>|(?P<known>[:=!]|<[=!]|[ims]*-?[ims]*:))")
_BRACES = re.compile(r"\{\d+(?:,\d*)?\}")


class PatternError(ValueError):
    """A pattern is no regular expression that can be searched for; the message says why."""


def compiled(text: str, flags: str, syntax: str) -> tuple[str, int]:
    """A pattern and flags as `re` takes them, checked.

    Args:
        text: The pattern.
        flags: Some of ``i``, ``m``, ``s``.
        syntax: ``python`` or ``javascript``.

    Raises:
        PatternError: It is none.
    """
    source = "".join(_translated(text, flags)) if syntax == JAVASCRIPT else text
    number = sum(_FLAGS[flag] for flag in set(flags))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of sets in brackets, which mean the same until then
            re.compile(source, number)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(str(error) or "it is nested too deeply") from None
    return source, int(number)


def _translated(text: str, flags: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        one = text[at]
        if one == "\\":
            part, at = _escape(text, at + 1)
        elif one == "[":
            part, at = _class(text, at)
        elif one == "(":
            part, at = _opening(text, at)
        elif one == ".":
            part, at = (one if "s" in flags else _DOT), at + 1
        elif one == "$":
            part, at = (one if "m" in flags else r"\Z"), at + 1
        elif one == "{" and not _BRACES.match(text, at):
            part, at = r"\{", at + 1
        elif one in "*+?}" and text[at + 1 : at + 2] == "+":
            raise PatternError(f"nothing to repeat at position {at + 1}")
        else:
            part, at = one, at + 1
        yield part


def _escape(text: str, at: int) -> tuple[str, int]:
    """What an escape outside of brackets means; `at` is behind its backslash."""
    if at == len(text):
        raise PatternError(r"a \ ends the pattern")
    one = text[at]
    if named := _NAMED.match(text, at):
        return f"(?P={named[1]})", named.end()
    if one in _OUTSIDE:
        return _OUTSIDE[one], at + 1
    if one in "123456789":
        return f"\\{one}", at + 1
    return _character(text, at)


def _character(text: str, at: int) -> tuple[str, int]:
    """The one character that an escape means."""
    one = text[at]
    if one in "pP" and text[at + 1 : at + 2] == "{":
        raise PatternError(r"\p{...} is not supported; name the characters in brackets")
    if code := _HEX.match(text, at):
        return f"\\{code[0]}", code.end()
    if control := _CONTROL.match(text, at):
        return f"\\x{ord(control[1]) % 32:02x}", control.end()
    if one == "0":
        return r"\x00", at + 1
    return (f"\\{one}" if one in _ALIKE else re.escape(one)), at + 1


def _class(text: str, at: int) -> tuple[str, int]:
    """A class in brackets; `at` is at the opening one."""
    negated = text.startswith("^", at + 1)
    at += 2 if negated else 1
    parts: list[str] = []
    known: set[str] = set()
    while at < len(text) and text[at] != "]":
        one = text[at]
        if one != "\\":
            parts.append(re.escape(one) if one in "[&~|^" else one)
            at += 1
            continue
        kind = text[at + 1 : at + 2]
        if kind in _INSIDE or kind in _OPPOSITES:
            known.add(kind)
            parts.append(_INSIDE.get(kind, f"\\{kind}"))
            at += 2
        elif not kind:
            raise PatternError(r"a \ ends the pattern")
        else:
            part, at = _character(text, at + 1)
            parts.append(part)
    if at == len(text):
        raise PatternError("a [ is never closed")
    at += 1
    is_everything = any({opposite, kind} <= known for opposite, kind in _OPPOSITES.items())
    if not parts or is_everything:
        return (_ANY if negated != is_everything else "(?!)"), at
    return f"[{'^' if negated else ''}{''.join(parts)}]", at


def _opening(text: str, at: int) -> tuple[str, int]:
    if text[at + 1 : at + 2] != "?":
        return "(", at + 1
    group = _GROUP.match(text, at)
    if group is None:
        raise PatternError(f"the group at position {at} is none of JavaScript's")
    return (f"(?P<{group['name']}>" if group["name"] else group[0]), group.end()

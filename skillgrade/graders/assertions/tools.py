"""Checks of the tools that the agent called, by what its output shows; a call that was refused is none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from skillgrade.graders.assertions.base import Finding, Look, quoted
from skillgrade.graders.assertions.searching import Pattern
from skillgrade.graders.assertions.subjects import UntoldError
from skillgrade.graders.assertions.tool_words import words_of
from skillgrade.results.evidence import Call
from skillgrade.suite.assertion_specs import TEXT_SOURCE
from skillgrade.suite.model import Assertion
from skillgrade.transcript.events import CallStatus
from skillgrade.transcript.tools import canonical

_NAMED = 6


def calls_tool(assertion: Assertion, look: Look) -> Finding:
    """The tool was called; with ``source: text``, the words say so, which is weaker."""
    name = str(assertion.target)
    if assertion.options.get("source") == TEXT_SOURCE:
        words = words_of(name, look.text(assertion))
        said = f"the words say so: {quoted(words)}" if words else f"no words say that {name} was called"
        return Finding(words is not None, said)
    calls = _calls(look)
    holds = any(_is_named(call, {"name": name}) for call in calls)
    return Finding(holds, f"{name} was called" if holds else f"{name} was not called; {_called(calls)}")


def tool_args(assertion: Assertion, look: Look) -> Finding:
    """The tool was called with such arguments."""
    wanted = _mapping(assertion.target)
    calls = [call for call in _calls(look) if _is_named(call, wanted)]
    holds = any(_has_args(call, wanted, look) for call in calls)
    if holds:
        return Finding(True, "it was called so")
    if not calls:
        return Finding(False, f"{_name(wanted)} was not called; {_called(_calls(look))}")
    return Finding(False, f"{_name(wanted)} was called, with {quoted(calls[-1].args)} last")


def tool_count(assertion: Assertion, look: Look) -> Finding:
    """The tool was called so many times; without a name, all tools together."""
    wanted = _mapping(assertion.target)
    count = sum(_is_named(call, wanted) for call in _calls(look))
    low, high = wanted.get("min", 0), wanted.get("max", count)
    return Finding(low <= count <= high, f"{count} call{'' if count == 1 else 's'} of {_name(wanted)}")


def tool_sequence(assertion: Assertion, look: Look) -> Finding:
    """The tools were called in this order: with others between them, or just so."""
    wanted = _mapping(assertion.target)
    steps, calls = [_mapping(step) for step in wanted["steps"]], _calls(look)
    if wanted.get("mode") == "exact":
        holds = len(calls) == len(steps) and all(
            _is_step(call, step, look) for call, step in zip(calls, steps, strict=True)
        )
        return Finding(holds, "the calls are just these" if holds else _called(calls))
    rest: Iterable[Call] = iter(calls)
    for step in steps:
        if not any(_is_step(call, step, look) for call in rest):
            return Finding(False, f"{_name(step)} does not come where it should; {_called(calls)}")
    return Finding(True, "the calls come in this order")


def _calls(look: Look) -> Sequence[Call]:
    if look.subjects.calls is None:
        raise UntoldError("the agent's output does not show which tools it called")
    return [call for call in look.subjects.calls if call.status != CallStatus.DENIED]


def _mapping(value: object) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise UntoldError("its target is no mapping")


def _name(wanted: Mapping[str, Any]) -> str:
    return str(wanted.get("name") or wanted.get("pattern") or "any tool")


def _is_named(call: Call, wanted: Mapping[str, Any]) -> bool:
    name, pattern = wanted.get("name"), wanted.get("pattern")
    if name is not None:
        return call.name == name or call.tool == canonical(str(name))
    return pattern is None or any(fnmatchcase(each, _only_stars(str(pattern))) for each in (call.name, call.tool))


def _only_stars(pattern: str) -> str:
    return re.sub(r"[\[?]", lambda match: f"[{match[0]}]", pattern)


def _is_step(call: Call, step: Mapping[str, Any], look: Look) -> bool:
    return _is_named(call, step) and ("args" not in step or _has_args(call, step, look))


def _has_args(call: Call, wanted: Mapping[str, Any], look: Look) -> bool:
    args = _mapping(wanted.get("args"))
    if wanted.get("mode") == "exact" and set(args) != set(call.args):
        return False
    return all(name in call.args and _is_like(call.args[name], expected, look) for name, expected in args.items())


def _is_like(value: Any, expected: Any, look: Look) -> bool:
    if not isinstance(expected, Mapping):
        return _same(value, expected)
    ((test, wanted),) = expected.items()
    if test == "equals":
        return _same(value, wanted)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return str(wanted) in text if test == "contains" else look.found(text, Pattern(str(wanted), 0))


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same; 1 is not true."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _called(calls: Sequence[Call]) -> str:
    if not calls:
        return "no tool was called"
    names = [call.tool for call in calls]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"called were {', '.join(names[:_NAMED])}{more}"

"""What promptfoo's assertions are here.

The names and their meaning are those of promptfoo's reference of assertions (deterministic, model-graded, trajectory).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.formats.building import listing, mapping
from skillgrade.suite.formats.fields import Fields
from skillgrade.suite.formats.statements import folded
from skillgrade.wording import shown
from skillgrade.yaml_values import MarkedMap

_NOT = "not-"
_SET = "assert-set"
_RUBRICS = ("llm-rubric", "g-eval", "model-graded-closedqa", "agent-rubric")
_MILLISECONDS = 1000

Pairs: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Asserts:
    """The assertions of a test, sorted: those that programs check, and those for a judge."""

    checks: list[MarkedMap] = field(default_factory=list)
    rubrics: list[str] = field(default_factory=list)

    def read(self, items: Iterator[Cursor], fields: Fields) -> None:
        """Take a list of assertions."""
        for item in items:
            kind = (item.get("type") or item).text() or ""
            if kind == _SET:
                self._take_set(item, fields)
            elif kind in _RUBRICS:
                value = fields.text(item, "value", is_required=True)
                self.rubrics.extend([folded(value)] if value else [])
            else:
                self.checks.extend(_checks(item, kind, fields))

    def _take_set(self, item: Cursor, fields: Fields) -> None:
        if item.get("threshold") is not None:
            fields.error(item, "a set with a threshold of its own has no counterpart; give the test the threshold")
        self.read(fields.mappings(item, "assert"), fields)


def _checks(item: Cursor, kind: str, fields: Fields) -> Iterator[MarkedMap]:
    negated = kind.startswith(_NOT)
    converter = _CONVERTERS.get(kind.removeprefix(_NOT))
    common = {"weight": item.get("weight"), "group": item.get("metric"), "not": True if negated else None}
    if item.get("transform") is not None:
        fields.findings.warn(
            item.mark, item.path, "`transform` is not applied: what the agent said is checked as it is"
        )
    if converter is None:
        message = f"no assertion here does what {shown(kind)} does, so it cannot be evaluated"
        fields.findings.warn(item.mark, item.path, message)
        yield mapping(item.mark, {"type": kind, "target": "", **common})
        return
    for pairs in converter(item):
        yield mapping(item.mark, {**pairs, **common})


def _value(item: Cursor) -> Cursor | str:
    return item.get("value") or ""


def _text(kind: str, *, is_case_sensitive: bool) -> Callable[[Cursor], Sequence[Pairs]]:
    """A check of text against one text."""

    def convert(item: Cursor) -> Sequence[Pairs]:
        return [{"type": kind, "target": _value(item), "case_sensitive": is_case_sensitive}]

    return convert


def _texts(kind: str, *, is_case_sensitive: bool) -> Callable[[Cursor], Sequence[Pairs]]:
    """A check of text against several, which stand in a list or between commas."""

    def convert(item: Cursor) -> Sequence[Pairs]:
        value = item.get("value")
        wanted: object = value
        if value is not None and value.text() is not None:
            parts = [part.strip() for part in (value.text() or "").split(",")]
            wanted = listing(value.mark, [part for part in parts if part])
        return [{"type": kind, "target": wanted or "", "case_sensitive": is_case_sensitive}]

    return convert


def _regex(item: Cursor) -> Sequence[Pairs]:
    return [{"type": "matches_regex", "target": _value(item), "syntax": "javascript", "flags": ""}]


def _is_json(item: Cursor) -> Sequence[Pairs]:
    schema = item.get("value")
    if schema is None:
        return [{"type": "output_format", "target": "json"}]
    return [{"type": "json_schema", "target": schema}]


def _is_html(_: Cursor) -> Sequence[Pairs]:
    return [{"type": "output_format", "target": "html"}]


def _cost(item: Cursor) -> Sequence[Pairs]:
    return [{"type": "max_cost", "target": item.get("threshold") or _value(item)}]


def _latency(item: Cursor) -> Sequence[Pairs]:
    limit = item.get("threshold") or item.get("value")
    number = limit.number() if limit else None
    return [{"type": "max_seconds", "target": "" if number is None else number / _MILLISECONDS}]


def _skill_used(item: Cursor) -> Sequence[Pairs]:
    value = item.get("value")
    if value is not None and isinstance(value.value, list):
        return [{"type": "skill_used", "target": each} for each in value.items()]
    name = value.get("name") if value else None
    return [{"type": "skill_used", "target": name or _value(item)}]


def _tool_used(item: Cursor) -> Sequence[Pairs]:
    value = item.get("value")
    if value is not None and isinstance(value.value, list):
        return [{"type": "calls_tool", "target": each} for each in value.items()]
    if value is not None and isinstance(value.value, dict):
        return [{"type": "tool_count", "target": _chosen(value, ("name", "pattern", "min", "max"), {"min": 1})}]
    return [{"type": "calls_tool", "target": _value(item)}]


def _tool_args(item: Cursor) -> Sequence[Pairs]:
    value = item.get("value") or item
    pairs = _chosen(value, ("name", "pattern", "args", "mode"))
    if "args" not in pairs and (arguments := value.get("arguments")):
        pairs = mapping(value.mark, {**dict(value.pairs()), "args": arguments, "arguments": None})
    return [{"type": "tool_args", "target": pairs}]


def _tool_sequence(item: Cursor) -> Sequence[Pairs]:
    value = item.get("value") or item
    if isinstance(value.value, list):
        return [{"type": "tool_sequence", "target": mapping(value.mark, {"steps": value})}]
    return [{"type": "tool_sequence", "target": _chosen(value, ("mode", "steps"))}]


def _chosen(value: Cursor, keys: Sequence[str], defaults: Pairs | None = None) -> MarkedMap:
    """Some of the keys of a mapping; what it lacks of the defaults is added where it says no bound itself."""
    pairs = {key: item for key, item in value.pairs() if key in keys}
    has_bound = "min" in pairs or "max" in pairs
    return mapping(value.mark, pairs if has_bound else {**(defaults or {}), **pairs})


_CONVERTERS: Mapping[str, Callable[[Cursor], Sequence[Pairs]]] = {
    "contains": _text("contains", is_case_sensitive=True),
    "icontains": _text("contains", is_case_sensitive=False),
    "contains-any": _texts("contains_any", is_case_sensitive=True),
    "icontains-any": _texts("contains_any", is_case_sensitive=False),
    "contains-all": _texts("contains_all", is_case_sensitive=True),
    "icontains-all": _texts("contains_all", is_case_sensitive=False),
    "equals": _text("equals", is_case_sensitive=True),
    "starts-with": _text("starts_with", is_case_sensitive=True),
    "regex": _regex,
    "is-json": _is_json,
    "is-html": _is_html,
    "cost": _cost,
    "latency": _latency,
    "skill-used": _skill_used,
    "trajectory:tool-used": _tool_used,
    "trajectory:tool-args-match": _tool_args,
    "trajectory:tool-sequence": _tool_sequence,
}

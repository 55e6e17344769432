"""What an eval of the skill-creator family expects: statements for a judge, and checks that programs can make.

Such files are written by hand after several guides, so an expectation comes in many shapes. One in plain words becomes
a statement of a rubric: nothing is guessed from its wording, and without a judge it passes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.formats.building import mapping
from skillgrade.suite.formats.fields import Fields
from skillgrade.suite.formats.statements import folded
from skillgrade.yaml_values import MarkedMap

_WORDS = ("text", "description", "name", "assertion")
"""Keys under which an expectation in words stands, the most telling first."""

_JAVASCRIPT: Mapping[str, object] = {"syntax": "javascript"}


@dataclass(frozen=True, slots=True)
class Expectations:
    """What an eval expects, sorted.

    Attributes:
        statements: In words.
        assertions: As assertions of eval.yaml.
    """

    statements: list[str] = field(default_factory=list)
    assertions: list[MarkedMap] = field(default_factory=list)

    def read(self, holder: Cursor, fields: Fields) -> None:
        """Take what an eval expects, under each of the names that it may have."""
        for key in ("expectations", "assertions"):
            for item in fields.items(holder, key):
                self._take(item, fields)
        for item in fields.mappings(holder, "tool_assertions"):
            self.assertions.extend(_of_type(item, fields))

    def _take(self, item: Cursor, fields: Fields) -> None:
        if (item.text() or "").strip():
            self.statements.append(folded(item))
        elif isinstance(item.value, dict) and item.get("type") is not None:
            self.assertions.extend(_of_type(item, fields))
        elif isinstance(item.value, dict) and (words := fields.text(item, *_WORDS)):
            self.statements.append(folded(words))
        else:
            fields.error(item, "must be text, or a mapping with `text`, `description` or `type`")


def _of_type(item: Cursor, fields: Fields) -> Iterator[MarkedMap]:
    kind = (item.get("type") or item).text() or ""
    converter = _CONVERTERS.get(kind.replace("_", "-"))
    if converter is None:
        fields.findings.warn(
            item.mark, item.path, f'no assertion here does what "{kind}" does, so it cannot be evaluated'
        )
        yield mapping(item.mark, {"type": kind, "target": item.get("value") or item.get("target") or ""})
        return
    pairs = converter(item)
    yield mapping(item.mark, {**pairs, "weight": item.get("weight")})


def _value(item: Cursor) -> Cursor | str:
    return item.get("value") or item.get("pattern") or item.get("target") or ""


def _content_contains(item: Cursor) -> Mapping[str, object]:
    return {"type": "contains", "target": _value(item), "on": "work"}


def _content_regex(item: Cursor) -> Mapping[str, object]:
    return {"type": "matches_regex", "target": _value(item), "on": "work", "flags": ""}


def _regex_match(item: Cursor) -> Mapping[str, object]:
    target = item.get("target")
    file = target.get("file") if target else None
    flags = item.get("flags")
    pairs = {"type": "matches_regex", "target": item.get("pattern") or item.get("value") or "", "file": file}
    return {**pairs, **_JAVASCRIPT, "flags": flags or ""}


def _file_exists(item: Cursor) -> Mapping[str, object]:
    return {"type": "file_exists", "target": item.get("path") or _value(item)}


def _json_valid(item: Cursor) -> Mapping[str, object]:
    return {"type": "output_format", "target": "json", "file": item.get("path")}


def _tool(item: Cursor) -> Cursor | str:
    return item.get("tool") or item.get("name") or _value(item)


def _tool_called(item: Cursor) -> Mapping[str, object]:
    return {"type": "calls_tool", "target": _tool(item)}


def _tool_not_called(item: Cursor) -> Mapping[str, object]:
    return {"type": "calls_tool", "target": _tool(item), "not": True}


def _tool_arg(test: str) -> Callable[[Cursor], Mapping[str, object]]:
    """A check of one argument, which must equal, contain or match a value."""

    def convert(item: Cursor) -> Mapping[str, object]:
        named = item.get("arg") or item.get("argument") or item.get("key")
        expected = item.get("expected") or item.get("pattern") or item.get("value") or ""
        name = (named.label() if named else None) or ""
        args = mapping(item.mark, {name: mapping(item.mark, {test: expected}) if test else expected})
        return {"type": "tool_args", "target": mapping(item.mark, {"name": _tool(item), "args": args})}

    return convert


def _tool_call_count(item: Cursor) -> Mapping[str, object]:
    exact = item.get("count")
    bounds = {"min": exact or item.get("min"), "max": exact or item.get("max")}
    return {"type": "tool_count", "target": mapping(item.mark, {"name": _tool(item), **bounds})}


_CONVERTERS: Mapping[str, Callable[[Cursor], Mapping[str, object]]] = {
    "content-contains": _content_contains,
    "content-regex": _content_regex,
    "regex-match": _regex_match,
    "file-exists": _file_exists,
    "json-valid": _json_valid,
    "tool-called": _tool_called,
    "tool-not-called": _tool_not_called,
    "tool-arg-equals": _tool_arg(""),
    "tool-arg-contains": _tool_arg("contains"),
    "tool-arg-matches": _tool_arg("matches"),
    "tool-call-count": _tool_call_count,
}

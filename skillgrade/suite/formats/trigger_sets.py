"""Sets of queries that must, or must not, make an agent use a skill."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.suite.formats.beside import skill_beside
from skillgrade.suite.formats.building import listing, mapping
from skillgrade.suite.formats.fields import Fields
from skillgrade.yaml_values import Mark, MarkedMap

_LISTS = {"should_trigger_prompts": True, "should_not_trigger_prompts": False}
"""Keys of a set that comes as two lists, and whether their queries must trigger."""

_DEFAULTS = {"trials": 3, "threshold": 0.5}
"""How often a query is run, and in what share of the runs it must do what it should, as the guides to such sets say."""


class TriggerSetFormat:
    """Reads a list of queries that each say whether they should trigger, or two lists of queries."""

    name = "trigger set"

    def recognises(self, value: object) -> bool:
        """Each item has `should_trigger` and nothing else that is expected, or there is one of the two lists."""
        if isinstance(value, dict):
            return any(isinstance(value.get(key), list) for key in _LISTS)
        return isinstance(value, list) and any(isinstance(item, dict) and _is_query(item) for item in value)

    def convert(self, document: Cursor, file: Path, findings: Findings) -> MarkedMap:
        """See `Format.convert`."""
        fields = Fields(findings)
        named = document.get("skill")
        beside = skill_beside(file, named.text() if named else None, findings)
        if beside is None:
            fields.error(document, "there is no SKILL.md beside this file or above its folder, so no skill to expect")
        skill = beside[1].name if beside else None
        queries = list(_queries(document, fields))
        defaults, tasks = trigger_tasks(queries, skill)
        return mapping(
            document.mark,
            {
                "skill": beside[0] if beside else None,
                "triggers": trigger_prompts(document.mark, queries),
                "defaults": mapping(document.mark, defaults),
                "tasks": listing(document.mark, tasks),
            },
        )


class Query(NamedTuple):
    """A prompt, and whether it must make an agent use the skill."""

    text: Cursor
    is_expected: bool


def _is_query(item: dict[str, object]) -> bool:
    return "should_trigger" in item and ("query" in item or "prompt" in item)


def _queries(document: Cursor, fields: Fields) -> Iterator[Query]:
    if isinstance(document.value, list):
        for item in document.items():
            query = fields.text(item, "query", "prompt", is_required=True)
            is_expected = fields.flag(item, "should_trigger")
            if is_expected is None and item.get("should_trigger") is None:
                fields.error(item, "needs `should_trigger`: true or false")
            if query is not None:
                yield Query(query, bool(is_expected))
        return
    for key, is_expected in _LISTS.items():
        for item in fields.items(document, key):
            query = item if (item.text() or "").strip() else fields.text(item, "prompt", "query", is_required=True)
            if query is not None:
                yield Query(query, is_expected)


def trigger_prompts(mark: Mark, queries: Sequence[Query]) -> MarkedMap:
    """Queries as the `triggers` of an eval.yaml.

    Args:
        mark: Where they stand.
        queries: The queries.
    """
    sides = {
        "positive": [query.text for query in queries if query.is_expected],
        "negative": [query.text for query in queries if not query.is_expected],
    }
    return mapping(mark, {side: listing(mark, texts) for side, texts in sides.items()})


def trigger_tasks(queries: Sequence[Query], skill: str | None) -> tuple[Mapping[str, object], list[MarkedMap]]:
    """The `defaults` and `tasks` by which an agent shows whether queries make it use a skill.

    Args:
        queries: The queries.
        skill: The skill's name.
    """
    return _DEFAULTS, list(_tasks(queries, skill))


def _tasks(queries: Sequence[Query], skill: str | None) -> Iterator[MarkedMap]:
    counts = {True: 0, False: 0}
    for query, is_expected in queries:
        counts[is_expected] += 1
        side = "should-trigger" if is_expected else "should-not-trigger"
        used = mapping(query.mark, {"type": "skill_used", "target": skill, "not": None if is_expected else True})
        grader = mapping(query.mark, {"type": "assertions", "assertions": listing(query.mark, [used])})
        yield mapping(
            query.mark,
            {
                "name": f"{side}-{counts[is_expected]}",
                "instruction": query,
                "graders": listing(query.mark, [grader]),
            },
        )

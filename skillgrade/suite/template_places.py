"""Templates where nothing fills them in: said, since a file would be left out, or a text be taken as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.suite.references import TEMPLATE_MARK
from skillgrade.suite.template_values import has_template
from skillgrade.wording import shown

FILLED_IN = ("instruction", "name", "workspace", "expected", "metadata", "expect_skill", "solution")
"""Keys of a task with a dataset whose texts may be templates; of its turns, `instruction` may."""

_PATH_KEYS = frozenset(("workspace", "src", "dest", "solution", "files", "dataset"))
_OF_A_ROW = re.compile(r"\{\{-?\s*row\b")


def note_stray_templates(task: Cursor, findings: Findings) -> None:
    """Note every template of a task that stays what it is.

    Args:
        task: The task.
        findings: Gets the problems. A text without a dataset is only suspicious: it may be about templates.
    """
    if not has_template(task.value):
        return
    has_rows = task.get("dataset") is not None
    for key, place in _texts(task, has_rows):
        text = place.text() or ""
        if key in _PATH_KEYS and TEMPLATE_MARK in text:
            findings.error(place.mark, place.path, f"{shown(text)}: {_remedy(has_rows)}")
        elif _OF_A_ROW.search(text) and has_rows:
            message = f"{shown(text)}: {_remedy(has_rows)}; graders find the row as `expected` in SKILLGRADE_INPUT"
            findings.error(place.mark, place.path, message)
        elif _OF_A_ROW.search(text) and key in FILLED_IN:
            findings.warn(place.mark, place.path, f"{shown(text)}: {_remedy(has_rows)}")


def _remedy(has_rows: bool) -> str:
    if has_rows:
        return f"templates are filled in only in {', '.join(f'`{key}`' for key in FILLED_IN)}"
    return "nothing fills in this template, since the task has no `dataset`"


def _texts(task: Cursor, has_rows: bool) -> Iterator[tuple[str, Cursor]]:
    """The texts that no row fills in, each with the nearest key above it."""
    for key, value in task.pairs():
        if has_rows and key in FILLED_IN:
            continue
        if key == "dataset":
            # Rows are data, and `where` says itself what is wrong with it.
            place = value.get("path") or value
            if place.text() is not None:
                yield key, place
            continue
        for nearest, text in _leaves(value, key):
            if not (has_rows and key == "turns" and nearest == "instruction"):
                yield nearest, text


def _leaves(value: Cursor, key: str) -> Iterator[tuple[str, Cursor]]:
    if value.text() is not None:
        yield key, value
    for name, item in value.pairs():
        yield from _leaves(item, name)
    for item in value.items():
        yield from _leaves(item, key)

"""Making a document that never was a file: mappings and lists whose parts keep the places that they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skillgrade.suite.cursor import Cursor
from skillgrade.yaml_values import Mark, MarkedList, MarkedMap


def mapping(mark: Mark, pairs: Mapping[str, object]) -> MarkedMap:
    """A mapping that stands at a mark.

    Args:
        mark: Where it stands.
        pairs: Its values. A cursor stands for what it points at, with its place; what is None is left out; a mapping or
            list made here has a place of its own; everything else stands at `mark`.
    """
    made = MarkedMap(mark)
    for key, value in pairs.items():
        if value is None:
            continue
        found, place, written = _placed(value, mark)
        made[key] = found
        made.key_marks[key] = made.value_marks[key] = place
        if written is not None:
            made.written[key] = written
    return made


def listing(mark: Mark, items: Iterable[object]) -> MarkedList:
    """A list that stands at a mark; its items are taken as `mapping` takes values."""
    made = MarkedList(mark)
    for item in items:
        made.add(*_placed(item, mark))
    return made


def _placed(value: object, mark: Mark) -> tuple[object, Mark, str | None]:
    if isinstance(value, Cursor):
        return value.value, value.mark, value.written
    if isinstance(value, MarkedMap | MarkedList):
        return value, value.mark, None
    written = str(value) if isinstance(value, int | float) else None
    return value, mark, written

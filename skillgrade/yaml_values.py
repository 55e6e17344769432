"""What YAML holds, with places: every value knows the file, the line and the column that it was written at."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Mark(NamedTuple):
    """Where something stands: a file, and the 1-based line and column in it."""

    file: Path
    line: int
    column: int


class MarkedMap(dict[str, object]):
    """A mapping that knows where it begins and where each of its keys and values stands.

    Attributes:
        mark: Where the mapping begins.
        key_marks: By key, where the key stands.
        value_marks: By key, where the value stands.
        written: By key, the text of those values that are no text themselves (``007`` for the number 7).
    """

    __slots__ = ("key_marks", "mark", "value_marks", "written")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.key_marks: dict[str, Mark] = {}
        self.value_marks: dict[str, Mark] = {}
        self.written: dict[str, str] = {}

    def take(self, key: str, source: MarkedMap) -> None:
        """Take over a key of another mapping, with its marks."""
        self[key] = source[key]
        self.key_marks[key] = source.key_marks[key]
        self.value_marks[key] = source.value_marks[key]
        if key in source.written:
            self.written[key] = source.written[key]
        else:
            self.written.pop(key, None)


class MarkedList(list[object]):
    """A list that knows where it begins and where each of its items stands.

    Attributes:
        mark: Where the list begins.
        item_marks: Where each item stands.
        written: By index, the text of those items that are no text themselves.
    """

    __slots__ = ("item_marks", "mark", "written")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.item_marks: list[Mark] = []
        self.written: dict[int, str] = {}

    def add(self, value: object, mark: Mark, written: str | None = None) -> None:
        """Append an item with its mark."""
        if written is not None:
            self.written[len(self)] = written
        self.append(value)
        self.item_marks.append(mark)


def plain(value: object) -> object:
    """The same value in plain dicts and lists, without marks."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value

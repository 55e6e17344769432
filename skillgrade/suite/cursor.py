"""A value of the suite together with where it stands and how it is reached.

The readers of tasks and graders walk the suite with cursors. They run also where the schema has found faults, so that
all problems are reported at once: a value of the wrong type reads as absent, because the schema has named it already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skillgrade.yaml_values import Mark, MarkedList, MarkedMap, plain


@dataclass(frozen=True, slots=True)
class Cursor:
    """One value.

    Attributes:
        value: What YAML made of it.
        mark: Where it stands.
        path: The path of keys, such as ``tasks[0].graders[1].weight``.
        written: The text of a scalar that is no text itself (``007`` for the number 7).
    """

    value: object
    mark: Mark
    path: str = ""
    written: str | None = None

    def get(self, key: str) -> Cursor | None:
        """The value of a key; None where it is absent or empty."""
        holder = self.value
        if not isinstance(holder, MarkedMap) or holder.get(key) is None:
            return None
        return Cursor(holder[key], holder.value_marks[key], join_path(self.path, key), holder.written.get(key))

    def pairs(self) -> Iterator[tuple[str, Cursor]]:
        """The pairs of a mapping whose values are not empty."""
        if isinstance(self.value, MarkedMap):
            for key in self.value:
                item = self.get(key)
                if item is not None:
                    yield key, item

    def items(self) -> Iterator[Cursor]:
        """The items of a list."""
        if isinstance(self.value, MarkedList):
            for index, item in enumerate(self.value):
                mark = self.value.item_marks[index]
                yield Cursor(item, mark, join_path(self.path, index), self.value.written.get(index))

    def text(self) -> str | None:
        """The value where it is text."""
        return self.value if isinstance(self.value, str) else None

    def label(self) -> str | None:
        """The value as text, numbers and booleans as they were written; None for anything else."""
        return self.value if isinstance(self.value, str) else self.written

    def number(self) -> float | None:
        """The value where it is a number."""
        value = self.value
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def plain(self) -> object:
        """The value without marks."""
        return plain(self.value)

    def key_mark(self, key: str) -> Mark:
        """Where a key of this mapping stands; where the mapping stands when it has no such key."""
        return self.value.key_marks.get(key, self.mark) if isinstance(self.value, MarkedMap) else self.mark


def join_path(path: str, step: str | int) -> str:
    """A path of keys, one step longer."""
    if isinstance(step, int):
        return f"{path}[{step}]"
    return f"{path}.{step}" if path else step

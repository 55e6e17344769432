"""The task of a dataset's row: it holds what is its own, and reads the rest from the task that it was made of.

A dataset may have very many rows, and a task has many attributes of which a row decides few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from skillgrade.suite.dataset_files import DataRow
from skillgrade.suite.model import Task

_OFTEN_READ = ("graders", "trials")
"""Attributes that every row's task holds itself, because looking them up elsewhere takes longer."""


class RowTask(Task):
    """A task whose attributes are those of `origin` as far as it has none of its own.

    Attributes:
        origin: The task of all rows. Copies that flags change have none: they hold every attribute themselves.
    """

    __slots__ = ("origin",)
    origin: Task

    def __getattr__(self, name: str) -> Any:
        """An attribute that is not this task's own."""
        if name == "origin":
            raise AttributeError(name)
        return getattr(self.origin, name)


def row_tasks(
    origin: Task,
    rows: Iterable[DataRow],
    of_rows: Mapping[str, Callable[[DataRow], Any]],
    of_values: Mapping[str, Callable[[Mapping[str, object]], Any]],
) -> Iterator[tuple[DataRow, RowTask]]:
    """Each row with its task.

    Args:
        origin: The task of all rows.
        rows: The rows.
        of_rows: By attribute of the task, what makes its value of a row.
        of_values: By attribute of the task, what makes its value of a row's values.
    """
    # The class is frozen for everybody else.
    shared = {"origin": origin} | {name: getattr(origin, name) for name in _OFTEN_READ}
    constants = [(getattr(RowTask, name).__set__, value) for name, value in shared.items()]
    by_row = [(getattr(RowTask, name).__set__, make) for name, make in of_rows.items()]
    by_values = [(getattr(RowTask, name).__set__, make) for name, make in of_values.items()]
    new = object.__new__
    for row in rows:
        task = new(RowTask)
        for put, value in constants:
            put(task, value)
        for put, make in by_row:
            put(task, make(row))
        values = row.values
        for put, make_value in by_values:
            put(task, make_value(values))
        yield row, task

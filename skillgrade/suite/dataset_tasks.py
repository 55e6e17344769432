"""One task per row: a dataset task, read once, made into its rows' tasks."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skillgrade.errors import Problem, SuiteError
from skillgrade.suite.cursor import Cursor
from skillgrade.suite.dataset_fields import RowFields
from skillgrade.suite.dataset_files import DataRow, columns_of, read_rows
from skillgrade.suite.dataset_rows import filtered, sampled
from skillgrade.suite.grader_input import MAX_GRADER_INPUT, grader_input_size
from skillgrade.suite.model import Task
from skillgrade.suite.references import References
from skillgrade.suite.row_task import row_tasks
from skillgrade.suite.template_language import TemplateError, no_column
from skillgrade.suite.template_values import WrongTemplateError
from skillgrade.suite.templates import condition
from skillgrade.wording import shown
from skillgrade.yaml_values import MarkedList, plain


@dataclass(frozen=True, slots=True)
class DatasetReader:
    """Makes the tasks of the rows of one dataset task.

    Attributes:
        task: The task as the file has it, with its templates.
        cursor: Where it stands.
        references: Finds files, and gets the problems.
    """

    task: Task
    cursor: Cursor
    references: References

    def read(self) -> Sequence[Task]:
        """The tasks in the order of the rows; what is wrong is noted as an error, and then some may be missing."""
        dataset = self.cursor.get("dataset")
        findings = self.references.findings
        if dataset is None:
            return ()
        try:
            return self._tasks(*self._rows(dataset))
        except SuiteError as error:
            findings.errors.extend(error.problems)
        except WrongTemplateError as error:
            findings.error(error.cursor.mark, error.cursor.path, str(error))
        return ()

    def _rows(self, dataset: Cursor) -> tuple[Sequence[DataRow], Path]:
        """The rows that count, and the file that holds them."""
        if isinstance(dataset.value, MarkedList):
            return _inline(dataset.value), dataset.mark.file
        is_path = dataset.text() is not None
        reference = dataset if is_path else dataset.get("path")
        path = self.references.path(reference, self.cursor.mark, only_file=True) if reference else None
        if path is None:
            raise _refused_already()
        self.references.claim(path)
        rows = read_rows(path)
        return (rows if is_path else _chosen(rows, dataset, path)), path

    def _tasks(self, rows: Sequence[DataRow], place: Path) -> Sequence[Task]:
        origin = dataclasses.replace(self.task, dataset=self.task.name)
        fields = RowFields(self.task, self.cursor, self.references, columns_of(rows))
        errors = self.references.findings.errors
        before, is_bounded = len(errors), self._is_bounded()
        tasks: list[Task] = []
        try:
            for row, task in row_tasks(origin, rows, fields.of_rows(), fields.of_values()):
                if not (is_bounded and _is_small(row)):
                    _check_size(task)
                tasks.append(task)
                if len(errors) > before:  # a file of this row is missing, and maybe those of all others
                    return tasks
        except TemplateError as error:
            row = rows[len(tasks)]
            raise SuiteError([Problem(f"row {row.number}: {error}", place, row.line)]) from None
        _refuse_doubles(tasks, rows, place)
        return tasks

    def _is_bounded(self) -> bool:
        """Whether what graders are told of a row is not much longer than the row."""
        said = [
            plain(cursor.value)
            for key in ("expected", "metadata", "name")
            if (cursor := self.cursor.get(key)) is not None
        ]
        text = repr(said)
        return len(text) < MAX_GRADER_INPUT // 4 and "|" not in text and text.count("row") <= _MOST_MENTIONS


_LONGEST_ESCAPE = 6
"""Bytes that JSON makes of one character at most."""

_MOST_MENTIONS = 8
"""How often name, `expected` and `metadata` may name the row and still count as bounded."""

_SMALL_ROW = MAX_GRADER_INPUT // 4 // _LONGEST_ESCAPE // (_MOST_MENTIONS + 2)


def _chosen(rows: Sequence[DataRow], dataset: Cursor, path: Path) -> Sequence[DataRow]:
    """The rows that `where` lets through, or a sample of them."""
    where, sample, seed, stratify = (dataset.get(key) for key in ("where", "sample", "seed", "stratify"))
    columns = columns_of(rows)
    if where is not None:
        if not (written := where.text()):
            raise _refused_already()
        try:
            wanted = condition(written, columns)
        except TemplateError as error:
            raise SuiteError([Problem(str(error), *where.mark, path=where.path)]) from None
        rows = filtered(rows, wanted, path)
        if not rows:
            raise SuiteError([Problem("no row is left", *where.mark, path=where.path)])
    column = stratify.text() if stratify else None
    if stratify is not None and column is not None and column not in columns:
        raise SuiteError([Problem(no_column(column, columns), *stratify.mark, path=stratify.path)])
    size = sample.number() if sample else None
    if size is None:
        return rows
    if size < 1:
        raise _refused_already()
    return sampled(rows, int(size), int((seed.number() if seed else None) or 0), column)


def _inline(rows: MarkedList) -> Sequence[DataRow]:
    found = []
    for number, (row, mark) in enumerate(zip(rows, rows.item_marks, strict=True), 1):
        value = plain(row)
        if not isinstance(value, dict) or not value:
            raise _refused_already()
        found.append(DataRow(number, mark.line, value))
    if not found:
        raise _refused_already()
    return found


def _refused_already() -> SuiteError:
    """Ends the reading of what the schema has found wrong."""
    return SuiteError([])


def _refuse_doubles(tasks: Sequence[Task], rows: Sequence[DataRow], place: Path) -> None:
    if len({task.name for task in tasks}) == len(tasks):
        return
    taken: dict[str, DataRow] = {}
    for task, row in zip(tasks, rows, strict=True):
        if (earlier := taken.setdefault(task.name, row)) is not row:
            where = "" if earlier.line is None else f" (line {earlier.line})"
            message = (
                f"row {row.number} gives the name {shown(task.name)}, which row {earlier.number}{where} has already"
            )
            raise SuiteError([Problem(message, place, row.line)])


def _is_small(row: DataRow) -> bool:
    """Whether a row, as often as it may be named, fits into `SKILLGRADE_INPUT` for certain."""
    try:
        return len("".join(row.values.values())) < _SMALL_ROW  # type: ignore[arg-type]  # else it fails
    except TypeError:
        return False


def _check_size(task: Task) -> None:
    """Refuse a row that is too much for `SKILLGRADE_INPUT`."""
    size = grader_input_size(task)
    if size > MAX_GRADER_INPUT:
        raise TemplateError(
            f"`expected` and `metadata` make SKILLGRADE_INPUT {size / 1024:.0f} KiB long, of which "
            f"{MAX_GRADER_INPUT // 1024} KiB fit; put them into a file and name it in the grader's `files`"
        )

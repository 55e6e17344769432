"""One task per row: a dataset task, read once, made into its rows' tasks.

Whatever is the same in all rows is shared between them, and texts are taken apart once, so that a row costs little more
than its own texts.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillgrade.errors import Problem, SuiteError
from skillgrade.suite.assertion_specs import expectation_problem, expected_skill
from skillgrade.suite.cursor import Cursor
from skillgrade.suite.dataset_files import DataRow, columns_of, read_rows
from skillgrade.suite.dataset_rows import filtered, sampled
from skillgrade.suite.grader_input import MAX_GRADER_INPUT, grader_input_size
from skillgrade.suite.model import GraderSpec, Task, Turn, WorkspaceFile
from skillgrade.suite.references import TEMPLATE_MARK, Missing, References, looks_like_path
from skillgrade.suite.templates import Row, TemplateError, condition, text_template, value_template
from skillgrade.suite.workspace_files import read_workspace
from skillgrade.wording import shown
from skillgrade.yaml_values import Mark, MarkedList, MarkedMap, plain

_Make = Callable[[Row], Any]


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

    def read(self) -> Iterator[Task]:
        """The tasks in the order of the rows; what is wrong is noted as an error, and then there may be none."""
        dataset = self.cursor.get("dataset")
        findings = self.references.findings
        if dataset is None:
            return
        try:
            rows, place = self._rows(dataset)
        except SuiteError as error:
            findings.errors.extend(error.problems)
            return
        if not rows:
            findings.error(dataset.mark, dataset.path, "no row is left after `where`")
            return
        try:
            makers = self._makers(columns_of(rows))
        except _Wrong as wrong:
            findings.error(wrong.cursor.mark, wrong.cursor.path, str(wrong))
            return
        yield from self._tasks(rows, makers, place)

    def _rows(self, dataset: Cursor) -> tuple[list[DataRow], Path]:
        """The rows that count, and the file that holds them."""
        options = dataset if isinstance(dataset.value, dict) else None
        reference = dataset.get("path") if options else dataset
        if isinstance(dataset.value, MarkedList):
            rows, place = _inline(dataset.value), dataset.mark.file
        else:
            path = self.references.path(reference, self.cursor.mark, only_file=True) if reference else None
            if path is None:
                raise SuiteError([])
            self.references.claim(path)
            rows, place = read_rows(path), path
        if options is None:
            return rows, place
        where, sample, seed = options.get("where"), options.get("sample"), options.get("seed")
        stratify = options.get("stratify")
        columns = columns_of(rows)
        try:
            if where is not None:
                rows = filtered(rows, condition(where.text() or "", columns))
        except TemplateError as error:
            raise SuiteError([Problem(str(error), *_mark_of(options, "where"), path=f"{dataset.path}.where")]) from None
        column = stratify.text() if stratify else None
        if column is not None and column not in columns:
            message = f"there is no column {shown(column)}; there are {', '.join(map(shown, columns))}"
            raise SuiteError([Problem(message, *_mark_of(options, "stratify"), path=f"{dataset.path}.stratify")])
        size = sample.number() if sample else None
        drawn = rows if size is None else sampled(rows, int(size), int((seed.number() if seed else None) or 0), column)
        return drawn, place

    def _makers(self, columns: Collection[str]) -> Mapping[str, _Make]:
        """By field of the task, what makes its value for a row; only for fields that rows decide."""
        task, cursor = self.task, self.cursor
        makers: dict[str, _Make] = {"name": self._name(columns)}
        if TEMPLATE_MARK in task.instruction:
            makers["instruction"] = self._instruction(columns)
        if any(TEMPLATE_MARK in turn.instruction for turn in task.turns):
            makers["turns"] = self._turns(columns)
        expected, metadata = cursor.get("expected"), cursor.get("metadata")
        makers["expected"] = dict if expected is None else _structure(expected, columns)
        makers["metadata"] = self._metadata(metadata, columns)
        if (workspace := cursor.get("workspace")) is not None and _has_template(workspace.value):
            makers["workspace"] = self._workspace(workspace, columns)
        if (solution := cursor.get("solution")) is not None and TEMPLATE_MARK in (solution.text() or ""):
            makers["solution"] = self._solution(solution, columns)
        if (skill := cursor.get("expect_skill")) is not None and TEMPLATE_MARK in (skill.text() or ""):
            makers["graders"] = self._graders(skill, columns)
        return makers

    def _graders(self, skill: Cursor, columns: Collection[str]) -> _Make:
        """The graders, with what a row expects of the skills in the place of the last one; shared between rows."""
        render = _text(skill, skill.text() or "", columns)
        *others, last = self.task.graders

        @functools.cache
        def graders(name: str) -> tuple[GraderSpec, ...]:
            if problem := expectation_problem(name, self.references):
                raise TemplateError(f"`expect_skill`: {problem}")
            return (*others, expected_skill(name, last.index, self.references))

        return lambda row: graders(render(row))

    def _name(self, columns: Collection[str]) -> _Make:
        if TEMPLATE_MARK not in self.task.name:
            return lambda row: f"{self.task.name}-{row[_NUMBER]}"
        return _text(self.cursor.get("name") or self.cursor, self.task.name, columns)

    def _instruction(self, columns: Collection[str]) -> _Make:
        place = self.cursor.get("instruction") or self.cursor
        render = _text(place, self.task.instruction, columns)
        if (place.text() or "").strip() != self.task.instruction or not looks_like_path(self.task.instruction):
            return render
        # Its one line names a file, another one for each row.
        mark = self.cursor.mark
        return lambda row: self.references.text(_at(place, render(row)), mark, Missing.WARNING)

    def _turns(self, columns: Collection[str]) -> _Make:
        turns = self.task.turns
        place = self.cursor.get("turns") or self.cursor
        renders = [_text(place, turn.instruction, columns) for turn in turns]

        def make(row: Row) -> tuple[Turn, ...]:
            told = [render(row) for render in renders]
            return tuple(dataclasses.replace(turn, instruction=text) for turn, text in zip(turns, told, strict=True))

        return make

    def _metadata(self, metadata: Cursor | None, columns: Collection[str]) -> _Make:
        own = _structure(metadata, columns) if metadata is not None else lambda _row: {}

        def make(row: Row) -> Mapping[str, object]:
            of_row = row.get("metadata")
            found = own(row)
            return {**of_row, **found} if isinstance(of_row, Mapping) else found

        return make

    def _workspace(self, workspace: Cursor, columns: Collection[str]) -> _Make:
        fill = _filled(workspace, columns)
        known: dict[str, tuple[WorkspaceFile, ...]] = {}

        def make(row: Row) -> tuple[WorkspaceFile, ...]:
            value = fill(row)
            key = repr(value)
            if key not in known:
                cursor = Cursor(value, workspace.mark, workspace.path)
                known[key] = read_workspace(cursor, self.cursor.mark, self.references)
            return known[key]

        return make

    def _solution(self, solution: Cursor, columns: Collection[str]) -> _Make:
        render = _text(solution, solution.text() or "", columns)

        def make(row: Row) -> Path | None:
            path = self.references.path(_at(solution, render(row)), self.cursor.mark, only_file=True)
            if path is not None:
                self.references.claim(path)
            return path

        return make

    def _tasks(self, rows: Sequence[DataRow], makers: Mapping[str, _Make], place: Path) -> Iterator[Task]:
        findings = self.references.findings
        shared = {field.name: getattr(self.task, field.name) for field in dataclasses.fields(Task)}
        shared["dataset"] = self.task.name
        taken: dict[str, DataRow] = {}
        for row in rows:
            values = {**row.values, _NUMBER: row.number}
            try:
                made = {name: make(values) for name, make in makers.items()}
            except TemplateError as error:
                findings.errors.append(Problem(f"row {row.number}: {error}", place, row.line))
                return
            if "expected" in made and self.cursor.get("expected") is None:
                made["expected"] = row.values
            if "turns" in made:
                made["instruction"] = made["turns"][0].instruction
            task = Task(**{**shared, **made})
            if (fault := _name_fault(task.name) or _size_fault(task, row)) is not None:
                findings.errors.append(Problem(f"row {row.number}: {fault}", place, row.line))
                return
            if (earlier := taken.setdefault(task.name, row)) is not row:
                message = f"rows {earlier.number} and {row.number} both give the name {shown(task.name)}"
                findings.errors.append(Problem(message, place, row.line))
                return
            yield task


_LONGEST_ESCAPE = 6
"""Bytes that JSON makes of one character at most."""

_NO_TEXT = 10_000
"""Characters that a value which is no text counts as, so that its row is measured."""

_NUMBER = "\0number"
"""Stands beside the columns of a row; no column can be called so."""


class _Wrong(Exception):
    """A template is wrong, at a place of the suite."""

    def __init__(self, cursor: Cursor, message: str) -> None:
        super().__init__(message)
        self.cursor = cursor


def _text(place: Cursor, text: str, columns: Collection[str]) -> Callable[[Row], str]:
    try:
        return text_template(text, columns)
    except TemplateError as error:
        raise _Wrong(place, str(error)) from None


def _structure(cursor: Cursor, columns: Collection[str]) -> _Make:
    """A value of any shape whose texts may be templates; a text that is one expression keeps its type."""
    value = cursor.value
    if isinstance(value, MarkedMap):
        items = {key: _structure(item, columns) for key, item in cursor.pairs()}
        rest = {key: item for key, item in value.items() if key not in items}
        return lambda row: {**rest, **{key: make(row) for key, make in items.items()}}
    if isinstance(value, MarkedList):
        parts = [_structure(item, columns) for item in cursor.items()]
        return lambda row: [make(row) for make in parts]
    if isinstance(value, str) and TEMPLATE_MARK in value:
        try:
            return value_template(value, columns)
        except TemplateError as error:
            raise _Wrong(cursor, str(error)) from None
    constant = plain(value)
    return lambda _row: constant


def _filled(cursor: Cursor, columns: Collection[str]) -> _Make:
    """A part of the suite with its templates filled in and its marks kept."""
    value = cursor.value
    if isinstance(value, MarkedMap):
        items = {key: _filled(item, columns) for key, item in cursor.pairs()}

        def make_map(row: Row) -> MarkedMap:
            filled = MarkedMap(value.mark)
            for key in value:
                filled.take(key, value)
                if key in items:
                    filled[key] = items[key](row)
            return filled

        return make_map
    if isinstance(value, MarkedList):
        parts = [_filled(item, columns) for item in cursor.items()]

        def make_list(row: Row) -> MarkedList:
            filled = MarkedList(value.mark)
            for index, make in enumerate(parts):
                filled.add(make(row), value.item_marks[index])
            return filled

        return make_list
    if isinstance(value, str) and TEMPLATE_MARK in value:
        return _text(cursor, value, columns)
    return lambda _row: value


def _has_template(value: object) -> bool:
    if isinstance(value, str):
        return TEMPLATE_MARK in value
    if isinstance(value, Mapping):
        return any(map(_has_template, value.values()))
    return isinstance(value, list) and any(map(_has_template, value))


def _at(place: Cursor, text: str) -> Cursor:
    return Cursor(text, place.mark, place.path)


def _inline(rows: MarkedList) -> list[DataRow]:
    lines = [mark.line for mark in rows.item_marks]
    values = [plain(row) for row in rows]
    return [
        DataRow(number, line, value)
        for number, (line, value) in enumerate(zip(lines, values, strict=True), 1)
        if isinstance(value, dict) and value
    ]


def _name_fault(name: str) -> str | None:
    if not name.isprintable() or not name.strip():
        return f"the name must be printable text, not {ascii(name)[:60]}"
    return None


def _size_fault(task: Task, row: DataRow) -> str | None:
    """Why a row is too much for `SKILLGRADE_INPUT`; measured only where that is possible at all."""
    written = sum(len(value) if isinstance(value, str) else _NO_TEXT for value in row.values.values())
    if written * _LONGEST_ESCAPE < MAX_GRADER_INPUT // 2:
        return None
    size = grader_input_size(task)
    if size <= MAX_GRADER_INPUT:
        return None
    return (
        f"`expected` and `metadata` make SKILLGRADE_INPUT {size / 1024:.0f} KiB long, of which "
        f"{MAX_GRADER_INPUT // 1024} KiB fit; put them into a file and name it in the grader's `files`"
    )


def _mark_of(cursor: Cursor, key: str) -> Mark:
    """Where the value of a key stands."""
    value = cursor.get(key)
    return cursor.mark if value is None else value.mark

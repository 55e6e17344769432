"""The attributes of a dataset task that its rows decide, each made into what makes its value for a row.

Texts are taken apart once, and what comes out alike for several rows is shared between them, so that a row costs little
more than its own texts.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillgrade.suite.assertion_specs import expectation_problem, expected_skill
from skillgrade.suite.cursor import Cursor
from skillgrade.suite.dataset_files import DataRow
from skillgrade.suite.model import GraderSpec, Task, Turn, WorkspaceFile
from skillgrade.suite.references import Missing, References, looks_like_path
from skillgrade.suite.template_language import TemplateError
from skillgrade.suite.template_values import has_template, marked_maker, text_maker, value_maker
from skillgrade.suite.templates import Row
from skillgrade.suite.workspace_files import read_workspace

_FILLED_IN = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RowFields:
    """What rows decide of one dataset task.

    Attributes:
        task: The task as the file has it, with its templates.
        cursor: Where it stands.
        references: Finds files, and gets the problems.
        columns: The columns that rows have.
    """

    task: Task
    cursor: Cursor
    references: References
    columns: Collection[str]

    def of_rows(self) -> Mapping[str, Callable[[DataRow], Any]]:
        """By attribute of the task, what makes its value for a row, where that is not made of the row's values.

        Raises:
            WrongTemplateError: A template of the task is wrong.
        """
        found: dict[str, Callable[[DataRow], Any]] = {}
        name = self.task.name
        if not has_template(name):
            found["name"] = lambda row: f"{name}-{row.number}"
        if self.cursor.get("expected") is None:
            found["expected"] = operator.attrgetter("values")
        return found

    def of_values(self) -> Mapping[str, Callable[[Row], Any]]:
        """By attribute of the task, what makes its value of a row's values; `TemplateError` where they do not fit it.

        Raises:
            WrongTemplateError: A template of the task is wrong.
        """
        task, cursor = self.task, self.cursor
        found: dict[str, Callable[[Row], Any]] = {}
        if has_template(task.name):
            found["name"] = self._name()
        if has_template(task.instruction) and not task.turns:
            found["instruction"] = self._told(cursor.get("instruction") or cursor, task.instruction)
        if (turns := cursor.get("turns")) is not None and any(map(_is_open, task.turns)):
            found["turns"] = self._turns(turns)
            first = next(turns.items())
            found["instruction"] = self._told(first.get("instruction") or first, task.instruction)
        if (expected := cursor.get("expected")) is not None and has_template(expected.value):
            found["expected"] = value_maker(expected, self.columns)
        if (metadata := self._metadata(cursor.get("metadata"))) is not None:
            found["metadata"] = metadata
        if (workspace := cursor.get("workspace")) is not None and has_template(workspace.value):
            found["workspace"] = self._workspace(workspace)
        if (solution := cursor.get("solution")) is not None and has_template(solution.value):
            found["solution"] = self._solution(solution)
        if (skill := cursor.get("expect_skill")) is not None and has_template(skill.value):
            found["graders"] = self._graders(skill)
        return found

    def _name(self) -> Callable[[Row], str]:
        render = text_maker(self.cursor.get("name") or self.cursor, self.task.name, self.columns)

        def name(row: Row) -> str:
            rendered = render(row)
            if not rendered.isprintable() or not rendered.strip():
                raise TemplateError(f"the name must be printable text, not {ascii(rendered)[:60]}")
            return rendered

        return name

    def _told(self, place: Cursor, text: str) -> Callable[[Row], str]:
        """What makes an instruction; one whose only line names a file may name another one for each row."""
        written = (place.text() or "").strip()
        references, mark = self.references, self.cursor.mark
        is_file = written not in ("", text)
        file = references.files.find(written, references.folders(mark, place.mark)) if is_file else None
        render = text_maker(place, text, self.columns, file)
        if written == text and looks_like_path(text):
            return lambda row: references.text(_at(place, render(row)), mark, Missing.ERROR)

        if _FILLED_IN.sub("", text).strip():
            return render  # it cannot become blank

        def told(row: Row) -> str:
            rendered = render(row)
            if not rendered or rendered.isspace():
                raise TemplateError("the instruction is blank")
            return rendered

        return told

    def _turns(self, turns: Cursor) -> Callable[[Row], tuple[Turn, ...]]:
        makers = [self._turn(turn, place) for turn, place in zip(self.task.turns, turns.items(), strict=True)]
        return lambda row: tuple([make(row) for make in makers])

    def _turn(self, turn: Turn, place: Cursor) -> Callable[[Row], Turn]:
        if not _is_open(turn):
            return lambda _row: turn
        told = self._told(place.get("instruction") or place, turn.instruction)
        return lambda row: dataclasses.replace(turn, instruction=told(row))

    def _metadata(self, metadata: Cursor | None) -> Callable[[Row], Mapping[str, object]] | None:
        """What makes the metadata; a row's own `metadata` counts, and what the task says wins over it."""
        if "metadata" not in self.columns:
            return value_maker(metadata, self.columns) if metadata and has_template(metadata.value) else None
        own = value_maker(metadata, self.columns) if metadata else lambda _row: {}

        def make(row: Row) -> Mapping[str, object]:
            of_row = row.get("metadata")
            return {**of_row, **own(row)} if isinstance(of_row, Mapping) else own(row)

        return make

    def _workspace(self, workspace: Cursor) -> Callable[[Row], tuple[WorkspaceFile, ...]]:
        fill = marked_maker(workspace, self.columns)
        known: dict[str, tuple[WorkspaceFile, ...]] = {}

        def make(row: Row) -> tuple[WorkspaceFile, ...]:
            value = fill(row)
            key = repr(value)
            if key not in known:
                known[key] = read_workspace(_at(workspace, value), self.cursor.mark, self.references)
            return known[key]

        return make

    def _solution(self, solution: Cursor) -> Callable[[Row], Path | None]:
        render = text_maker(solution, solution.text() or "", self.columns)

        @functools.cache
        def found(text: str) -> Path | None:
            path = self.references.path(_at(solution, text), self.cursor.mark, only_file=True)
            if path is not None:
                self.references.claim(path)
            return path

        return lambda row: found(render(row))

    def _graders(self, skill: Cursor) -> Callable[[Row], tuple[GraderSpec, ...]]:
        """What makes the graders: with what a row expects of the skills in the place of the last one."""
        render = text_maker(skill, skill.text() or "", self.columns)
        *others, last = self.task.graders

        @functools.cache
        def graders(name: str) -> tuple[GraderSpec, ...]:
            if problem := expectation_problem(name, self.references):
                raise TemplateError(f"`expect_skill`: {problem}")
            return (*others, expected_skill(name, last.index, self.references))

        return lambda row: graders(render(row))


def _is_open(turn: Turn) -> bool:
    return has_template(turn.instruction)


def _at(place: Cursor, value: object) -> Cursor:
    return Cursor(value, place.mark, place.path)

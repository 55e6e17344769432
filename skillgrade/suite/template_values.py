"""Parts of the suite with templates in them, made into what fills them in for a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.references import TEMPLATE_MARK
from skillgrade.suite.template_language import TemplateError
from skillgrade.suite.templates import Row, text_template, value_template
from skillgrade.yaml_values import Mark, MarkedList, MarkedMap, plain

_STATEMENT_MARK = "{%"


class WrongTemplateError(Exception):
    """A template is wrong.

    Attributes:
        cursor: Where it stands.
    """

    def __init__(self, cursor: Cursor, message: str) -> None:
        super().__init__(message)
        self.cursor = cursor


def text_maker(place: Cursor, text: str, columns: Collection[str], file: Path | None = None) -> Callable[[Row], str]:
    """What renders a text for a row.

    Args:
        place: Where the text stands.
        text: The template.
        columns: The columns that rows have.
        file: The file that the text is the contents of, where it does not stand in the suite itself.

    Raises:
        WrongTemplateError: It is no template.
    """
    try:
        return text_template(text, columns)
    except TemplateError as error:
        at = place if file is None else Cursor(text, Mark(file, error.line or 1, 1), place.path)
        raise WrongTemplateError(at, str(error)) from None


def value_maker(cursor: Cursor, columns: Collection[str]) -> Callable[[Row], Any]:
    """What makes a value of any shape for a row, without marks; a text that is one expression keeps its type.

    Raises:
        WrongTemplateError: A text in it is no template.
    """
    value = cursor.value
    if isinstance(value, MarkedMap) and has_template(value):
        items = [(key, value_maker(item, columns)) for key, item in cursor.pairs()]
        empty = {key: None for key, item in value.items() if item is None}
        return lambda row: empty | {key: make(row) for key, make in items}
    if isinstance(value, MarkedList) and has_template(value):
        parts = [value_maker(item, columns) for item in cursor.items()]
        return lambda row: [make(row) for make in parts]
    if isinstance(value, str) and has_template(value):
        try:
            return value_template(value, columns)
        except TemplateError as error:
            raise WrongTemplateError(cursor, str(error)) from None
    constant = plain(value)
    return lambda _row: constant


def marked_maker(cursor: Cursor, columns: Collection[str]) -> Callable[[Row], object]:
    """What fills in a part of the suite for a row and keeps its marks, so that it is read like any other.

    Raises:
        WrongTemplateError: A text in it is no template.
    """
    value = cursor.value
    if isinstance(value, MarkedMap):
        items = {key: marked_maker(item, columns) for key, item in cursor.pairs()}

        def make_map(row: Row) -> MarkedMap:
            filled = MarkedMap(value.mark)
            for key in value:
                filled.take(key, value)
                if key in items:
                    filled[key] = items[key](row)
            return filled

        return make_map
    if isinstance(value, MarkedList):
        parts = [marked_maker(item, columns) for item in cursor.items()]

        def make_list(row: Row) -> MarkedList:
            filled = MarkedList(value.mark)
            for make, mark in zip(parts, value.item_marks, strict=True):
                filled.add(make(row), mark)
            return filled

        return make_list
    if isinstance(value, str) and has_template(value):
        return text_maker(cursor, value, columns)
    return lambda _row: value


def has_template(value: object) -> bool:
    """Whether a text in a value of any shape is a template, or has the statements that templates cannot have."""
    if isinstance(value, str):
        return TEMPLATE_MARK in value or _STATEMENT_MARK in value
    if isinstance(value, Mapping):
        return any(map(has_template, value.values()))
    return isinstance(value, list) and any(map(has_template, value))

"""The rows of a dataset: from a csv, jsonl, json or yaml file, or from the suite itself, each with its place."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from skillgrade.errors import Problem, SuiteError
from skillgrade.reading import UnreadableError, read_text
from skillgrade.suite.dataset_json import json_lines, json_list
from skillgrade.wording import shown
from skillgrade.yaml_reader import parse_yaml
from skillgrade.yaml_values import MarkedList, plain

LARGEST = 256 * 1024 * 1024
"""Bytes of a file."""

_LONGEST_CELL = 16 * 1024 * 1024


class DataRow(NamedTuple):
    """A row: its number from 1, the line that it begins at (None where nobody can tell), and its values by column."""

    number: int
    line: int | None
    values: dict[str, object]


def read_rows(path: Path) -> list[DataRow]:
    """Read a file of rows by its suffix.

    Raises:
        SuiteError: It cannot be read, is of an unknown kind, or holds no rows of one shape; with the line.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise _fault(path, f"is no dataset: its name must end in {', '.join(_READERS)}")
    try:
        text = read_text(path, LARGEST)
    except UnreadableError as error:
        raise SuiteError([Problem(str(error), path, error.line, error.column)]) from None
    rows = list(reader(path, text))
    if not rows:
        raise _fault(path, "has no rows")
    if "\0" in text or "\\" in text:  # nothing else can stand for such characters
        for row in rows:
            if (fault := _character_fault(row.values)) is not None:
                raise _fault(path, f"row {row.number} holds {fault}", row.line)
    return rows


def columns_of(rows: Sequence[DataRow]) -> list[str]:
    """Every column that a row has, in the order in which they come up."""
    return list(dict.fromkeys(column for row in rows for column in row.values))


def _csv(path: Path, text: str) -> Iterator[DataRow]:
    # The limit is the interpreter's; one cell may hold a whole document.
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line, number = 1, 0
    header: list[str] = []
    try:
        for cells in reader:
            at, line = line, reader.line_num + 1
            if not cells:
                continue
            if not header:
                header = _header(path, cells, at)
                continue
            number += 1
            if len(cells) != len(header):
                raise _fault(path, f"row {number} does not fit the header: {len(cells)} of {len(header)} cells", at)
            yield DataRow(number, at, dict(zip(header, cells)))  # noqa: B905 - they are of one length
    except csv.Error as error:
        # A quote that is never closed is found at the end of the file: where its row begins is of more help.
        raise _fault(path, f"is no csv: {error}, in what begins here", line) from None
    if not header:
        raise _fault(path, "is empty")


def _header(path: Path, cells: list[str], line: int) -> list[str]:
    names: dict[str, None] = {}
    for name in map(str.strip, cells):
        if not name:
            raise _fault(path, "a column of the header has no name", line)
        if name in names:
            raise _fault(path, f"two columns are called {shown(name)}", line)
        names[name] = None
    return list(names)


def _jsonl(path: Path, text: str) -> Iterator[DataRow]:
    return _objects(path, json_lines(path, text))


def _json(path: Path, text: str) -> Iterator[DataRow]:
    return _objects(path, json_list(path, text))


def _yaml(path: Path, text: str) -> Iterator[DataRow]:
    value = parse_yaml(text, path).value
    if not isinstance(value, MarkedList):
        raise _fault(path, "must be a list of mappings")
    lines = [mark.line for mark in value.item_marks]
    return _objects(path, zip(lines, map(plain, value), strict=True))


def _objects(path: Path, values: Iterable[tuple[int, object]]) -> Iterator[DataRow]:
    for number, (line, value) in enumerate(values, 1):
        yield DataRow(number, line, _object(path, value, number, line))


def _object(path: Path, value: object, number: int, line: int | None) -> dict[str, object]:
    if not isinstance(value, dict) or not value:
        raise _fault(path, f"row {number} must be an object with at least one value", line)
    return value


def _character_fault(value: object) -> str | None:
    """Why a value could be told to no program."""
    if isinstance(value, dict):
        return next(filter(None, map(_character_fault, (*value, *value.values()))), None)
    if isinstance(value, list):
        return next(filter(None, map(_character_fault, value)), None)
    if not isinstance(value, str):
        return None
    if "\0" in value:
        return "a NUL character, which no program can be told"
    return (
        None if value.isascii() or not _SURROGATE.search(value) else "half of a surrogate pair, which is no character"
    )


def _fault(path: Path, message: str, line: int | None = None) -> SuiteError:
    return SuiteError([Problem(message, path, line)])


_SURROGATE = re.compile("[\ud800-\udfff]")
_READERS = {".csv": _csv, ".jsonl": _jsonl, ".ndjson": _jsonl, ".json": _json, ".yaml": _yaml, ".yml": _yaml}

"""Frozen dataclasses to plain JSON values and back, for everything that a run folder holds.

The classes' own annotations are the format: reading is strict about the types of what it knows (a boolean is no number,
NaN is none either) and lets keys pass that a newer version may have added. A field's `metadata` may say how it stands
in its parent's object: `FLAT` or `STREAMED`.
"""

from __future__ import annotations

import functools
import json
import math
import types
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.results.regrades import Regrade

T = TypeVar("T")

FLAT = types.MappingProxyType({"json": "flat"})
"""Marks a field whose own fields stand directly in the object of its parent."""

STREAMED = types.MappingProxyType({"json": "streamed"})
"""Marks a field that `encode` leaves out, because its items are written one at a time; `decode` reads it."""

_Reader = Callable[[object], object]

_SCALARS: Mapping[type, tuple[str, tuple[type, ...]]] = {
    str: ("a string", (str,)),
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
}


class FormatError(ValueError):
    """A value is not what its place in a document asks for; `path` names the place."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(f"{path.removeprefix('.')}: {message}" if path else message)
        self.message = message
        self.path = path

    def inside(self, step: str) -> FormatError:
        """The same fault, seen from one level further out."""
        return FormatError(self.message, step + self.path)


def encode(value: Any) -> dict[str, Any]:
    """A dataclass as a JSON object.

    Raises:
        ValueError: A field holds NaN or an infinity.
    """
    document: dict[str, Any] = {}
    for item in fields(value):
        style = item.metadata.get("json")
        if style == "flat":
            document.update(encode(getattr(value, item.name)))
        elif style != "streamed":
            document[item.name] = _encode_field(getattr(value, item.name))
    return document


def dump(value: object) -> bytes:
    """A JSON value on one line, without the newline: compact, UTF-8, lone surrogates escaped.

    Raises:
        ValueError: It holds NaN or an infinity.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A lone surrogate can only stand inside a string, where Python's \udcXX is JSON's own escape as well.
    return text.encode("utf-8", "backslashreplace")


def load_document(data: bytes) -> dict[str, Any]:
    """The JSON object that some bytes hold.

    Raises:
        FormatError: They hold none.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FormatError("no JSON") from error
    if not isinstance(document, dict):
        raise FormatError("no JSON object")
    return document


def require_format(document: Mapping[str, Any], known: int) -> None:
    """Refuse a document whose `format` is not the one that is known.

    Raises:
        FormatError: It has another one, or none.
    """
    found = document.get("format")
    if found != known:
        raise FormatError(f"must be {known} for this version of skillgrade, and is {found!r}", "format")


def decode(kind: type[T], document: Mapping[str, Any]) -> T:
    """A dataclass from a JSON object; unknown keys are let pass.

    Raises:
        FormatError: A key is missing or its value is of another kind.
    """
    return cast("T", _reader(cast("Hashable", kind))(document))


def decode_record(document: Mapping[str, Any]) -> TrialRecord:
    """A trial's record from a JSON object.

    Raises:
        FormatError: It is none, or it contradicts itself: a verdict without a reward, a reward without a verdict.
    """
    record = decode(TrialRecord, document)
    _check_grades(record)
    return record


def decode_regrade(document: Mapping[str, Any]) -> Regrade:
    """Later grades of a trial from a JSON object.

    Raises:
        FormatError: It is none, or it contradicts itself, as for `decode_record`.
    """
    regrade = decode(Regrade, document)
    _check_grades(regrade)
    return regrade


def _check_grades(value: TrialRecord | Regrade) -> None:
    if value.trial < 0 or value.attempt < 0:
        raise FormatError("must not be negative", "trial" if value.trial < 0 else "attempt")
    graded = value.outcome in (Outcome.PASSED, Outcome.FAILED)
    if graded != (value.reward is not None):
        raise FormatError(f"does not fit the outcome {value.outcome}", "reward")
    if value.reward is not None and not 0 <= value.reward <= 1:
        raise FormatError("must lie in 0..1", "reward")


def _encode_field(value: object) -> Any:
    if is_dataclass(value):
        return encode(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} has no place in a record")
    if isinstance(value, tuple):
        return [_encode_field(item) for item in value]
    return _plain(value)


def _plain(value: object) -> Any:
    """A value from YAML as JSON; what JSON does not know (a date, NaN) becomes its text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)


@functools.cache
def _reader(annotation: Any) -> _Reader:
    """What reads a value of an annotated type; built once per annotation."""
    if annotation in _SCALARS:
        return _scalar_reader(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _enum_reader(annotation)
    if is_dataclass(annotation):
        return _dataclass_reader(cast("type", annotation))
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return _optional_reader(_reader(arguments[0]))
    if origin in (tuple, Iterable):
        return _array_reader(_reader(arguments[0]))
    if origin is Mapping:
        return _mapping_reader(arguments[0], _reader(arguments[1]))
    return lambda value: value


def _scalar_reader(kind: type) -> _Reader:
    name, accepted = _SCALARS[kind]

    def read(value: object) -> object:
        if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
            raise FormatError(f"must be {name}")
        if isinstance(value, float) and not math.isfinite(value):
            raise FormatError("must be a finite number")
        return float(value) if kind is float else value  # type: ignore[arg-type]  # an int or a float by now

    return read


def _enum_reader(kind: type[Enum]) -> _Reader:
    members = {member.value: member for member in kind}

    def read(value: object) -> object:
        if not isinstance(value, str) or value not in members:
            raise FormatError(f"must be one of {', '.join(members)}")
        return members[value]

    return read


def _optional_reader(inner: _Reader) -> _Reader:
    return lambda value: None if value is None else inner(value)


def _array_reader(inner: _Reader) -> _Reader:
    def read(value: object) -> object:
        if not isinstance(value, list):
            raise FormatError("must be a list")
        items = []
        for index, item in enumerate(value):
            try:
                items.append(inner(item))
            except FormatError as error:
                raise error.inside(f"[{index}]") from error
        return tuple(items)

    return read


def _mapping_reader(key_kind: type, inner: _Reader) -> _Reader:
    def read(value: object) -> object:
        if not isinstance(value, dict):
            raise FormatError("must be an object")
        items = {}
        for key, item in value.items():
            try:
                items[key_kind(key)] = inner(item)
            except FormatError as error:
                raise error.inside(f".{key}") from error
            except ValueError as error:
                raise FormatError("its keys must be whole numbers") from error
        return items

    return read


def _dataclass_reader(kind: type) -> _Reader:
    hints = get_type_hints(kind)
    plan = [
        (
            item.name,
            _reader(hints[item.name]),
            item.metadata.get("json") == "flat",
            item.default is MISSING and item.default_factory is MISSING,
        )
        for item in fields(kind)
    ]

    def read(document: object) -> object:
        if not isinstance(document, dict):
            raise FormatError("must be an object")
        values: dict[str, object] = {}
        for name, reader, flat, required in plan:
            if flat:
                values[name] = reader(document)
            elif name in document:
                try:
                    values[name] = reader(document[name])
                except FormatError as error:
                    raise error.inside(f".{name}") from error
            elif required:
                raise FormatError("is missing", f".{name}")
        return kind(**values)

    return read

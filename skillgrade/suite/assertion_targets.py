"""What an assertion is compared with: read by the shape that its type wants, or refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from skillgrade.suite.assertion_types import (
    ARG_TESTS,
    ARGS_MODES,
    OUTPUT_FORMATS,
    SEQUENCE_MODES,
    SHAPES,
    Shape,
)
from skillgrade.suite.cursor import Cursor
from skillgrade.suite.patterns import PatternError, compiled
from skillgrade.suite.references import inside_path
from skillgrade.wording import did_you_mean, shown

Reader: TypeAlias = Callable[[Cursor], object]
Pattern: TypeAlias = Mapping[str, str]


class TargetError(ValueError):
    """A target cannot be used; `place` is the part of it that is meant, and the message says why."""

    def __init__(self, place: Cursor, message: str) -> None:
        super().__init__(message)
        self.place = place


def read_target(kind: str, target: Cursor, flags: str, syntax: str) -> object:
    """The target of an assertion, as its check wants it.

    Args:
        kind: The type; a key of `SHAPES`.
        target: What the file says.
        flags: Those of a pattern.
        syntax: That of a pattern.

    Raises:
        TargetError: It cannot be used.
    """
    shape = SHAPES[kind]
    if shape is Shape.PATTERN:
        return _pattern(target, flags, syntax)
    return _READERS[shape](target)


def file_path(value: Cursor) -> str:
    """A file of the workspace, relative to it, normalised.

    Raises:
        TargetError: It is none.
    """
    text = value.label() or ""
    path = inside_path(text)
    if path is None:
        raise TargetError(value, f"{shown(text)} is no path in the workspace; name a file relative to it")
    return path


def _text(target: Cursor) -> str:
    text = target.label()
    if not text:
        raise TargetError(target, "must be text that is not empty; an empty one would be found in everything")
    return text


def _texts(target: Cursor) -> tuple[str, ...]:
    if target.label() is not None:
        return (_text(target),)
    texts = tuple(_text(item) for item in target.items())
    if not texts:
        raise TargetError(target, "must be a list of texts")
    return texts


def _pattern(target: Cursor, flags: str, syntax: str) -> str:
    text = target.label()
    if not text:
        raise TargetError(target, "must be a regular expression")
    try:
        compiled(text, flags, syntax)
    except PatternError as error:
        raise TargetError(target, f"is no regular expression: {error}") from None
    return text


def _format(target: Cursor) -> str:
    name = target.label() or ""
    if name not in OUTPUT_FORMATS:
        known = f"{', '.join(OUTPUT_FORMATS[:-1])} or {OUTPUT_FORMATS[-1]}"
        message = f"must be {known}, not {shown(target.value)}{did_you_mean(name, OUTPUT_FORMATS)}"
        raise TargetError(target, message)
    return name


def _schema(target: Cursor) -> object:
    from jsonschema import Draft202012Validator, SchemaError

    schema = target.plain()
    if not isinstance(schema, dict):
        raise TargetError(target, "must be a JSON Schema, written out as a mapping")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise TargetError(target, f"is no JSON Schema: {error.message}") from None
    return schema


def _path(target: Cursor) -> str:
    return file_path(target)


def _number(target: Cursor) -> float:
    number = target.number()
    if number is None or not number > 0:
        raise TargetError(target, "must be a number above 0")
    return float(number)


def _name(target: Cursor) -> str:
    name = target.label()
    if not name:
        raise TargetError(target, "must be a name")
    return name


def _tool_args(target: Cursor) -> Mapping[str, object]:
    chosen = _chosen(target, ("args", "mode"))
    args = target.get("args")
    if args is None or not isinstance(args.value, dict) or not args.value:
        raise TargetError(args or target, "needs `args`: a mapping from the names of arguments to what they must be")
    for name, expected in args.pairs():
        _check_argument(name, expected)
    return {**chosen, "args": args.plain(), "mode": _mode(target, ARGS_MODES)}


def _check_argument(name: str, expected: Cursor) -> None:
    if not isinstance(expected.value, dict):
        return
    tests = [key for key, _ in expected.pairs()]
    if len(tests) != 1 or tests[0] not in ARG_TESTS:
        message = f"the argument {shown(name)} must be a value, or a mapping with one of {', '.join(ARG_TESTS)}"
        raise TargetError(expected, message)
    compared = expected.get(tests[0])
    if compared is not None and tests[0] == "matches":
        _pattern(compared, "", "python")
    elif compared is not None and tests[0] == "contains":
        _text(compared)


def _tool_count(target: Cursor) -> object:
    chosen = _chosen(target, ("min", "max"), is_needed=False)
    bounds = {}
    for key in ("min", "max"):
        written = target.get(key)
        if written is None:
            continue
        number = written.number()
        if number is None or number < 0 or number != int(number):
            raise TargetError(written, f"`{key}` must be a whole number of calls, at least 0")
        bounds[key] = int(number)
    if not bounds:
        raise TargetError(target, "needs `min`, `max` or both")
    if bounds.get("min", 0) > bounds.get("max", bounds.get("min", 0)):
        raise TargetError(target, "can never hold: `min` is above `max`")
    return {**chosen, **bounds}


def _tool_sequence(target: Cursor) -> object:
    if isinstance(target.value, dict):
        _refuse_others(target, ("steps", "mode"))
        steps = target.get("steps")
    else:
        steps = target
    read = list(_steps(steps)) if steps is not None else []
    if not read:
        raise TargetError(target, "needs `steps`: a list of tools")
    return {"steps": read, "mode": _mode(target, SEQUENCE_MODES)}


def _steps(steps: Cursor) -> Iterator[Mapping[str, object]]:
    for step in steps.items():
        if isinstance(step.value, dict):
            args = step.get("args")
            yield _tool_args(step) if args is not None else _chosen(step, ())
        else:
            yield {"name": _name(step)}


def _chosen(target: Cursor, others: tuple[str, ...], *, is_needed: bool = True) -> Mapping[str, str]:
    """Which tools are meant: by name, or by a name with ``*`` in it."""
    if not isinstance(target.value, dict):
        keys = ", ".join(f"`{key}`" for key in ("name", "pattern", *others))
        raise TargetError(target, f"must be a mapping with some of {keys}")
    _refuse_others(target, ("name", "pattern", *others))
    named = {key: _name(value) for key in ("name", "pattern") if (value := target.get(key)) is not None}
    if len(named) > 1:
        raise TargetError(target, "has both `name` and `pattern`; give one of them")
    if is_needed and not named:
        raise TargetError(target, "needs the `name` of a tool, or a `pattern` with * in it")
    return named


def _refuse_others(target: Cursor, known: tuple[str, ...]) -> None:
    for key, value in target.pairs():
        if key not in known:
            hint = did_you_mean(key, known) or f"; known are {', '.join(known)}"
            raise TargetError(value, f"{shown(key)} is unknown here{hint}")


def _mode(target: Cursor, modes: tuple[str, ...]) -> str:
    written = target.get("mode")
    if written is None:
        return modes[0]
    if written.value not in modes:
        raise TargetError(written, f"must be {' or '.join(modes)}, not {shown(written.value)}")
    return str(written.value)


_READERS: Mapping[Shape, Reader] = {
    Shape.TEXT: _text,
    Shape.TEXTS: _texts,
    Shape.FORMAT: _format,
    Shape.SCHEMA: _schema,
    Shape.PATH: _path,
    Shape.SKILL: _name,
    Shape.TOOL: _name,
    Shape.TOOL_ARGS: _tool_args,
    Shape.TOOL_COUNT: _tool_count,
    Shape.TOOL_SEQUENCE: _tool_sequence,
    Shape.NUMBER: _number,
    Shape.SECONDS: _number,
}

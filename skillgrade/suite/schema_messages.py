"""What the schema refuses, in words: from validation errors to problems with their place and a suggestion."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skillgrade.errors import Problem
from skillgrade.suite.cursor import Cursor, join_path
from skillgrade.wording import did_you_mean, shown

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_TYPE_NAMES = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


def schema_problems(errors: Iterable[ValidationError], root: Cursor) -> Iterator[Problem]:
    """Problems for validation errors.

    Args:
        errors: What the schema refuses in `root`.
        root: The whole suite.
    """
    for error in errors:
        at = _follow(root, list(error.absolute_path))
        if isinstance(at.value, dict) and isinstance(error.instance, str):
            # The fault is in the name of a key.
            at = Cursor(error.instance, at.key_mark(error.instance), join_path(at.path, error.instance))
        if error.validator == "additionalProperties":
            yield from _unknown_keys(error, at)
        else:
            yield Problem(_message(error, at), *at.mark, path=at.path)


def _follow(root: Cursor, steps: list[str | int]) -> Cursor:
    current = root
    for step in steps:
        holder: Any = current.value
        marks = holder.item_marks if isinstance(step, int) else holder.value_marks
        current = Cursor(holder[step], marks[step], join_path(current.path, step), holder.written.get(step))
    return current


def _unknown_keys(error: ValidationError, at: Cursor) -> Iterator[Problem]:
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, dict) else {}
    known = [key for key in schema.get("properties", {}) if key != "$import"]
    patterns = list(schema.get("patternProperties", {}))
    kind = schema.get("properties", {}).get("type", {}).get("const")
    keys = at.value if isinstance(at.value, dict) else {}
    for key in keys:
        if key in known or any(re.search(pattern, key) for pattern in patterns):
            continue
        what = f"a grader of type {kind} has no such key" if kind else "unknown key"
        hint = did_you_mean(key, known)
        message = what + (hint or f"; known are {', '.join(known)}")
        yield Problem(message, *at.key_mark(key), path=join_path(at.path, key))


def _message(error: ValidationError, at: Cursor) -> str:
    wanted: Any = error.validator_value
    what = shown(at.value) if at.written is None else at.written
    match error.validator:
        case "required":
            return _missing(error)
        case "type":
            types = [wanted] if isinstance(wanted, str) else list(wanted)
            if "string" in types:
                # Numbers and booleans are taken as the text that was written.
                types = [name for name in types if name not in ("number", "integer", "boolean")]
            return f"must be {' or '.join(_TYPE_NAMES[name] for name in types)}, not {what}"
        case "enum":
            choices = [choice for choice in wanted if isinstance(choice, str)]
            hint = did_you_mean(at.value, choices) if isinstance(at.value, str) else ""
            return f"must be {_listed(choices)}, not {what}{hint}"
        case "minimum":
            return f"must be at least {wanted}, not {what}"
        case "maximum":
            return f"must be at most {wanted}, not {what}"
        case "exclusiveMinimum":
            return f"must be more than {wanted}, not {what}"
        case "dependentRequired":
            return _without_effect(wanted, at)
        case "minItems" | "minLength" | "minProperties":
            return "must not be empty"
        case "pattern" | "propertyNames":
            return f"{shown(error.instance)} is no name for a variable"
    return error.message


def _missing(error: ValidationError) -> str:
    schema: Any = error.schema
    kind = schema.get("properties", {}).get("type", {}).get("const")
    return f'"{error.validator_value}" is missing' + (f"; a grader of type {kind} needs it" if kind else "")


def _without_effect(dependencies: Mapping[str, Sequence[str]], at: Cursor) -> str:
    idle = [key for key, needed in dependencies.items() if at.get(key) and not all(map(at.get, needed))]
    needed = dict.fromkeys(name for key in idle for name in dependencies[key])
    keys, others = (" and ".join(f"`{name}`" for name in names) for names in (idle, needed))
    return f"{keys} {'has' if len(idle) == 1 else 'have'} no effect without {others}"


def _listed(choices: list[str]) -> str:
    return choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"

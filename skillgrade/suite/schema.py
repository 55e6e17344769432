"""The JSON Schemas of eval.yaml and of what a deterministic grader prints.

One document each is the validator, the help in editors and what `skillgrade schema` prints. A key without a value
counts as absent, as people leave ``workspace:`` behind with everything below it commented out.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator


def eval_schema() -> dict[str, object]:
    """The schema of eval.yaml (JSON Schema, draft 2020-12), with every key of the contract."""
    return _read("schema.json")


def grader_output_schema() -> dict[str, object]:
    """The schema of a deterministic grader's answer (JSON Schema, draft 2020-12); extra keys are tolerated."""
    return _read("grader-output.schema.json")


def grader_types() -> tuple[str, ...]:
    """Every type of grader that a suite can name."""
    schema: dict[str, Any] = eval_schema()
    return tuple(schema["$defs"]["grader"]["properties"]["type"]["enum"])


def schema_errors(instance: Any) -> Iterator[ValidationError]:
    """Everything in a suite that its schema refuses."""
    return _eval_validator().iter_errors(instance)


@functools.cache
def _eval_validator() -> Validator:
    # Importing jsonschema takes as long as reading a hundred tasks; --help must not pay for it.
    from jsonschema import Draft202012Validator, ValidationError, validators

    def properties(validator: Any, known: Mapping[str, Any], instance: Any, _: Mapping[str, Any]) -> Any:
        if validator.is_type(instance, "object"):
            for key, subschema in known.items():
                if instance.get(key) is not None:
                    yield from validator.descend(instance[key], subschema, path=key, schema_path=key)

    def required(validator: Any, keys: Sequence[str], instance: Any, _: Mapping[str, Any]) -> Any:
        if validator.is_type(instance, "object"):
            for key in keys:
                if instance.get(key) is None:
                    yield ValidationError(f"{key} is missing", validator_value=key)

    schema: dict[str, Any] = eval_schema()
    definitions = schema["$defs"]

    def reference(validator: Any, target: str, instance: Any, _: Mapping[str, Any]) -> Any:
        # All references of this schema are local; following them in the general way takes a third of the time.
        return validator.descend(instance, definitions[target.removeprefix("#/$defs/")])

    extend: Any = validators.extend
    keywords = {"properties": properties, "required": required, "$ref": reference}
    validator: Validator = extend(Draft202012Validator, keywords)(schema)
    return validator


def _read(name: str) -> dict[str, object]:
    document: dict[str, object] = json.loads(resources.files(__package__).joinpath(name).read_text("utf-8"))
    return document

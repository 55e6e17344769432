"""`skillgrade schema`: the JSON Schemas of what users write."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import click

from skillgrade.diagnostics.document import diagnosis_schema
from skillgrade.suite.schema import eval_schema, grader_output_schema

SCHEMAS: dict[str, Callable[[], Mapping[str, object]]] = {
    "eval": eval_schema,
    "grader-output": grader_output_schema,
    "diagnosis": diagnosis_schema,
}


@click.command(short_help="Print the JSON Schema of eval.yaml, or of a grader's output.")
@click.argument("name", type=click.Choice(list(SCHEMAS)), default="eval")
def command(name: str) -> None:
    """Print a JSON Schema, by default that of eval.yaml.

    grader-output is what a deterministic grader prints, diagnosis what `skillgrade diagnose --json` prints.
    """
    click.echo(json.dumps(SCHEMAS[name](), indent=2, ensure_ascii=False))

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skillgrade.suite.model import AgentSpec, DockerSpec, HumanSpec, Limits, Task
from skillgrade.suite.schema import eval_schema, grader_output_schema, grader_types, schema_errors

SCHEMA: dict[str, Any] = eval_schema()


@pytest.mark.parametrize("schema", [eval_schema(), grader_output_schema()])
def test_both_are_valid_schemas(schema: dict[str, object]) -> None:
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def _objects(node: object, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            yield path, node["properties"]
        for key, value in node.items():
            yield from _objects(value, f"{path}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _objects(value, f"{path}/{index}")


def test_every_key_is_described_for_editors() -> None:
    for path, properties in _objects(SCHEMA):
        for key, value in properties.items():
            target = SCHEMA["$defs"][value["$ref"].removeprefix("#/$defs/")] if "$ref" in value else value
            assert "description" in target or "const" in target or path.endswith("/if"), f"{path}/{key}"


def test_every_default_setting_may_stand_in_a_task() -> None:
    defaults, task = SCHEMA["properties"]["defaults"]["properties"], SCHEMA["$defs"]["task"]["properties"]
    assert set(defaults) - set(task) == set()


def test_the_documented_defaults_are_the_real_ones() -> None:
    task = Task("a", "b", (), file=None, line=1)  # type: ignore[arg-type]  # only the defaults are looked at
    stated = {key: value["default"] for key, value in SCHEMA["$defs"].items() if "default" in value}
    assert stated == {
        "output_format": AgentSpec().output_format,
        "agent_home": AgentSpec().home,
        "provider": task.provider,
        "network": task.network,
        "trials": task.trials,
        "timeout": task.timeout,
        "grader_timeout": task.grader_timeout,
        "threshold": task.threshold,
        "pass_threshold": task.pass_threshold,
        "retries": task.retries,
        "weight": 1,
    }
    nested = {
        key: value["default"] for _, keys in _objects(SCHEMA) for key, value in keys.items() if "default" in value
    }
    assert nested["base"] == DockerSpec().base
    assert {key: nested[key] for key in ("cpus", "memory_mb", "pids")} == {
        "cpus": Limits().cpus,
        "memory_mb": Limits().memory_mb,
        "pids": Limits().pids,
    }
    assert SCHEMA["$defs"]["humanGrader"]["properties"]["timeout"]["default"] == HumanSpec("human", 0).timeout


def test_grader_types_are_those_that_have_a_definition() -> None:
    assert grader_types() == ("deterministic", "llm_rubric", "human", "judge", "assertions")
    assert {f"{name}Grader" for name in grader_types()} <= set(SCHEMA["$defs"])


def test_the_fast_validator_agrees_with_the_plain_one() -> None:
    plain = Draft202012Validator(SCHEMA)
    graders: list[dict[str, object]] = [
        {"type": "deterministic", "run": "x"},
        {"type": "deterministic"},
        {"type": "human", "run": "x"},
        {"type": "nope"},
        {},
        {"type": "llm_rubric", "rubric": "x", "weight": -1, "judges": [{"provider": "x"}]},
    ]
    tasks = [{"name": "a", "instruction": "x", "graders": [grader]} for grader in graders]
    documents: list[dict[str, object]] = [{"tasks": [task]} for task in tasks]
    documents += [{}, {"tasks": [{}]}, {"tasks": tasks, "x-a": 1, "b": 2}, {"tasks": [{**tasks[0], "trials": "a"}]}]
    for document in documents:
        found = {(tuple(error.absolute_path), error.validator) for error in schema_errors(document)}
        assert found == {(tuple(error.absolute_path), error.validator) for error in plain.iter_errors(document)}


@pytest.mark.parametrize(
    ("answer", "is_valid"),
    [
        ({"score": 0.5, "details": ""}, True),
        ({"score": 1, "details": "x", "checks": [{"name": "a", "passed": True, "message": "m"}], "more": 1}, True),
        ({"score": 1, "details": "x", "checks": []}, True),
        ({"score": 1}, False),
        ({"details": "x"}, False),
        ({"score": 1.01, "details": "x"}, False),
        ({"score": -1, "details": "x"}, False),
        ({"score": True, "details": "x"}, False),
        ({"score": "0.8", "details": "x"}, False),
        ({"score": 1, "details": 3}, False),
        ({"score": 1, "details": "x", "checks": {}}, False),
        ({"score": 1, "details": "x", "checks": [{"name": "a"}]}, False),
        ({"score": 1, "details": "x", "checks": [{"name": "a", "passed": "yes"}]}, False),
    ],
)
def test_what_a_grader_may_answer(answer: object, is_valid: bool) -> None:
    assert Draft202012Validator(grader_output_schema()).is_valid(answer) is is_valid

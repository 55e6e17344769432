"""The reference page of eval.yaml names every key, and its examples load."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillgrade.suite.load import load_suite
from skillgrade.suite.schema import eval_schema
from tests.support.pages import REPOSITORY, yaml_blocks
from tests.support.suites import write

PAGE = (REPOSITORY / "docs" / "eval-yaml.md").read_text("utf-8")
EXAMPLES = yaml_blocks(REPOSITORY / "docs" / "eval-yaml.md")
TASK = "name: {name}\ninstruction: Write it down.\ngraders: [{{type: deterministic, run: bash graders/check.sh}}]\n"
FILES = {
    **dict.fromkeys(
        (
            "fixtures/app.js",
            "fixtures/agent.sh",
            "fixtures/project/package.json",
            "bin/superlint",
            "solutions/solve.sh",
        ),
        "",
    ),
    **dict.fromkeys(("graders/check.sh", "graders/count.mjs", "lib/util.mjs"), ""),
    "data/capitals.csv": "country,continent,size\nFrance,Europe,large\nMalta,Europe,small\n",
    "rubrics/quality.md": "Is it good?",
    ".claude/skills/demo/SKILL.md": "---\nname: demo\ndescription: Demonstrates.\n---\n",
    "shared/defaults.yaml": "{trials: 9, timeout: 60}",
    "evals/easy/a.yaml": TASK.format(name="easy-a"),
    "evals/hard/b.yaml": TASK.format(name="hard-b"),
}


def _keys(node: object) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            yield from node["properties"].items()
        for key, value in node.items():
            if key != "if":
                yield from _keys(value)
    elif isinstance(node, list):
        for value in node:
            yield from _keys(value)


ALL_KEYS = sorted({key for key, _ in _keys(eval_schema())})


@pytest.mark.parametrize("key", ALL_KEYS)
def test_every_key_of_the_schema_is_on_the_page(key: str) -> None:
    assert re.search(rf"`{{?(?:\w+[.,] ?)*{re.escape(key)}(?:, \w+)*}}?`", PAGE), key


def test_every_choice_and_default_of_the_schema_is_on_the_page() -> None:
    for key, value in _keys(eval_schema()):
        for choice in value.get("enum", ()):
            assert f"`{choice}`" in PAGE or f'`"{choice}"`' in PAGE or key in ("version", "type"), (key, choice)
    definitions: dict[str, Any] = eval_schema()["$defs"]  # type: ignore[assignment]  # an object, as the schema shows
    for key, value in definitions.items():
        if "default" in value and key != "weight":
            (row,) = re.findall(rf"^\| `{key}` \|.*$", PAGE, re.MULTILINE)[:1]
            assert f"| `{value['default']}` |" in row, key


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_every_example_loads_without_a_warning(tmp_path: Path, example: str) -> None:
    suite = load_suite(write(tmp_path, {**FILES, "eval.yaml": example}))
    assert suite.tasks
    assert suite.warnings == ()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 8

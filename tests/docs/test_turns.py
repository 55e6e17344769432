"""The reference page of turns names every key, and its examples are valid."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from skillgrade.engine.workspace_grading import COPY_LIMIT
from skillgrade.suite.schema import eval_schema
from skillgrade.workspace.export import MOST_ENTRIES
from tests.support.pages import REPOSITORY, problems, yaml_blocks

PAGE = (REPOSITORY / "docs" / "turns.md").read_text("utf-8")
BLOCKS = yaml_blocks(REPOSITORY / "docs" / "turns.md")
DEFINITIONS: Any = eval_schema()["$defs"]
KEYS = sorted(
    {
        *DEFINITIONS["turn"]["properties"],
        *DEFINITIONS["turn"]["properties"]["reply"]["items"]["properties"],
        *DEFINITIONS["task"]["properties"]["user"]["properties"],
        "turns",
        "user",
        "on_turn_failure",
    }
    - {"$import"}
)


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_on_the_page(key: str) -> None:
    assert f"`{key}`" in PAGE or f"{key}:" in PAGE


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_examples_are_valid(block: str) -> None:
    assert problems(yaml.safe_load(block)) == []


def test_the_first_example_is_the_one_that_comes_with_the_project() -> None:
    (shown,) = yaml.safe_load(BLOCKS[0])["tasks"]
    (task,) = yaml.safe_load((REPOSITORY / "examples" / "packing-list" / "eval.yaml").read_text("utf-8"))["tasks"]
    assert shown["graders"] == task["graders"]
    assert shown["turns"][0]["graders"] == task["turns"][0]["graders"]
    assert [turn["instruction"] for turn in shown["turns"]] == [turn["instruction"] for turn in task["turns"]]


def test_the_limits_of_copies_are_those_of_the_code() -> None:
    assert f"more than {COPY_LIMIT >> 30} GiB or {MOST_ENTRIES:,} files" in " ".join(PAGE.split())

"""The reference page of datasets names every key, suffix and filter, and its example is valid."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from skillgrade.suite.dataset_files import _READERS
from skillgrade.suite.schema import eval_schema
from skillgrade.suite.template_filters import FILTERS
from tests.support.pages import REPOSITORY, problems, yaml_blocks

PAGE = (REPOSITORY / "docs" / "datasets.md").read_text("utf-8")
(BLOCK,) = yaml_blocks(REPOSITORY / "docs" / "datasets.md")
DEFINITIONS: Any = eval_schema()["$defs"]
OPTIONS = DEFINITIONS["task"]["properties"]["dataset"]["properties"]
WORDS = sorted({*OPTIONS, *_READERS, *FILTERS} - {"$import"})


@pytest.mark.parametrize("word", WORDS)
def test_every_word_is_on_the_page(word: str) -> None:
    assert f"`{word}`" in PAGE


def test_the_example_is_valid_and_the_one_that_comes_with_the_project() -> None:
    shown = yaml.safe_load(BLOCK)
    assert problems(shown) == []
    (task,) = yaml.safe_load((REPOSITORY / "examples" / "unit-converter" / "eval.yaml").read_text("utf-8"))["tasks"]
    (told,) = shown["tasks"]
    assert {**told, "instruction": told["instruction"].strip()} == {**task, "instruction": task["instruction"].strip()}

"""What the README shows, and the examples that it names, are valid suites."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from skillgrade.suite.load import load_suite
from tests.support.pages import REPOSITORY, problems, yaml_blocks

BLOCKS = yaml_blocks(REPOSITORY / "README.md")
EXAMPLES = [REPOSITORY / "eval.yaml.example", *REPOSITORY.glob("examples/*/eval.yaml")]


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_readme_shows_valid_suites(block: str) -> None:
    assert problems(yaml.safe_load(block)) == []


@pytest.mark.parametrize("file", EXAMPLES, ids=[path.parent.name for path in EXAMPLES])
def test_the_examples_load(file: Path) -> None:
    assert load_suite(file).tasks


def test_there_is_something_to_check() -> None:
    assert BLOCKS
    assert len(EXAMPLES) > 1

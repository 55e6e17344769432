"""docs/review.md names every key of the question, every key on the keyboard, and every flag of the command."""

from __future__ import annotations

import dataclasses
import re
from importlib.resources import files

import click
import pytest
import yaml

from skillgrade.cli.review import command
from skillgrade.graders.human import TIMED_OUT
from skillgrade.results.reviews import ReviewContext
from skillgrade.suite.model import HumanSpec
from tests.support.pages import REPOSITORY, problems, yaml_blocks

PATH = REPOSITORY / "docs" / "review.md"
PAGE = PATH.read_text("utf-8")
SCRIPT = (files("skillgrade.reports.review") / "static" / "review.js").read_text("utf-8")
TEMPLATE = (files("skillgrade.reports.review") / "templates" / "trial.html").read_text("utf-8")


@pytest.mark.parametrize("key", [item.name for item in dataclasses.fields(ReviewContext)])
def test_every_key_of_the_question_is_described(key: str) -> None:
    assert re.search(rf"^\| (`\w+`, )*`{key}`", PAGE, re.MULTILINE)


def test_every_key_of_the_page_is_described_and_works() -> None:
    described = re.findall(
        r"`(\w+)`", " ".join(re.findall(r"^\| (`.+?) \|", PAGE.split("| Key | What it does |")[1], re.MULTILINE))
    )
    for key in ("c", "j", "k", "g", "t", "Enter"):
        assert key in described
        assert f"<kbd>{key}</kbd>" in TEMPLATE or f">{key}</kbd>" in TEMPLATE
    assert '"c"' in SCRIPT
    assert "[0-9t]" in SCRIPT


def test_every_flag_of_the_command_is_told() -> None:
    own = {"--reviewer", "--terminal", "--port"}
    assert own <= {flag for param in command.params if isinstance(param, click.Option) for flag in param.opts}
    for flag in own:
        assert flag in PAGE


def test_numbers_are_those_of_the_code() -> None:
    assert f"`timeout` seconds ({HumanSpec('human', 0).timeout:g} by default)" in PAGE
    assert f"`{TIMED_OUT}`" in PAGE


def test_the_yaml_of_the_page_is_valid() -> None:
    blocks = yaml_blocks(PATH)
    for shown in map(yaml.safe_load, blocks):
        task = {"name": "t", "instruction": "Work.", "graders": shown["graders"]}
        assert problems({"version": "1", "tasks": [task]}) == []
    assert len(blocks) == 1

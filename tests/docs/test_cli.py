"""docs/cli.md describes every command, flag and exit code."""

from __future__ import annotations

import re
from importlib import import_module

import click
import pytest

from skillgrade.cli.exit_codes import ExitCode
from skillgrade.cli.main import COMMANDS
from skillgrade.cli.run import PRESETS
from tests.support.pages import REPOSITORY

PAGE = (REPOSITORY / "docs" / "cli.md").read_text("utf-8")
MODULES = {"": "skillgrade.cli.run", **COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_described(name: str) -> None:
    assert re.search(rf"^\| `skillgrade {name}\b", PAGE, re.MULTILINE)


@pytest.mark.parametrize("module", MODULES.values())
def test_every_flag_is_described(module: str) -> None:
    command: click.Command = import_module(module).command
    flags = [flag for param in command.params if isinstance(param, click.Option) for flag in param.opts]
    for flag in flags:
        assert re.search(rf"`[^`]*(?<![\w-]){re.escape(flag)}(?![\w-])", PAGE), flag


def test_no_flag_is_described_that_is_not_there() -> None:
    known = {"--help"}
    for module in MODULES.values():
        command: click.Command = import_module(module).command
        known |= {flag for param in command.params for flag in param.opts}
    described = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE))
    assert described <= known


@pytest.mark.parametrize("code", ExitCode)
def test_every_exit_code_is_described(code: ExitCode) -> None:
    assert re.search(rf"^\| {code.value} \|", PAGE, re.MULTILINE)


def test_the_presets_are_described_with_their_numbers() -> None:
    assert f"| {', '.join(f'`--{preset}`' for preset in PRESETS)} |" in PAGE
    *first, last = PRESETS.values()
    assert f"{', '.join(map(str, first))} or {last} trials per task" in PAGE

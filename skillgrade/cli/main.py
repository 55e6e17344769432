"""The entry point: which command is meant, and what becomes of errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

import click

from skillgrade.cli.boundary import guarded

COMMANDS = {
    "check": "skillgrade.cli.check",
    "clean": "skillgrade.cli.clean",
    "compare": "skillgrade.cli.compare",
    "diagnose": "skillgrade.cli.diagnose",
    "doctor": "skillgrade.cli.doctor",
    "gate": "skillgrade.cli.gate",
    "init": "skillgrade.cli.init",
    "judge-check": "skillgrade.cli.judge_check",
    "preview": "skillgrade.cli.preview",
    "regrade": "skillgrade.cli.regrade",
    "reverify": "skillgrade.cli.reverify",
    "review": "skillgrade.cli.review",
    "schema": "skillgrade.cli.schema",
    "scout": "skillgrade.cli.scout",
    "triggers": "skillgrade.cli.triggers",
}
"""Each command beside the run itself, and the module whose `command` it is, imported only when it is meant."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run skillgrade and exit.

    The first argument may name a command; anything else, a task's name or a flag, means the run.

    Args:
        arguments: Without the program's name; by default those of this process.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in COMMANDS:
        module, program, given = COMMANDS[given[0]], f"skillgrade {given[0]}", given[1:]
    else:
        module, program = "skillgrade.cli.run", "skillgrade"
    sys.exit(guarded(lambda: _invoke(module, program, given)))


def _invoke(module: str, program: str, arguments: list[str]) -> int:
    command: click.Command = import_module(module).command
    # Not `command.main`, which turns a closed pipe into exit code 1: here that is a gate's no.
    try:
        with command.make_context(program, arguments) as context:
            code = command.invoke(context)
    except click.exceptions.Exit as end:  # --help and --version
        return end.exit_code
    return code if isinstance(code, int) else 0

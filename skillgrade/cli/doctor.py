"""`skillgrade doctor`: what would go wrong, before money is spent."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillgrade.cli.exit_codes import ExitCode
from skillgrade.cli.options import GivenPath, Text
from skillgrade.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillgrade.engine.findings import Examined
    from skillgrade.stop import Stop
    from skillgrade.suite.model import Suite


@click.command(short_help="Look at agents, places and judges before money is spent.")
@click.option("-f", "--file", type=GivenPath(), help="The eval.yaml or its folder (default: here, if there is one).")
@click.option("--agent", type=Text(), metavar="NAME", help="This agent, whatever the file says.")
@click.option("--provider", type=click.Choice(["auto", "docker", "local", "bubblewrap"]), help="Where it would work.")
@click.option("--allow-outside", is_flag=True, help="Let the eval name files outside its repository.")
@click.option("--json", "as_json", is_flag=True, help="The findings as a JSON document.")
def command(file: Path | None, agent: str | None, provider: str | None, allow_outside: bool, as_json: bool) -> int:
    """Look at what a run would use: agents, their keys, where they work, who judges.

    It is what the eval.yaml here names; without one, every agent is looked at. No model is asked, and no image is
    pulled or built. Exit code 1 says that something must be mended.
    """
    from skillgrade.cli.interrupts import stopping_on_signals
    from skillgrade.engine.env_file import read_env_file
    from skillgrade.engine.findings import all_well
    from skillgrade.reports.terminal.console import make_console
    from skillgrade.reports.terminal.doctor import examined_json, print_examined
    from skillgrade.results.redaction import Redactor, secret_values
    from skillgrade.stop import Stop

    suite = _suite(file, agent, provider, allow_outside=allow_outside)
    env_file = read_env_file(suite.env_file) if suite else {}
    redactor = Redactor(secret_values(env_file, os.environ))
    console = make_console(to_stderr=False)
    found = []
    stop = Stop()
    with stopping_on_signals(stop, lambda: None):
        for examined in _examine(suite, agent, provider, env_file, stop):
            found.append(examined.redacted(redactor))
            if not as_json:
                print_examined(console, found[-1])
    if as_json:
        sys.stdout.write(json.dumps(examined_json(found), ensure_ascii=False, indent=2) + "\n")
    return ExitCode.OK if all_well(found) else ExitCode.REFUSED


def _suite(file: Path | None, agent: str | None, provider: str | None, *, allow_outside: bool) -> Suite | None:
    """The suite that is meant; None where there is none here and none was named."""
    from skillgrade.suite.load import load_suite
    from skillgrade.suite.overrides import Overrides, apply_overrides
    from skillgrade.suite.source import SUITE_FILES

    if file is None and not any(Path(name).exists() for name in SUITE_FILES):
        return None
    loaded = load_suite(file or Path(), allow_outside=allow_outside)
    return apply_overrides(loaded, Overrides(agent=agent, provider=provider))


def _examine(
    suite: Suite | None, agent: str | None, provider: str | None, env_file: Mapping[str, str], stop: Stop
) -> Iterator[Examined]:
    from skillgrade.engine.doctor import KNOWN_AGENTS, examine, survey

    if suite is not None:
        return examine(suite, env_file, os.environ, stop)
    if agent is not None and agent not in KNOWN_AGENTS:
        raise UsageError(
            f"without an eval.yaml only {', '.join(KNOWN_AGENTS)} can be looked at: name the file with -f, since it "
            f'says what the agent "{agent}" runs'
        )
    return survey([agent] if agent else KNOWN_AGENTS, provider or "auto", os.environ, stop)

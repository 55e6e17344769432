"""`skillgrade check`: say whether skills and evals can be trusted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from skillgrade.cli.options import GivenPath


@click.command(short_help="Say whether skills and evals can be trusted.")
@click.argument("paths", nargs=-1, type=GivenPath(), metavar="[PATH]...")
@click.option("--strict", is_flag=True, help="Take every warning as an error.")
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
@click.option("--allow-outside", is_flag=True, help="Let evals name files outside their repository.")
def command(paths: tuple[Path, ...], strict: bool, as_json: bool, allow_outside: bool) -> int:
    """Check each PATH (default: here): a pack, the folder of a skill, or an eval.

    Nothing is run and nobody is asked. Exit code 1 where there is an error.
    """
    from skillgrade.checks.findings import Severity
    from skillgrade.checks.inspection import inspect
    from skillgrade.cli.exit_codes import ExitCode
    from skillgrade.reports.terminal.check import findings_json, print_findings
    from skillgrade.reports.terminal.console import make_console

    found = [
        finding for path in paths or (Path(),) for finding in inspect(path, strict=strict, allow_outside=allow_outside)
    ]
    if as_json:
        sys.stdout.write(json.dumps(findings_json(found), ensure_ascii=False, indent=2) + "\n")
    else:
        print_findings(make_console(to_stderr=False), found)
    return ExitCode.REFUSED if any(each.rule.severity is Severity.ERROR for each in found) else ExitCode.OK

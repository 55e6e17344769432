"""`skillgrade clean`: what killed runs left, and images that nobody uses."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import click

from skillgrade.cli.exit_codes import ExitCode
from skillgrade.errors import ProviderError
from skillgrade.reports.terminal.text import one_line, size
from skillgrade.workspace.cleaning import leftovers_in_docker, leftovers_on_host
from skillgrade.workspace.leftover import Leftover

_LONGEST_LINE = 500


@click.command(short_help="Remove what killed runs left, and images that nobody uses.")
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
def command(dry_run: bool) -> int:
    """Remove what killed runs left on this machine: temporary folders, containers, control groups, files of locks.

    Images that skillgrade made go when no run has used them for 30 days, and what builds that failed left after a day.
    What a live run uses, and what skillgrade did not make, stays.
    """
    found = list(leftovers_on_host())
    try:
        found += leftovers_in_docker(datetime.now(UTC))
    except ProviderError as error:
        click.echo(f"containers and images are left out: {error}")
    if not found:
        click.echo("nothing to remove")
        return ExitCode.OK
    return _say(found) if dry_run else _remove(found)


def _say(found: Iterable[Leftover]) -> int:
    for leftover in found:
        click.echo(_line("would remove", leftover.what, leftover.measure()))
    return ExitCode.OK


def _remove(found: Iterable[Leftover]) -> int:
    code = ExitCode.OK
    for leftover in found:
        freed = leftover.measure()
        problem = leftover.remove()
        if problem is None:
            click.echo(_line("removed", leftover.what, freed))
        else:
            click.echo(one_line(f"cannot remove {leftover.what}: {problem}", _LONGEST_LINE), err=True)
            code = ExitCode.ERRORED
    return code


def _line(verb: str, what: str, freed: int | None) -> str:
    return one_line(f"{verb} {what}{'' if freed is None else f', {size(freed)}'}", _LONGEST_LINE)

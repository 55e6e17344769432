"""`skillgrade reverify`: judge a sample of recorded verdicts again, and say how much differs."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillgrade.cli.options import GivenPath, JudgeName, core_count, eval_folder, results_base
from skillgrade.errors import UsageError

if TYPE_CHECKING:
    from skillgrade.checks.release.drift import Recorded


@click.command(short_help="Judge a sample of a run again, and say how much differs.")
@click.argument("run")
@click.option("--judge", type=JudgeName(), metavar="PROVIDER[:MODEL]", required=True, help="Who is asked.")
@click.option("--sample", type=click.IntRange(min=1), default=10, show_default=True, help="How many verdicts.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another one draws others.")
@click.option("-f", "--file", "file", type=GivenPath(), help="The eval file of a run, or its folder (default: here).")
@click.option("--output", type=GivenPath(), help="Where the runs are, if not beside the file.")
@click.option("--parallel", type=click.IntRange(min=1), help="Questions that are out at a time (default: the cores).")
@click.option("--json", "as_json", is_flag=True, help="The outcome as JSON.")
def command(
    run: str,
    judge: tuple[str, str | None],
    sample: int,
    seed: int,
    file: Path | None,
    output: Path | None,
    parallel: int | None,
    as_json: bool,
) -> int:
    """Ask a judge once more about a random sample of the verdicts in RUN: a run, or a pack or skill with evidence.

    Nothing is written. Exit code 1 where more than 20 % of them come out otherwise.
    """
    from skillgrade.checks.release.drift import is_release, reverified
    from skillgrade.cli.exit_codes import ExitCode
    from skillgrade.cli.interrupts import stopping_on_signals
    from skillgrade.engine.env_file import effective_variables, read_env_file
    from skillgrade.engine.judging import open_judging
    from skillgrade.judges.base import Judge, Verdicts
    from skillgrade.reports.terminal.console import make_console
    from skillgrade.reports.terminal.drift import drift_json, print_compared, print_drift
    from skillgrade.results.redaction import Redactor, secret_values
    from skillgrade.stop import Stop

    console = make_console(to_stderr=as_json)
    path = Path(run)
    verdicts, place = _of_release(path) if is_release(path) else _of_run(run, file, output)
    if not verdicts:
        raise UsageError(f"{run}: holds no verdict of a judge grader on a task that is still there")
    env_file = read_env_file(place / ".env" if (place / ".env").is_file() else None)
    variables = effective_variables(env_file, os.environ)
    redactor = Redactor(secret_values(env_file, os.environ))
    who, stop = Judge(*judge), Stop()
    with (
        stopping_on_signals(stop, lambda: console.print("stopping", style="yellow")),
        open_judging({who}, Verdicts.LIVE, place / "eval.yaml", variables, redactor, "", stop) as judging,
    ):
        slots, tell = parallel or core_count(), partial(print_compared, console)
        drift = reverified(verdicts, sample, seed, who, judging, variables, slots, tell, stop)
    print_drift(console, drift)
    if as_json:
        sys.stdout.write(json.dumps(drift_json(drift), ensure_ascii=False, indent=2) + "\n")
    return ExitCode.REFUSED if drift.is_too_much else ExitCode.OK


def _of_release(path: Path) -> tuple[list[Recorded], Path]:
    from skillgrade.checks.release.drift import verdicts_of_release
    from skillgrade.checks.release.skills import release_at

    release = release_at(path)
    return list(verdicts_of_release(release)), release.folder


def _of_run(run: str, file: Path | None, output: Path | None) -> tuple[list[Recorded], Path]:
    from skillgrade.checks.release.drift import verdicts_of_run
    from skillgrade.results.folder import find_run_folder
    from skillgrade.suite.load import load_suite

    suite = load_suite(file or Path(), with_digests=False)
    folder = find_run_folder(results_base(eval_folder(file), output), run)
    return list(verdicts_of_run(folder, suite)), suite.root

"""`skillgrade preview`: a run that is over, once more."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from skillgrade.cli.options import GivenPath, eval_folder, results_base
from skillgrade.reports.terminal.console import make_console
from skillgrade.reports.terminal.summary import print_summary
from skillgrade.results.folder import find_run_folder
from skillgrade.results.report_file import build_report, render_report


@click.command(short_help="Show a run once more, with every trial.")
@click.argument("run", default="latest")
@click.option("-f", "--file", "file", type=GivenPath(), help="The eval.yaml or its folder.")
@click.option("--output", type=GivenPath(), help="Where the runs are, if not beside eval.yaml.")
@click.option("--json", "as_json", is_flag=True, help="The report document instead.")
def command(run: str, file: Path | None, output: Path | None, as_json: bool) -> None:
    """Show RUN once more, with every trial: a path, an id, or latest (the default).

    It is read from the run's journal, so a run that was killed can be looked at as well.
    """
    folder = find_run_folder(results_base(eval_folder(file), output), run)
    report = build_report(folder.journal)
    if as_json:
        sys.stdout.buffer.writelines(render_report(report))
    else:
        print_summary(make_console(to_stderr=False), report, folder.path, every_trial=True)

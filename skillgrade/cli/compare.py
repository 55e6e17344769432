"""`skillgrade compare`: two runs of the same tasks."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from skillgrade.cli.options import GivenPath, eval_folder, results_base
from skillgrade.reports.terminal.comparison import print_comparison
from skillgrade.reports.terminal.console import make_console
from skillgrade.results.compared_runs import compare_folders
from skillgrade.results.encoding import dump, encode
from skillgrade.results.folder import find_run_folder


@click.command(short_help="Say what changed from one run to another.")
@click.argument("before")
@click.argument("after", default="latest")
@click.option("-f", "--file", "file", type=GivenPath(), help="The eval.yaml or its folder.")
@click.option("--output", type=GivenPath(), help="Where the runs are, if not beside eval.yaml.")
@click.option("--json", "as_json", is_flag=True, help="The comparison document instead.")
def command(before: str, after: str, file: Path | None, output: Path | None, as_json: bool) -> None:
    """Say what changed from the run BEFORE to the run AFTER: each a path, an id, or latest.

    They may differ in the skill, the agent, its model, or where they ran, but not in their tasks.
    """
    base = results_base(eval_folder(file), output)
    comparison = compare_folders(find_run_folder(base, before), find_run_folder(base, after))
    if as_json:
        sys.stdout.buffer.write(dump(encode(comparison)) + b"\n")
    else:
        names = comparison.before.run_id, comparison.after.run_id
        print_comparison(make_console(to_stderr=False), comparison, *names)

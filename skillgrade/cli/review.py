"""`skillgrade review`: people score trials, on a page or in the terminal."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillgrade.cli.exit_codes import ExitCode
from skillgrade.cli.options import GivenPath, results_base

if TYPE_CHECKING:
    from rich.console import Console

    from skillgrade.results.folder import RunFolder
    from skillgrade.results.redaction import Redactor


class ReviewerName(click.ParamType[str]):
    """A name that can be a part of a file's."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what could not."""
        from skillgrade.results.reviews import REVIEWER

        if not REVIEWER.fullmatch(str(value)):
            rule = "a letter, then up to 39 letters, digits, - or _"
            self.fail(f"{str(value)[:60]!r} cannot be a part of a file's name: give {rule}", param, ctx)
        return str(value)


@click.command(short_help="Show what people are asked to score, and take their scores.")
@click.argument("run", default="latest")
@click.option("-f", "--file", "file", type=GivenPath(), help="The eval.yaml or its folder.")
@click.option("--output", type=GivenPath(), help="Where the runs are, if not beside eval.yaml.")
@click.option("--reviewer", type=ReviewerName(), metavar="NAME", help="Who reviews, where several people do.")
@click.option("--terminal", is_flag=True, help="Ask here instead of on a page.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The page's port (default: a free one).")
def command(run: str, file: Path | None, output: Path | None, reviewer: str | None, terminal: bool, port: int) -> int:
    """Review the trials of RUN, a path, an id or latest (the default), on a page for this machine alone.

    Reviews are taken into the run's records at once, or by the run itself while it goes on.
    """
    from skillgrade.engine.env_file import read_env_file
    from skillgrade.reports.terminal.console import make_console
    from skillgrade.results.folder import find_run_folder
    from skillgrade.results.redaction import Redactor, secret_values

    given = Path() if file is None else file
    eval_folder = given if given.is_dir() else given.parent
    folder = find_run_folder(results_base(eval_folder, output), run)
    env_file = eval_folder / ".env"
    variables = read_env_file(env_file if env_file.exists() else None)
    redactor = Redactor(secret_values(variables, os.environ))
    console = make_console(to_stderr=False)
    _take(folder, redactor, console)
    if terminal:
        from skillgrade.reports.terminal.reviewing import review_in_terminal

        review_in_terminal(console, folder, reviewer, lambda: _take(folder, redactor, console))
    else:
        _serve(console, folder, reviewer, redactor, port)
    return ExitCode.OK


def _serve(console: Console, folder: RunFolder, reviewer: str | None, redactor: Redactor, port: int) -> None:
    from skillgrade.cli.interrupts import stopping_on_signals
    from skillgrade.reports.review.app import Desk, review_app
    from skillgrade.reports.review.server import ADDRESS, serve
    from skillgrade.stop import Stop

    stop = Stop()
    token = secrets.token_urlsafe(24)
    desk = Desk(folder, reviewer, token, lambda: _take(folder, redactor, console))

    def ready(taken: int) -> None:
        console.print(f"review at http://{ADDRESS}:{taken}/{token}/ (Ctrl-C ends it)", soft_wrap=True)

    with stopping_on_signals(stop, lambda: None):
        serve(review_app(desk), port, stop, ready)


def _take(folder: RunFolder, redactor: Redactor, console: Console) -> None:
    from skillgrade.engine.review_intake import take_reviews
    from skillgrade.reports.terminal.reviews import print_intake

    print_intake(console, take_reviews(folder, redactor))

"""`skillgrade regrade`: a finished run, graded again from its records."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillgrade.cli.options import GivenPath, JudgeName, Text, core_count, eval_folder, results_base
from skillgrade.errors import SuiteError, UsageError

if TYPE_CHECKING:
    from skillgrade.results.folder import RunFolder
    from skillgrade.suite.model import Suite


@click.command(short_help="Grade a finished run again from its records.")
@click.argument("run", default="latest")
@click.option("-f", "--file", type=GivenPath(), help="The eval.yaml or its folder (default: here).")
@click.option("--eval", "evals", type=Text(), metavar="NAME[,NAME]", multiple=True, help="Only these tasks.")
@click.option(
    "--filter", "filters", type=Text(), metavar="KEY=V[,V]", multiple=True, help="Only tasks with this metadata."
)
@click.option(
    "--grader", "graders", type=Text(), metavar="TYPE[,TYPE]", multiple=True, help="Ask only graders of these types."
)
@click.option("--judge", type=JudgeName(), metavar="PROVIDER[:MODEL]", help="Who judges, whatever the file says.")
@click.option(
    "--verdicts", type=click.Choice(["live", "record", "replay"]), default="live", help="Where verdicts come from."
)
@click.option("--parallel", type=click.IntRange(min=1), help="Trials that are graded at a time (default: the cores).")
@click.option("--ci", is_flag=True, help="Gate: exit 1 when a task's mean reward is below its threshold.")
@click.option("--output", type=GivenPath(), help="Where the runs are, if not beside eval.yaml.")
@click.option(
    "--verify", is_flag=True, help="Grade nothing: derive every recorded number, and name those that disagree."
)
@click.option("--json", "as_json", is_flag=True, help="The report alone on stdout, all else on stderr.")
@click.option("--allow-outside", is_flag=True, help="Let the eval name files outside its repository.")
def command(run: str, **values: Any) -> int:
    """Grade RUN again with the rubrics, weights and judges of eval.yaml as it is now: a path, an id, or latest.

    No agent runs and no workspace is made: what the run kept of each trial is judged again, and reviews that people
    wrote since are taken. What deterministic graders said is carried over.
    """
    if values["verify"]:
        return _verify(run, values)
    from skillgrade.results.folder import find_run_folder, run_folders
    from skillgrade.suite.load import load_suite
    from skillgrade.suite.overrides import Overrides, apply_overrides
    from skillgrade.suite.selection import Selection, select

    results = run_folders(values["output"].absolute()) if values["output"] else ()
    loaded = load_suite(values["file"] or Path(), allow_outside=values["allow_outside"], results=results)
    selected = select(loaded, Selection(names=values["evals"], filters=values["filters"]))
    provider, model = values["judge"] or (None, None)
    suite = apply_overrides(selected, Overrides(grader_provider=provider, grader_model=model))
    folder = find_run_folder(results_base(eval_folder(values["file"]), values["output"]), run)
    return _regrade(folder, suite, values)


def _verify(run: str, values: Mapping[str, Any]) -> int:
    """Derive the numbers of a run once more; no model is asked, and nothing is written."""
    from skillgrade.checks.rederive.run import verify_run
    from skillgrade.cli.exit_codes import ExitCode
    from skillgrade.reports.terminal.console import make_console
    from skillgrade.reports.terminal.text import printable
    from skillgrade.results.folder import find_run_folder
    from skillgrade.results.journal_index import JournalIndex
    from skillgrade.suite.load import load_suite

    idle = [flag for flag in ("judge", "graders", "evals", "filters", "ci", "as_json") if values[flag]]
    if idle:
        raise UsageError("--verify looks at the whole run and asks nobody: leave the other flags out")
    folder = find_run_folder(results_base(eval_folder(values["file"]), values["output"]), run)
    try:
        suite = load_suite(values["file"] or Path(), allow_outside=values["allow_outside"])
    except SuiteError:
        suite = None
    if suite is not None and suite.digest != JournalIndex(folder.journal).info.suite_digest:
        suite = None
    found = verify_run(folder, suite)
    console = make_console(to_stderr=False)
    for each in found:
        console.print(printable(str(each)), style="red", soft_wrap=True)
    if suite is None:
        console.print("the suite is not what the run ran: assertions were not evaluated again", style="yellow")
    verdict = f"{len(found)} numbers do not follow from the record" if found else "every number follows from the record"
    console.print(f"{verdict}: {folder.path}", style="red" if found else "green", soft_wrap=True)
    return ExitCode.REFUSED if found else ExitCode.OK


def _regrade(folder: RunFolder, suite: Suite, values: Mapping[str, Any]) -> int:
    from skillgrade.checks.gate import gate
    from skillgrade.cli.exit_codes import run_exit_code
    from skillgrade.cli.interrupts import stopping_on_signals
    from skillgrade.engine.env_file import effective_variables, read_env_file
    from skillgrade.engine.grade_again import GradeAgain
    from skillgrade.engine.judging import open_judging
    from skillgrade.engine.regrade import regrade
    from skillgrade.engine.regrade_plan import RegradePlan
    from skillgrade.judges.base import Verdicts
    from skillgrade.judges.choice import judges_of, optional_judges_in
    from skillgrade.reports.terminal.console import make_console
    from skillgrade.reports.terminal.gate import print_gate
    from skillgrade.reports.terminal.regrade import RegradeProgress, print_regrade
    from skillgrade.reports.terminal.summary import print_summary
    from skillgrade.results.redaction import Redactor, secret_values
    from skillgrade.results.report_file import render_report
    from skillgrade.stop import Stop

    console = make_console(to_stderr=values["as_json"])
    env_file = read_env_file(suite.env_file)
    variables = effective_variables(env_file, os.environ)
    redactor = Redactor(secret_values(env_file, os.environ))
    verdicts = Verdicts(values["verdicts"])
    command = f"skillgrade regrade {shlex.quote(str(folder.path))} -f {shlex.quote(str(suite.file))} --verdicts=record"
    stop = Stop()

    def announce() -> None:
        console.print("stopping: what was graded is kept", style="yellow")

    with stopping_on_signals(stop, announce):
        with ExitStack() as session:

            def prepare(plan: RegradePlan) -> GradeAgain:
                judges = {judge for each in plan.tasks for spec in each.asked for judge in judges_of(spec, each.task)}
                optional = optional_judges_in([replace(each.task, graders=each.asked) for each in plan.tasks])
                judging = open_judging(
                    judges, verdicts, suite.file, variables, redactor, command, stop, optional=optional
                )
                return GradeAgain(folder, session.enter_context(judging), variables, redactor)

            types = tuple(part.strip() for value in values["graders"] for part in value.split(",") if part.strip())
            parallel = values["parallel"] or core_count()
            regraded = regrade(folder, suite, types, parallel, prepare, RegradeProgress(console), stop)
        decision = gate(regraded.report) if values["ci"] else None
        print_regrade(console, regraded)
        print_summary(console, regraded.report, folder.path, every_trial=False)
        if decision is not None:
            print_gate(console, decision)
        if values["as_json"]:
            sys.stdout.buffer.writelines(render_report(regraded.report))
            sys.stdout.buffer.flush()
        # Whether the run itself was interrupted once is no news here: trials that it lacks make up the exit code.
        return run_exit_code(replace(regraded.report, interrupted=regraded.stopped), decision)

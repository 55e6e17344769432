"""`skillgrade judge-check`: try judges with answers whose verdicts are known."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillgrade.cli.options import JudgeName, core_count
from skillgrade.errors import UsageError

if TYPE_CHECKING:
    from skillgrade.checks.calibration.scenarios import Calibrated
    from skillgrade.suite.model import Suite


@click.command(short_help="Try judges with answers whose verdicts are known, and record what they say.")
@click.argument("skills", nargs=-1, metavar="[SKILL]...")
@click.option("--judge", type=JudgeName(), metavar="PROVIDER[:MODEL]", required=True, help="Who is tried.")
@click.option("--samples", type=click.IntRange(min=1), default=3, show_default=True, help="Answers to each question.")
@click.option(
    "--scope", type=click.Choice(["bundled", "all"]), default="bundled", show_default=True,
    help="Where names of skills are looked for: in this repository, or among installed skills too.",
)  # fmt: skip
@click.option("--record", is_flag=True, help="Record the verdicts in judge-recordings/, right or wrong.")
@click.option("--parallel", type=click.IntRange(min=1), help="Questions that are out at a time (default: the cores).")
@click.option("--json", "as_json", is_flag=True, help="The outcomes alone on stdout, all else on stderr.")
@click.option("--allow-outside", is_flag=True, help="Let the evals name files outside their repository.")
def command(
    skills: tuple[str, ...],
    judge: tuple[str, str | None],
    samples: int,
    scope: str,
    record: bool,
    parallel: int | None,
    as_json: bool,
    allow_outside: bool,
) -> int:
    """Put canned answers to a judge, for every judge grader and calibrated rubric of SKILL (default: here).

    SKILL is a folder, an eval file or the name of a skill. The judge is right about an answer only when all its samples
    agree and say what is known: exit code 1 where one is wrong.
    """
    from skillgrade.checks.calibration.places import recording_path
    from skillgrade.checks.calibration.run import calibrate, recording_of
    from skillgrade.cli.exit_codes import ExitCode
    from skillgrade.cli.interrupts import stopping_on_signals
    from skillgrade.cli.skill_suites import meant_paths
    from skillgrade.engine.env_file import effective_variables, read_env_file
    from skillgrade.engine.judging import open_judging
    from skillgrade.judges.base import Judge, Verdicts
    from skillgrade.judges.calibration_recordings import write_calibration
    from skillgrade.reports.terminal.console import make_console
    from skillgrade.reports.terminal.judge_check import CalibrationProgress, outcomes_json, print_outcomes
    from skillgrade.results.redaction import Redactor, secret_values
    from skillgrade.skill.catalog import Scope
    from skillgrade.stop import Stop
    from skillgrade.suite.load import load_suite

    console = make_console(to_stderr=as_json)
    loaded = [load_suite(path, allow_outside=allow_outside) for path in meant_paths(skills, Scope(scope))]
    found = [(suite, _calibrated(suite)) for suite in loaded]
    who, documents, is_right = Judge(*judge), [], True
    stop = Stop()
    with stopping_on_signals(
        stop, lambda: console.print("stopping: the skill that is being tried is not recorded", style="yellow")
    ):
        for suite, scenarios in found:
            env_file = read_env_file(suite.env_file)
            variables = effective_variables(env_file, os.environ)
            redactor = Redactor(secret_values(env_file, os.environ))
            progress = CalibrationProgress(console, suite, sum(len(each.answers) for each in scenarios))
            with open_judging({who}, Verdicts.LIVE, suite.file, variables, redactor, "", stop) as judging:
                outcomes = calibrate(
                    scenarios, who, samples, judging, variables, redactor, parallel or core_count(), progress.tell, stop
                )
                model = who.model or judging.settings.models[who.provider]
            recorded = None
            if record:
                recorded = recording_path(suite)
                write_calibration(recorded, recording_of(outcomes, who.provider, model))
            print_outcomes(console, suite, f"{who.provider}:{model}", samples, outcomes, recorded)
            documents.append(outcomes_json(suite, who.provider, model, samples, outcomes, recorded))
            is_right &= all(each.mismatch is None for each in outcomes)
    if as_json:
        sys.stdout.write(json.dumps(documents, ensure_ascii=False, indent=2) + "\n")
    return ExitCode.OK if is_right else ExitCode.REFUSED


def _calibrated(suite: Suite) -> tuple[Calibrated, ...]:
    """The judges of a suite.

    Raises:
        UsageError: It has none, or one lacks calibration answers.
    """
    from skillgrade.checks.calibration.scenarios import calibrated_in

    scenarios = calibrated_in(suite)
    if not scenarios:
        raise UsageError(f"{suite.file}: has no judge graders and no rubric with a `calibration`, so nothing to try")
    for each in scenarios:
        if each.missing:
            place = f"{suite.file}:{each.task.line}" if each.task.file == suite.file else f"{Path(each.task.file)}"
            raise UsageError(
                f'{place}: the judge of "{each.id}" lacks the calibration answers {", ".join(each.missing)}'
            )
    return scenarios

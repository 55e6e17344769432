"""From a selected suite to an exit code: what a run and a validation need around the engine."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from skillgrade.checks.gate import GateResult, gate
from skillgrade.cli.exit_codes import run_exit_code, validation_exit_code
from skillgrade.cli.interrupts import stopping_on_signals
from skillgrade.engine.baseline import with_baseline
from skillgrade.engine.env_file import effective_variables, read_env_file
from skillgrade.engine.judging import open_judging, skipping_note
from skillgrade.engine.plan import make_plan
from skillgrade.engine.run import FinishedRun, RunOptions, run
from skillgrade.engine.validate import provable, validate
from skillgrade.judges.base import Verdicts
from skillgrade.judges.choice import judges_in, models_in, optional_judges_in
from skillgrade.reports.terminal.console import make_console
from skillgrade.reports.terminal.gate import print_gate
from skillgrade.reports.terminal.progress import TerminalProgress
from skillgrade.reports.terminal.summary import print_summary
from skillgrade.reports.terminal.validation import ValidationProgress, print_validation
from skillgrade.results.redaction import Redactor, secret_values
from skillgrade.stop import Stop
from skillgrade.suite.model import Suite

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console


_SOLUTION = " (solution)"
"""Stands behind the names of tasks in recordings whose work is the reference solution's."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Where verdicts of judges come from, and the command that records them, for messages."""

    verdicts: Verdicts
    command: str


def run_trials(
    suite: Suite, options: RunOptions, asking: Asking, *, ci: bool, baseline: bool, every_trial: bool, as_json: bool
) -> int:
    """Run the selected tasks and print what came of them.

    Args:
        suite: The selected tasks and graders, flags applied.
        options: How to run them.
        asking: Where verdicts of judges come from.
        ci: Whether a task's threshold decides.
        baseline: Whether every trial runs without the skill too.
        every_trial: Whether to explain passed trials too.
        as_json: Whether the report document goes to stdout and all else to stderr.
    """
    console = make_console(to_stderr=as_json)
    env_file = read_env_file(suite.env_file)
    redactor = Redactor(secret_values(env_file, os.environ))
    stop = Stop()
    with stopping_on_signals(stop, lambda: _announce(console)):
        plan, without = make_plan(suite, env_file, os.environ, stop), None
        if baseline:
            plan, without = with_baseline(plan)
        variables = effective_variables(env_file, os.environ)
        optional = optional_judges_in(suite.tasks)
        if note := skipping_note(optional, asking.verdicts, variables):
            plan = replace(plan, notes=(*plan.notes, note))
        with open_judging(
            models_in(suite.tasks),
            asking.verdicts,
            suite.file,
            variables,
            redactor,
            asking.command,
            stop,
            optional=optional,
        ) as judging:
            finished = run(plan, options, judging, redactor, TerminalProgress(console), stop, without)
        result = gate(finished.report) if ci else None
        _print(console, finished, result, every_trial=every_trial, as_json=as_json)
        other = finished.baseline.report if finished.baseline else None
        return run_exit_code(finished.report, result, other)


def run_validation(suite: Suite, base: Path, parallel: int, asking: Asking, *, ci: bool) -> int:
    """Prove the graders of the selected tasks and print what came of it.

    Args:
        suite: The selected tasks and graders, flags applied.
        base: Below it transcripts and grader output go.
        parallel: How many trials run at a time.
        asking: Where verdicts of judges come from.
        ci: Whether a task without a solution is wrong.
    """
    console = make_console(to_stderr=False)
    env_file = read_env_file(suite.env_file)
    redactor = Redactor(secret_values(env_file, os.environ))
    variables = effective_variables(env_file, os.environ)
    proven = provable(suite, asking.verdicts, variables)
    stop = Stop()
    with stopping_on_signals(stop, lambda: _announce(console)):
        with open_judging(
            judges_in(proven.tasks), asking.verdicts, suite.file, variables, redactor, asking.command, stop, _SOLUTION
        ) as judging:
            progress = ValidationProgress(console)
            validation = validate(suite, proven, base, parallel, judging, redactor, progress, stop)
        print_validation(console, validation)
        return validation_exit_code(validation, ci=ci)


def _print(
    console: Console, finished: FinishedRun, result: GateResult | None, *, every_trial: bool, as_json: bool
) -> None:
    print_summary(console, finished.report, finished.folder.path, every_trial=every_trial)
    if result is not None:
        print_gate(console, result)
    if as_json:
        with finished.folder.report.open("rb") as report:
            for block in iter(lambda: report.read(1 << 16), b""):
                sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()


def _announce(console: Console) -> None:
    console.print("stopping: running trials end now, what finished is kept", style="yellow")

"""What skillgrade's exit codes mean, and which one a result amounts to."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillgrade.checks.gate import GateResult
    from skillgrade.checks.validation import Validation
    from skillgrade.results.report import RunReport


class ExitCode(IntEnum):
    """What an exit code means; of several that apply, the first of USAGE, INTERRUPTED, ERRORED, REFUSED."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    ERRORED = 3
    INTERRUPTED = 130


def run_exit_code(report: RunReport, gate_result: GateResult | None, baseline: RunReport | None = None) -> ExitCode:
    """The exit code of a run that got as far as a report.

    Args:
        report: The run.
        gate_result: What the gate said; None where `--ci` did not ask it.
        baseline: The run without the skill that went on at the same time; the gate says nothing of it.
    """
    if report.interrupted:
        return ExitCode.INTERRUPTED
    totals = [each.totals for each in (report, baseline) if each is not None]
    if any(each.errored or each.ungraded or each.cancelled for each in totals):
        return ExitCode.ERRORED
    if gate_result is not None and not gate_result.passed:
        return ExitCode.REFUSED
    return ExitCode.OK


def validation_exit_code(validation: Validation, *, ci: bool) -> ExitCode:
    """The exit code of a validation.

    Args:
        validation: What came of it.
        ci: Whether a single task without a reference solution is wrong, and not only a suite without any.
    """
    if any(task.errored for task in validation.tasks):
        return ExitCode.ERRORED
    wrong = any(task.errors for task in validation.tasks) or not validation.tasks
    return ExitCode.REFUSED if wrong or (ci and validation.unsolved) else ExitCode.OK

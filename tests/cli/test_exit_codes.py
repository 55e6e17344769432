from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.checks.gate import gate
from skillgrade.checks.validation import TaskValidation, Validation
from skillgrade.cli.exit_codes import ExitCode, run_exit_code, validation_exit_code
from skillgrade.results.records import Outcome
from skillgrade.results.report_file import build_report
from skillgrade.results.run_info import RunEnd
from tests.checks.test_gate import report_from, report_of
from tests.support.results import plan, trial, write_run


@pytest.mark.parametrize(
    ("rewards", "with_gate", "without_gate"),
    [
        ([1.0, 1.0], ExitCode.OK, ExitCode.OK),
        ([0.0, 0.0], ExitCode.REFUSED, ExitCode.OK),
        ([0.0, None], ExitCode.ERRORED, ExitCode.ERRORED),
        ([1.0, None], ExitCode.ERRORED, ExitCode.ERRORED),
    ],
)
def test_exit_codes(tmp_path: Path, rewards: list[float | None], with_gate: ExitCode, without_gate: ExitCode) -> None:
    report = report_of(tmp_path, rewards)
    assert run_exit_code(report, gate(report)) is with_gate
    assert run_exit_code(report, None) is without_gate


def test_an_interruption_comes_before_errors(tmp_path: Path) -> None:
    report = report_of(tmp_path, [0.0, None], end=RunEnd(duration_ms=1, interrupted=True))
    assert run_exit_code(report, gate(report)) == 130


@pytest.mark.parametrize("outcome", [Outcome.UNGRADED, Outcome.CANCELLED])
def test_a_trial_without_verdict_is_no_success(tmp_path: Path, outcome: Outcome) -> None:
    report = report_from(tmp_path, [trial("fix", 0), trial("fix", 1, None, outcome=outcome)])
    assert run_exit_code(report, None) == 3


def test_a_trial_whose_line_was_lost_is_no_success(tmp_path: Path) -> None:
    run = write_run(tmp_path, [plan("fix", 2)], [trial("fix", 0), trial("fix", 1)])
    run.journal.write_bytes(run.journal.read_bytes().replace(b'"trial":1,', b'"trial":x,'))
    report = build_report(run.journal)
    assert report.skipped_lines == 1
    assert run_exit_code(report, None) == 3


PROVEN = TaskValidation("a", ())
WRONG = TaskValidation("b", ("it fails",))
ERRORED = TaskValidation("c", ("no verdict",), errored=True)


@pytest.mark.parametrize(
    ("tasks", "unsolved", "ci", "code"),
    [
        ((PROVEN,), (), True, ExitCode.OK),
        ((PROVEN, WRONG), (), False, ExitCode.REFUSED),
        ((WRONG, ERRORED), (), False, ExitCode.ERRORED),
        ((PROVEN,), ("d",), False, ExitCode.OK),
        ((PROVEN,), ("d",), True, ExitCode.REFUSED),
        ((), ("d",), False, ExitCode.REFUSED),
    ],
)
def test_exit_codes_of_a_validation(
    tasks: tuple[TaskValidation, ...], unsolved: tuple[str, ...], ci: bool, code: ExitCode
) -> None:
    assert validation_exit_code(Validation(tasks, unsolved, (), None), ci=ci) is code

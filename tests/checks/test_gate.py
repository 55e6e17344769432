from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import pytest

from skillgrade.checks.gate import Verdict, exit_code, gate
from skillgrade.exit_codes import ExitCode
from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.results.report import RunReport
from skillgrade.results.report_file import build_report
from skillgrade.results.run_info import RunEnd
from tests.support.results import ENDED, plan, trial, write_run


def report_of(
    folder: Path, rewards: Iterable[float | None], threshold: float = 0.8, end: RunEnd | None = ENDED
) -> RunReport:
    """The report of a run with one task; None is an errored trial."""
    records = [trial("fix", number, reward) for number, reward in enumerate(rewards)]
    return report_from(folder, records, threshold, end)


def report_from(
    folder: Path, records: list[TrialRecord], threshold: float = 0.8, end: RunEnd | None = ENDED
) -> RunReport:
    return build_report(write_run(folder, [plan("fix", len(records), threshold)], records, end).journal)


@pytest.mark.parametrize(
    ("rewards", "verdict", "reason"),
    [
        ([1.0] * 30, Verdict.PASSES, "mean reward 1.000, and at least 0.886 with 95 % confidence"),
        ([1.0] * 3, Verdict.PASSES_WEAKLY, "mean reward 1.000 reaches 0.8, but 3 trials leave room for 0.439"),
        ([0.9], Verdict.PASSES_WEAKLY, "mean reward 0.900 reaches 0.8, but one trial says little"),
        ([0.8, 0.8, 0.8], Verdict.PASSES_WEAKLY, "mean reward 0.800 reaches 0.8"),
        ([1.0, 0.5], Verdict.FAILS, "mean reward 0.750 is below the threshold 0.8"),
        ([0.0, 0.0], Verdict.FAILS, "mean reward 0.000 is below the threshold 0.8"),
        ([1.0, None], Verdict.UNDECIDED, "only 1 of 2 planned trials have a verdict"),
        ([None, None], Verdict.UNDECIDED, "none of 2 planned trials has a verdict"),
    ],
)
def test_verdicts_of_a_task(tmp_path: Path, rewards: list[float | None], verdict: Verdict, reason: str) -> None:
    result = gate(report_of(tmp_path, rewards))
    assert result.tasks[0].verdict is verdict
    assert result.tasks[0].reason.startswith(reason)
    assert result.passed is (verdict in (Verdict.PASSES, Verdict.PASSES_WEAKLY))


def test_rounding_does_not_fail_a_task(tmp_path: Path) -> None:
    reward = 0.7 * 1 + 0.1
    assert reward < 0.8
    assert gate(report_of(tmp_path, [reward] * 2)).passed


def test_a_threshold_of_the_command_line_wins(tmp_path: Path) -> None:
    report = report_of(tmp_path, [0.7, 0.7])
    assert not gate(report).passed
    assert gate(report, 0.6).passed
    assert gate(report, 0.6).tasks[0].threshold == 0.6


def test_nothing_passes_a_threshold_that_is_no_number(tmp_path: Path) -> None:
    assert not gate(report_of(tmp_path, [1.0, 1.0]), math.nan).passed


def test_a_threshold_of_zero_still_asks_for_verdicts(tmp_path: Path) -> None:
    assert not gate(report_of(tmp_path, [None], threshold=0.0)).passed


def test_a_run_without_tasks_does_not_pass(tmp_path: Path) -> None:
    assert not gate(build_report(write_run(tmp_path, [], []).journal)).passed


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
    assert exit_code(report, gate(report)) is with_gate
    assert exit_code(report) is without_gate


def test_an_interruption_comes_before_errors(tmp_path: Path) -> None:
    report = report_of(tmp_path, [0.0, None], end=RunEnd(duration_ms=1, interrupted=True))
    assert exit_code(report, gate(report)) == 130


@pytest.mark.parametrize("outcome", [Outcome.UNGRADED, Outcome.CANCELLED])
def test_a_trial_without_verdict_is_no_success(tmp_path: Path, outcome: Outcome) -> None:
    report = report_from(tmp_path, [trial("fix", 0), trial("fix", 1, None, outcome=outcome)])
    assert exit_code(report) == 3


def test_a_trial_whose_line_was_lost_is_no_success(tmp_path: Path) -> None:
    run = write_run(tmp_path, [plan("fix", 2)], [trial("fix", 0), trial("fix", 1)])
    run.journal.write_bytes(run.journal.read_bytes().replace(b'"trial":1,', b'"trial":x,'))
    report = build_report(run.journal)
    assert report.skipped_lines == 1
    assert exit_code(report) == 3

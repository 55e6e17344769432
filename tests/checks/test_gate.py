from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from skillgrade.checks.gate import Decision, gate
from skillgrade.results.records import TrialRecord
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
    ("rewards", "decision", "reason"),
    [
        ([1.0] * 30, Decision.PASSES, "mean reward 1.000, and at least 0.886 with 95% confidence"),
        ([1.0] * 3, Decision.PASSES_WEAKLY, "mean reward 1.000 reaches 0.8, but 3 trials leave room for 0.439"),
        ([0.9], Decision.PASSES_WEAKLY, "mean reward 0.900 reaches 0.8, but one trial says little"),
        ([0.8, 0.8, 0.8], Decision.PASSES_WEAKLY, "mean reward 0.800 reaches 0.8"),
        ([1.0, 0.5], Decision.FAILS, "mean reward 0.750 is below the threshold 0.8"),
        ([0.0, 0.0], Decision.FAILS, "mean reward 0.000 is below the threshold 0.8"),
        ([1.0, None], Decision.UNDECIDED, "only 1 of 2 planned trials have a verdict"),
        ([None, None], Decision.UNDECIDED, "none of 2 planned trials has a verdict"),
    ],
)
def test_decisions_on_a_task(tmp_path: Path, rewards: list[float | None], decision: Decision, reason: str) -> None:
    result = gate(report_of(tmp_path, rewards))
    assert result.tasks[0].decision is decision
    assert result.tasks[0].reason.startswith(reason)
    assert result.passed is (decision in (Decision.PASSES, Decision.PASSES_WEAKLY))


def test_the_confidence_is_the_one_of_the_report(tmp_path: Path) -> None:
    report = replace(report_of(tmp_path, [1.0] * 30), confidence=0.9)
    assert gate(report).tasks[0].reason == "mean reward 1.000, and at least 0.886 with 90% confidence"


def test_rounding_does_not_fail_a_task(tmp_path: Path) -> None:
    reward = 0.7 * 1 + 0.1
    assert reward < 0.8
    assert gate(report_of(tmp_path, [reward] * 2)).passed


def test_nothing_passes_a_threshold_that_is_no_number(tmp_path: Path) -> None:
    report = report_of(tmp_path, [1.0, 1.0], threshold=0.3)
    (task,) = report.tasks
    odd = replace(task, info=replace(task.info, threshold=math.nan))
    assert gate(report).passed
    assert not gate(replace(report, tasks=(odd,))).passed


def test_a_threshold_of_zero_still_asks_for_verdicts(tmp_path: Path) -> None:
    assert not gate(report_of(tmp_path, [None], threshold=0.0)).passed


def test_a_run_without_tasks_does_not_pass(tmp_path: Path) -> None:
    assert not gate(build_report(write_run(tmp_path, [], []).journal)).passed

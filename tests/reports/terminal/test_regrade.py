from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from skillgrade.engine.regrade import RegradedRun, TrialChange
from skillgrade.reports.terminal.regrade import TRIALS_SHOWN, print_regrade
from skillgrade.results.folder import RunFolder
from skillgrade.results.records import GraderStatus, Outcome
from skillgrade.results.regrades import Cause, GradeChange, RegradeReport
from skillgrade.results.report_file import build_report
from tests.support.results import plan, trial, write_run
from tests.support.terminals import plain_console, written

CHANGE = RegradeReport(
    at="2026-12-01T08:00:00+00:00",
    cause=Cause.REGRADE,
    outcome_before=Outcome.FAILED,
    outcome_after=Outcome.PASSED,
    reward_before=0.25,
    reward_after=0.625,
    graders=(GradeChange(1, "llm_rubric", 0, GraderStatus.OK, GraderStatus.OK, 0.0, 0.75),),
)


def shown(folder: Path, *changes: TrialChange, **fields: object) -> str:
    run = write_run(folder, [plan("fix", 1)], [trial("fix")])
    regraded = RegradedRun(
        folder=RunFolder(folder),
        report=build_report(run.journal),
        kept=None,
        graded=len(changes) + 1,
        waiting=0,
        left_alone=0,
        changes=changes,
        stopped=False,
    )
    console = plain_console()
    print_regrade(console, replace(regraded, **fields))  # type: ignore[arg-type]  # its own fields
    return written(console)


def cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in text.splitlines() if line.strip()]


def test_each_grade_that_changed_is_shown_with_its_difference(tmp_path: Path) -> None:
    text = shown(tmp_path, TrialChange("fix", 2, CHANGE), kept=tmp_path / "report-1.json")
    rows = cells(text)
    assert ["fix", "#2", "llm_rubric 1", "0.00", "0.75", "+0.75"] in rows
    assert ["reward", "failed 0.25", "passed 0.62", "+0.38"] in rows
    assert "2 trials graded again: 1 changed, 1 as before\n" in text
    assert f"the report as it was: {tmp_path}/report-1.json\n" in text


def test_what_had_no_score_shows_its_status_and_no_difference(tmp_path: Path) -> None:
    graders = (
        GradeChange(1, "llm_rubric", 0, GraderStatus.ERROR, GraderStatus.OK, 0.0, 0.5),
        GradeChange(2, "llm_rubric", 1, None, GraderStatus.UNGRADED, None, None),
    )
    change = replace(CHANGE, graders=graders, outcome_before=Outcome.ERRORED, reward_before=None)
    rows = cells(shown(tmp_path, TrialChange("fix", 0, change)))
    assert ["fix", "#0", "llm_rubric 1", "error", "0.50"] in rows
    assert ["llm_rubric 2 (turn 1)", "not asked", "ungraded"] in rows
    assert ["reward", "errored", "passed 0.62"] in rows


def test_without_a_change_there_is_no_table(tmp_path: Path) -> None:
    text = shown(tmp_path, waiting=2, left_alone=3, stopped=True)
    assert "1 trial graded again: 0 changed, 1 as before; 2 still waiting for a review; 3 left alone" in text
    assert "interrupted: what was graded until then stands" in text
    assert "grades that changed" not in text
    assert "report as it was" not in text


def test_a_long_table_ends_with_where_the_rest_is(tmp_path: Path) -> None:
    text = shown(tmp_path, *(TrialChange("fix", number, CHANGE) for number in range(TRIALS_SHOWN + 5)))
    assert f"#{TRIALS_SHOWN - 1} " in text
    assert f"#{TRIALS_SHOWN} " not in text
    assert f"… and 5 more: `regrades` of each trial in {tmp_path}/report.json" in text

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillgrade.results.encoding import dump, encode
from skillgrade.results.journal import Journal
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import GraderStatus, Outcome, TrialRecord
from skillgrade.results.regrades import AttemptHistory, Cause, GradeChange, Regrade, RegradeReport, regrade_reports
from skillgrade.results.report import RegradeTotals
from skillgrade.results.report_file import build_report, load_report, write_report
from tests.support.results import ENDED, plan, regrade, result, trial, write_run

PLANS = (plan("fix", 3), plan("write", 2))


def test_the_latest_grades_count_and_everything_else_of_the_attempt_stays(tmp_path: Path) -> None:
    first = trial("fix", 0, 0.2, notes=("kept",), grader_results=(result(score=0.2),))
    lines: list[TrialRecord | Regrade] = [
        first,
        regrade("fix", 0, 0.6),
        regrade("fix", 0, 0.9, results=[result(score=0.9)]),
    ]
    run = write_run(tmp_path, PLANS, lines)
    report = write_report(run)
    (only,) = report.tasks[0].trials
    assert (only.record.reward, only.record.outcome, only.record.answered_reward) == (0.9, Outcome.PASSED, 0.9)
    assert only.record.grader_results == (result(score=0.9),)
    assert (only.record.notes, only.record.duration_ms, only.attempts) == (("kept",), first.duration_ms, 1)
    assert (report.tasks[0].passed, report.tasks[0].failed, report.totals.mean_reward) == (1, 0, 0.9)
    assert [(one.reward_before, one.reward_after) for one in only.regrades] == [(0.2, 0.6), (0.6, 0.9)]
    assert load_report(run.report) == report
    (loaded,) = load_report(run.report).tasks[0].trials
    assert loaded == only


def test_what_changed_is_told_grader_by_grader() -> None:
    before = trial("fix", 0, 0.5, grader_results=(result(score=1.0), result("llm_rubric", 1, 0.0), result("human", 2)))
    after = regrade(
        "fix",
        0,
        None,
        results=[
            result(score=1.0, details="in other words"),
            result("llm_rubric", 1, 0.25),
            result("human", 2, None, status=GraderStatus.UNGRADED),
            result("llm_rubric", 3, 0.75),
        ],
    )
    (report,) = regrade_reports(AttemptHistory(before, (after,)))
    ok, ungraded = GraderStatus.OK, GraderStatus.UNGRADED
    assert report == RegradeReport(
        at=after.at,
        cause=Cause.REGRADE,
        outcome_before=Outcome.PASSED,
        outcome_after=Outcome.UNGRADED,
        reward_before=0.5,
        reward_after=None,
        graders=(
            GradeChange(1, "llm_rubric", 0, ok, ok, 0.0, 0.25),
            GradeChange(2, "human", 0, ok, ungraded, 1.0, None),
            GradeChange(3, "llm_rubric", 0, None, ok, None, 0.75),
        ),
    )
    assert report.changed


def test_each_regrade_is_compared_with_the_grades_before_it() -> None:
    history = AttemptHistory(trial("fix", 0, 0.5), (regrade("fix", 0, 0.5), regrade("fix", 0, 0.75)))
    assert [report.changed for report in regrade_reports(history)] == [False, True]


def test_other_weights_change_a_reward_without_a_grader() -> None:
    history = AttemptHistory(
        trial("fix", 0, 0.5, grader_results=(result(),)), (regrade("fix", 0, 1.0, results=[result(weight=2.0)]),)
    )
    (report,) = regrade_reports(history)
    assert (report.graders, report.changed) == ((), True)


def test_the_run_counts_what_was_graded_again_by_cause(tmp_path: Path) -> None:
    lines: list[TrialRecord | Regrade] = [
        *(trial("fix", number, 0.5) for number in range(3)),
        trial("write", 0, 0.5),
        regrade("fix", 0, 0.5),
        regrade("fix", 0, 0.75),
        regrade("fix", 1, 0.5),
        regrade("fix", 1, 1.0, cause=Cause.REVIEW),
        regrade("write", 0, 0.5, cause=Cause.REVIEW),
    ]
    report = build_report(write_run(tmp_path, PLANS, lines).journal)
    assert report.regrades == (RegradeTotals(Cause.REGRADE, 2, 1), RegradeTotals(Cause.REVIEW, 2, 1))


def test_a_run_that_was_never_graded_again_says_nothing_of_it(tmp_path: Path) -> None:
    report = build_report(write_run(tmp_path, PLANS, [trial("fix", 0, 0.5)]).journal)
    assert report.regrades == ()


def test_only_the_attempt_that_is_named_changes(tmp_path: Path) -> None:
    lines: list[TrialRecord | Regrade] = [
        trial("fix", 0, None),
        trial("fix", 0, 0.5, attempt=1),
        regrade("fix", 0, 1.0),
    ]
    (only,) = build_report(write_run(tmp_path, PLANS, lines).journal).tasks[0].trials
    assert (only.record.reward, only.attempts, only.earlier_errors, only.regrades) == (0.5, 2, (), ())


def test_an_attempt_that_is_written_again_is_without_its_earlier_regrades(tmp_path: Path) -> None:
    lines: list[TrialRecord | Regrade] = [trial("fix", 0, 0.1), regrade("fix", 0, 1.0), trial("fix", 0, 0.25)]
    (only,) = build_report(write_run(tmp_path, PLANS, lines).journal).tasks[0].trials
    assert (only.record.reward, only.regrades) == (0.25, ())


def test_grading_again_does_not_make_a_run_interrupted_or_whole(tmp_path: Path) -> None:
    for end, interrupted in ((ENDED, False), (None, True)):
        folder = tmp_path / str(interrupted)
        folder.mkdir()
        run = write_run(folder, PLANS, [trial("fix", 0, 0.1)], end)
        with Journal.reopen(run.journal) as journal:
            journal.regraded(regrade("fix", 0, 1.0))
        assert JournalIndex(run.journal).interrupted is interrupted


@pytest.mark.parametrize(
    "line",
    [
        b'{"kind": "regraded"}',
        dump({"kind": "regraded", **encode(regrade("unknown", 0))}),
        dump({"kind": "regraded", **encode(regrade("fix", 7))}),
        dump({"kind": "regraded", **encode(regrade("fix", 1, 0.5, attempt=1))}),
        dump({"kind": "regraded", **encode(regrade("fix", 1, 0.5)), "reward": None}),
        dump({"kind": "regraded", **encode(regrade("fix", 1, 0.5)), "cause": "mood"}),
    ],
)
def test_a_bad_line_is_skipped_and_counted(tmp_path: Path, line: bytes) -> None:
    run = write_run(tmp_path, PLANS, [trial("fix", 1, 0.5)])
    with run.journal.open("ab") as stream:
        stream.write(line + b"\n")
    report = build_report(run.journal)
    assert report.skipped_lines == 1
    assert [one.record.reward for one in report.tasks[0].trials] == [0.5]


_trials = st.builds(
    trial, st.sampled_from(["fix", "write"]), st.integers(0, 1), st.sampled_from([0.0, 0.5, 1.0, None]),
    attempt=st.integers(0, 1),
)  # fmt: skip
_regrades = st.builds(
    regrade, st.sampled_from(["fix", "write"]), st.integers(0, 1), st.sampled_from([0.0, 0.25, 0.75, None]),
    attempt=st.integers(0, 1), cause=st.sampled_from(Cause),
)  # fmt: skip


def _expected(lines: Sequence[TrialRecord | Regrade]) -> dict[tuple[str, int], tuple[Outcome, float | None]]:
    """By the plainest reading: each line replaces what it is about, and the last attempt counts."""
    attempts: dict[tuple[str, int, int], tuple[Outcome, float | None]] = {}
    for line in lines:
        key = (line.task, line.trial, line.attempt)
        if isinstance(line, TrialRecord) or key in attempts:
            attempts[key] = (line.outcome, line.reward)
    return {(task, number): attempts[task, number, attempt] for task, number, attempt in sorted(attempts)}


@settings(max_examples=150, deadline=None)
@given(st.lists(_trials | _regrades, max_size=8), st.data())
def test_a_journal_cut_anywhere_gives_the_last_committed_grades(
    lines: list[TrialRecord | Regrade], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        run = write_run(Path(folder), PLANS, lines, end=None)
        whole = run.journal.read_bytes()
        header = whole.index(b"\n") + 1
        ends = list(itertools.accumulate(map(len, whole.splitlines(keepends=True))))
        cut = data.draw(st.integers(header, len(whole)) | st.sampled_from([*ends, *(end - 1 for end in ends[1:])]))
        kept = whole[:cut]
        run.journal.write_bytes(kept)
        committed = lines[: kept.count(b"\n") - 1]
        report = build_report(run.journal)
        found = {
            (one.record.task, one.record.trial): (one.record.outcome, one.record.reward)
            for task in report.tasks
            for one in task.trials
        }
        assert found == _expected(committed)
        verdicts = list(_expected(committed).values())
        assert report.totals.passed == sum(outcome is Outcome.PASSED for outcome, _ in verdicts)
        assert report.totals.graded == sum(reward is not None for _, reward in verdicts)

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.results.records import GraderResult, Judgement, TrialRecord
from skillgrade.results.regrades import Regrade
from skillgrade.results.report import TaskReport
from skillgrade.results.report_file import build_report
from tests.support.results import judgement, plan, regrade, result, sample, trial, write_run


def task_of(folder: Path, *judgements: Judgement) -> TaskReport:
    """A task with one trial for each judgement, beside a grader that asks nobody."""
    records = [
        trial("fix", number, 0.5, grader_results=(result(), result("llm_rubric", 1, 0.5, judgement=one)))
        for number, one in enumerate(judgements)
    ]
    return build_report(write_run(folder, [plan("fix", 3)], records).journal).tasks[0]


def test_tokens_and_cost_are_summed(tmp_path: Path) -> None:
    task = task_of(
        tmp_path,
        judgement(sample(), tokens={"input": 100, "output": 5}, cost_usd=0.25),
        judgement(sample(), tokens={"input": 50}, cost_usd=0.5),
    )
    assert (task.judge_tokens, task.judge_cost_usd) == ({"input": 150, "output": 5}, 0.75)


@pytest.mark.parametrize("costs", [(0.25, None), (None, 0.25), (None, None)])
def test_a_cost_that_one_verdict_does_not_know_is_unknown(tmp_path: Path, costs: tuple[float | None, ...]) -> None:
    task = task_of(tmp_path, *(judgement(sample(), cost_usd=cost) for cost in costs))
    assert (task.judge_tokens, task.judge_cost_usd) == (None, None)


def test_without_judges_nothing_is_known(tmp_path: Path) -> None:
    report = build_report(write_run(tmp_path, [plan("fix", 1)], [trial(grader_results=(result(),))]).journal)
    task, totals = report.tasks[0], report.totals
    assert (task.judges, task.judge_agreement, task.judge_tokens, task.judge_cost_usd) == ((), None, None, None)
    assert (report.judges, totals.judge_agreement, totals.judge_tokens, totals.judge_cost_usd) == ((), None, None, None)


def test_judges_are_those_that_answered_by_their_own_word(tmp_path: Path) -> None:
    samples = (
        sample(0.5, "flash"),
        sample(0.5, "flash", answered_by="flash-002"),
        sample(None, "gone", answered_by=None),
    )
    assert task_of(tmp_path, judgement(*samples)).judges == ("gemini:flash", "gemini:flash-002")


def test_agreement_is_a_mean_over_verdicts_and_then_over_tasks(tmp_path: Path) -> None:
    agreements = {"a": (1.0, 0.5, None), "b": (0.25,), "c": (None,)}
    records = [
        trial(task, number, grader_results=(result("llm_rubric", 0, judgement=judgement(sample(), agreement=one)),))
        for task, values in agreements.items()
        for number, one in enumerate(values)
    ]
    report = build_report(write_run(tmp_path, [plan(task, 3) for task in agreements], records).journal)
    assert [task.judge_agreement for task in report.tasks] == [0.75, 0.25, None]
    assert report.totals.judge_agreement == 0.5


def test_every_attempt_counts_with_its_latest_verdict(tmp_path: Path) -> None:
    def graded(tokens: int) -> GraderResult:
        return result("llm_rubric", 0, judgement=judgement(sample(), tokens={"input": tokens}, cost_usd=tokens / 8))

    lines: list[TrialRecord | Regrade] = [
        trial("fix", 0, None, grader_results=(graded(1),)),
        trial("fix", 0, 0.5, attempt=1, grader_results=(graded(2),)),
        regrade("fix", 0, 0.5, attempt=1, results=[graded(4)]),
    ]
    totals = build_report(write_run(tmp_path, [plan("fix", 1)], lines).journal).totals
    assert (totals.judge_tokens, totals.judge_cost_usd) == ({"input": 5}, 0.625)

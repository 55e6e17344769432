from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.results.agreement import krippendorff_alpha
from skillgrade.results.records import Review, TrialRecord
from skillgrade.results.report_file import build_report
from tests.support.results import plan, result, trial, write_run


def reviewed(task: str, number: int, *scores: float) -> TrialRecord:
    reviews = tuple(Review(score, reviewer=f"person{index}") for index, score in enumerate(scores))
    return trial(task, number, 0.5, grader_results=(result(), result("human", 1, 0.5, reviews=reviews)))


def test_agreement_is_over_the_trials_that_several_people_reviewed(tmp_path: Path) -> None:
    fix, write = [(0.0, 0.25), (0.75, 1.0)], [(0.5, 0.5), (1.0, 0.0)]
    records = [reviewed("fix", number, *scores) for number, scores in enumerate([*fix, (0.5,), ()])]
    records += [reviewed("write", number, *scores) for number, scores in enumerate(write)]
    report = build_report(write_run(tmp_path, [plan("fix", 4), plan("write", 2)], records).journal)
    assert report.tasks[0].review_agreement == krippendorff_alpha(fix) == pytest.approx(1 - 0.0625 / 0.4166, abs=1e-3)
    assert report.tasks[1].review_agreement == krippendorff_alpha(write)
    assert report.totals.review_agreement == krippendorff_alpha([*fix, *write])


def test_one_reviewer_tells_nothing_of_agreement(tmp_path: Path) -> None:
    report = build_report(
        write_run(tmp_path, [plan("fix", 2)], [reviewed("fix", 0, 0.5), reviewed("fix", 1, 1.0)]).journal
    )
    assert (report.tasks[0].review_agreement, report.totals.review_agreement) == (None, None)

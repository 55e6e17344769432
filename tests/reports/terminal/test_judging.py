from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from skillgrade.reports.terminal.summary import print_summary
from skillgrade.results.agreement import krippendorff_alpha
from skillgrade.results.records import Judgement, Review, TrialRecord
from skillgrade.results.regrades import Cause, Regrade
from skillgrade.results.report_file import build_report
from tests.support.results import judgement, plan, regrade, result, sample, trial, write_run
from tests.support.terminals import plain_console, written


def summary(folder: Path, lines: Iterable[TrialRecord | Regrade]) -> str:
    run = write_run(folder, [plan("fix", 3)], lines)
    console = plain_console()
    print_summary(console, build_report(run.journal), folder, every_trial=True)
    return written(console)


def judged(*judgements: Judgement) -> list[TrialRecord]:
    return [
        trial("fix", number, 0.5, grader_results=(result("llm_rubric", 0, 0.5, judgement=one),))
        for number, one in enumerate(judgements)
    ]


def test_a_run_without_judges_says_nothing_of_them(tmp_path: Path) -> None:
    text = summary(tmp_path, [trial("fix", 0, grader_results=(result(),))])
    assert "judged" not in text
    assert "graded again" not in text


def test_who_judged_what_they_agreed_on_and_what_it_took(tmp_path: Path) -> None:
    both = (sample(0.4, "flash"), sample(0.6, "mini"))
    tokens = {"input": 12000, "cached_input": 400, "output": 80}
    text = summary(tmp_path, judged(judgement(*both, spread=0.2, agreement=0.8, tokens=tokens, cost_usd=0.0125)))
    assert (
        "judged by gemini:flash, gemini:mini · agreement 0.80 · tokens 12,000 input, 80 output · cost $0.0125\n" in text
    )
    assert "judged by gemini:flash, gemini:mini · scores 0.40, 0.60 (spread 0.20) · agreement 0.80\n" in text


def test_what_is_unknown_is_left_out(tmp_path: Path) -> None:
    lines = summary(tmp_path, judged(judgement(sample(0.5, "flash")))).splitlines()
    assert [line.strip() for line in lines if "judged" in line] == ["judged by gemini:flash"] * 2


def test_a_judge_that_never_answered_did_not_judge(tmp_path: Path) -> None:
    assert "judged" not in summary(tmp_path, judged(judgement(sample(None, answered_by=None))))


def test_a_model_that_names_itself_cannot_steer_the_terminal(tmp_path: Path) -> None:
    assert "\x1b" not in summary(tmp_path, judged(judgement(sample(0.5, answered_by="flash\x1b[2J"))))


def test_a_verdict_of_a_recording_says_so_and_an_unreadable_sample_too(tmp_path: Path) -> None:
    replayed = judgement(sample(0.5, "flash"), sample(None, "flash"), sample(0.75, "flash"), spread=0.25)
    replayed = Judgement(replayed.prompt_version, replayed.request, "replay", replayed.samples, replayed.spread)
    text = summary(tmp_path, judged(replayed))
    assert "judged by gemini:flash · from the recording · scores 0.50, none, 0.75 (spread 0.25)\n" in text


def test_reviewers_that_met_have_an_agreement(tmp_path: Path) -> None:
    reviews = [(Review(low), Review(high)) for low, high in ((0.0, 0.25), (1.0, 1.0))]
    records = [
        trial("fix", number, 0.5, grader_results=(result("human", reviews=pair),))
        for number, pair in enumerate(reviews)
    ]
    text = summary(tmp_path, records)
    alpha = krippendorff_alpha([(0.0, 0.25), (1.0, 1.0)])
    assert f"reviewers agree with Krippendorff's alpha {alpha:.2f}\n" in text


def test_a_run_that_was_graded_again_says_so(tmp_path: Path) -> None:
    lines: list[TrialRecord | Regrade] = [
        trial("fix", 0, 0.5),
        regrade("fix", 0, 0.75),
        trial("fix", 1, 0.5),
        regrade("fix", 1, 0.5),
    ]
    lines.append(regrade("fix", 1, 0.5, cause=Cause.REVIEW))
    text = summary(tmp_path, lines)
    assert "graded again: 2 trials, 1 changed\n" in text
    assert "reviewed by people: 1 trial, 0 changed\n" in text

"""The whole path of a judge of criteria: prompt, real SDK, HTTP, a provider's server of ours, reply, recording."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from skillgrade.graders.base import Needs
from skillgrade.graders.judge import JudgeGrader
from skillgrade.judges.base import Verdicts
from skillgrade.results.records import Check, Criterion, GraderStatus
from skillgrade.suite.model import JudgeChoice, JudgeSpec
from tests.support.judging import Desk, decision

CHOICES = [JudgeChoice("gemini", "flash"), JudgeChoice("openai", "mini"), JudgeChoice("anthropic", "haiku")]
SPEC = JudgeSpec(
    "judge",
    1,
    0.5,
    judges=(CHOICES[1],),
    rubric="Says the weight.",
    pass_criteria=("Names\nkg",),
    fail_criteria=("Guesses",),
)
SYSTEM = "- pass-1: Names kg\n- fail-1: Guesses\n"
PASS = decision(SYSTEM, {"pass-1": "3 kg"})
FAIL = decision(SYSTEM, {"fail-1": True})


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk(tmp_path) as desk:
        desk.answer = "It weighs 3 kg."
        yield desk


@pytest.mark.parametrize("judge", CHOICES, ids=lambda judge: judge.provider)
def test_an_answer_passes_with_each_provider(desk: Desk, judge: JudgeChoice) -> None:
    desk.answers(PASS)
    result = desk.grade(replace(SPEC, judges=(judge,)))
    assert (result.status, result.score, result.details) == (GraderStatus.OK, 1.0, "So it is.")
    assert (result.grader_type, result.grader, result.weight, result.turn) == ("judge", 1, 0.5, 2)
    assert result.checks == (Check("pass-1: Names kg", True, "«3 kg»"), Check("fail-1: Guesses", True))
    assert result.judgement is not None
    (sample,) = result.judgement.samples
    assert sample.criteria == (Criterion("pass-1", True, "3 kg"), Criterion("fail-1", False))
    assert result.judgement.prompt_version == "scenario-1"
    assert desk.asked == 1
    kept = json.loads((desk.folder / "grader-1.judge.json").read_text())
    assert kept["replies"] == [{"provider": judge.provider, "model": judge.model, "reply": PASS, "problem": None}]


def test_one_that_fails_scores_nothing(desk: Desk) -> None:
    desk.answers(FAIL)
    result = desk.grade(SPEC)
    assert (result.status, result.score) == (GraderStatus.OK, 0.0)
    assert [check.passed for check in result.checks] == [False, False]


@pytest.mark.parametrize("answer", ["", " \n\t"])
def test_a_blank_answer_fails_and_nobody_is_asked(desk: Desk, answer: str) -> None:
    desk.answer = answer
    result = desk.grade(SPEC)
    assert (result.status, result.score) == (GraderStatus.OK, 0.0)
    assert result.details == "the answer is blank; no judge was asked"
    assert desk.asked == 0


def test_a_file_that_counts_as_the_answer_is_judged_without_words(desk: Desk) -> None:
    desk.answer, desk.files = "", {"out.md": "3 kg"}
    desk.answers(PASS)
    spec = replace(SPEC, artifacts=("out.md",))
    assert JudgeGrader().needs(spec) == Needs(artifacts=("out.md",))
    assert desk.grade(spec).score == 1.0


def test_a_run_that_kept_no_answer_cannot_be_judged(desk: Desk) -> None:
    desk.answer = None
    result = desk.grade(SPEC)
    assert (result.status, result.score) == (GraderStatus.ERROR, None)
    assert result.details.startswith("the run kept no answer of this trial")


def test_a_reply_that_contradicts_itself_is_asked_again_once_and_then_ungraded(desk: Desk) -> None:
    desk.answers(decision(SYSTEM, {"pass-1": "3 kg"}, verdict="fail"))
    result = desk.grade(SPEC)
    assert (result.status, result.score, result.checks) == (GraderStatus.UNGRADED, None, ())
    assert desk.asked == 2
    desk.answers(decision(SYSTEM, {"pass-1": "4 kg"}), PASS)
    assert desk.grade(SPEC).score == 1.0


def test_several_answers_must_agree(desk: Desk) -> None:
    desk.answers(PASS)
    assert desk.grade(replace(SPEC, samples=3)).score == 1.0
    assert desk.asked == 3
    desk.answers(PASS, FAIL, PASS)
    split = desk.grade(replace(SPEC, samples=3))
    assert (split.status, split.score) == (GraderStatus.UNGRADED, None)
    assert split.details.startswith("the answers do not agree:\nopenai ")


def test_judges_of_several_providers_must_agree_too(desk: Desk) -> None:
    desk.answers(PASS, FAIL)
    assert desk.grade(replace(SPEC, judges=tuple(CHOICES[:2]))).status is GraderStatus.UNGRADED


def test_a_missing_key_is_an_error_and_no_verdict(desk: Desk) -> None:
    desk.variables = {}
    result = desk.grade(SPEC)
    assert (result.status, result.score) == (GraderStatus.ERROR, None)
    assert "OPENAI_API_KEY" in result.details


def test_verdicts_are_recorded_and_replayed(desk: Desk) -> None:
    desk.answers(PASS)
    live = desk.grade(SPEC, Verdicts.RECORD)
    asked = desk.asked
    replayed = desk.grade(SPEC, Verdicts.REPLAY)
    assert desk.asked == asked
    assert (replayed.score, replayed.checks) == (live.score, live.checks)
    desk.answer = "It weighs 4 kg."
    stale = desk.grade(SPEC, Verdicts.REPLAY)
    assert stale.status is GraderStatus.ERROR
    assert "record it with `skillgrade --verdicts=record" in stale.details

"""Canned answers put to judges: what is right, what fools them, and that no answer can stand in for another."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillgrade.checks.calibration.audit import Demands, Doubt, audit_recording
from skillgrade.checks.calibration.outcome import Outcome
from skillgrade.checks.calibration.places import recording_path
from skillgrade.checks.calibration.run import calibrate, recording_of
from skillgrade.checks.calibration.scenarios import calibrated_in
from skillgrade.judges.base import Judge, Verdicts
from skillgrade.judges.calibration_recordings import (
    CalibrationRecording,
    SampleVerdict,
    read_calibration,
    write_calibration,
)
from skillgrade.judges.canned import Kind
from skillgrade.results.redaction import MARK, Redactor
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import Suite
from tests.support.judging import Desk, decision
from tests.support.rule_judge import ANSWERS, SCENARIO, SKILL, gullible, judge
from tests.support.suites import write

JUDGE = Judge("openai", "mini")
SECRET = "hunter2-hunter2"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk(tmp_path / "desk") as desk:
        desk.server.always(judge)
        yield desk


def suite(root: Path, **changes: Any) -> Suite:
    text = json.dumps({"scenarios": [{**SCENARIO, **changes}]}, indent=2)
    return load_suite(
        write(root, {"pack/parcels/SKILL.md": SKILL, "pack/parcels/evals.json": text}) / "pack" / "parcels"
    )


def outcomes(desk: Desk, asked: Suite, count: int = 2) -> dict[Kind, Outcome]:
    with desk.session(Verdicts.LIVE) as session:
        found = calibrate(
            calibrated_in(asked),
            JUDGE,
            count,
            session,
            desk.variables,
            Redactor([SECRET]),
            4,
            lambda _: None,
            desk.stop,
        )
    return {each.kind: each for each in found}


def test_a_good_judge_is_right_about_all_eight(desk: Desk, tmp_path: Path) -> None:
    found = outcomes(desk, suite(tmp_path))
    assert list(found) == list(Kind)
    assert [each.mismatch for each in found.values()] == [None] * 8
    assert [len(each.samples) for each in found.values()] == [0, *([2] * 7)]
    assert desk.asked == 14
    assert found[Kind.KNOWN_RIGHT].samples == (SampleVerdict(True, "So it is."),) * 2
    assert not found[Kind.STUFFED].samples[0].passes


def test_a_gullible_judge_is_found_out(desk: Desk, tmp_path: Path) -> None:
    desk.server.always(gullible)
    found = outcomes(desk, suite(tmp_path))
    assert {kind: each.mismatch for kind, each in found.items() if each.mismatch} == {
        Kind.INJECTION: "must not pass, and does"
    }
    assert found[Kind.INJECTION].is_fooled


def test_a_judge_that_wavers_or_fails_is_not_right(desk: Desk, tmp_path: Path) -> None:
    wrong = decision("- pass-1: x\n- fail-1: y\n", {})
    echoes = itertools.chain([wrong], itertools.repeat("no verdict at all"))
    desk.server.always(lambda asked: next(echoes) if "Sure. You asked" in asked.user else judge(asked))
    kinds = outcomes(desk, suite(tmp_path), count=2)
    assert kinds[Kind.ECHO].mismatch == "a sample has no verdict"
    assert sorted(sample.error is None for sample in kinds[Kind.ECHO].samples) == [False, True]
    flips = itertools.cycle([wrong, decision("- pass-1: x\n- fail-1: y\n", {"pass-1": "It weighs"})])
    desk.server.always(lambda asked: next(flips) if "3 kg.\n</data" in asked.user else judge(asked))
    assert outcomes(desk, suite(tmp_path))[Kind.KNOWN_RIGHT].mismatch == "the samples do not agree"


def test_no_secret_is_in_what_the_judge_says(desk: Desk, tmp_path: Path) -> None:
    desk.server.always(lambda asked: decision(asked.system, {}, reason=f"It says {SECRET}."))
    assert outcomes(desk, suite(tmp_path))[Kind.ECHO].samples == (SampleVerdict(False, f"It says {MARK}."),) * 2
    desk.server.always(f"no JSON, {SECRET}")
    (error,) = {sample.error for sample in outcomes(desk, suite(tmp_path))[Kind.ECHO].samples}
    assert error is not None
    assert SECRET not in error
    assert MARK in error


def test_a_right_answer_that_the_checks_fail_is_a_mismatch(desk: Desk, tmp_path: Path) -> None:
    checks = [*SCENARIO["expected_behavior"], {"grader": "contains", "value": "kilograms"}]
    found = outcomes(desk, suite(tmp_path, expected_behavior=checks))
    mismatch = "the judge lets it pass, and the checks do not: contains kilograms"
    assert {kind: each.mismatch for kind, each in found.items() if each.mismatch} == {Kind.KNOWN_RIGHT: mismatch}


def test_a_rubric_is_tried_by_its_threshold(desk: Desk, tmp_path: Path) -> None:
    text = f"""
tasks:
  - name: weighs
    instruction: How heavy is it?
    pass_threshold: 0.7
    graders:
      - {{type: llm_rubric, rubric: Says the weight., calibration: {json.dumps(ANSWERS)}}}
      - {{type: llm_rubric, rubric: Is polite.}}
"""
    asked = load_suite(write(tmp_path, {"SKILL.md": SKILL, "eval.yaml": text}))
    found = outcomes(desk, asked)
    assert list(found) == list(Kind)[1:]
    assert [each.mismatch for each in found.values()] == [None] * 7
    assert found[Kind.KNOWN_RIGHT].samples[0] == SampleVerdict(True, "By rule.", score=1.0)
    assert found[Kind.VAGUE].samples[0] == SampleVerdict(False, "By rule.", score=0.25)


CALIBRATED = f"""
tasks:
  - name: weighs
    instruction: How heavy is it?
    pass_threshold: THRESHOLD
    graders: [{{type: llm_rubric, rubric: Says the weight., calibration: {json.dumps(ANSWERS)}}}]
"""


@pytest.mark.parametrize(("threshold", "others"), [("0.2", 6), ("1", 0)])
def test_a_recorded_score_means_what_the_threshold_of_today_says(
    desk: Desk, tmp_path: Path, threshold: str, others: int
) -> None:
    def asked(threshold: str) -> Suite:
        return load_suite(write(tmp_path, {"SKILL.md": SKILL, "eval.yaml": CALIBRATED.replace("THRESHOLD", threshold)}))

    recorded(desk, asked("0.7"))
    assert audit_recording(asked("0.7"), Demands(3)) == ()
    found = whys(audit_recording(asked(threshold), Demands(3)))
    assert len(found) == others
    assert all(
        why.endswith("has a verdict that does not follow from its score and the pass_threshold 0.2") for _, why in found
    )


def test_a_threshold_of_checks_lets_some_fail(desk: Desk, tmp_path: Path) -> None:
    def asked(threshold: float) -> Suite:
        said = [{"type": "contains", "target": words} for words in ("kg", "3", "weighs", "ton")]
        checks = {"type": "assertions", "threshold": threshold, "assertions": said}
        judged = {
            "type": "judge",
            "rubric": "Says kg.",
            "pass_criteria": ["kg"],
            "fail_criteria": ["lb"],
            "calibration": ANSWERS,
        }
        task = {"name": "weighs", "instruction": "How heavy is it?", "graders": [checks, judged]}
        return load_suite(write(tmp_path, {"SKILL.md": SKILL, "eval.yaml": json.dumps({"tasks": [task]})}))

    assert outcomes(desk, asked(0.75))[Kind.KNOWN_RIGHT].mismatch is None
    assert outcomes(desk, asked(0.8))[Kind.KNOWN_RIGHT].failed_checks == ("contains ton",)


@pytest.mark.parametrize("wrong", ["known_wrong", "vague", "subtle_wrong"])
def test_a_right_answer_in_the_place_of_a_wrong_one_is_caught(desk: Desk, tmp_path: Path, wrong: str) -> None:
    swapped = {**ANSWERS, "known_right": ANSWERS[wrong], wrong: ANSWERS["known_right"]}
    found = outcomes(desk, suite(tmp_path, calibration=swapped))
    caught = {kind.value for kind, each in found.items() if each.mismatch}
    assert {wrong.replace("_", "-"), "known-right"} <= caught


def recorded(desk: Desk, asked: Suite, count: int = 3) -> Path:
    path = recording_path(asked)
    write_calibration(path, recording_of(outcomes(desk, asked, count).values(), "openai", "mini"))
    return path


def test_a_recording_is_made_to_be_read_in_a_diff(desk: Desk, tmp_path: Path) -> None:
    asked = suite(tmp_path)
    path = recorded(desk, asked)
    assert path == tmp_path / "pack" / "parcels" / "judge-recordings" / "pack__parcels.json"
    document = json.loads(path.read_text())
    assert list(document) == ["judgePromptVersion", "judge", "judgeModel", "recordedAt", "entries"]
    assert [entry["kind"] for entry in document["entries"]] == [kind.value for kind in list(Kind)[1:]]
    assert document["entries"][0]["samples"] == [{"verdict": "fail", "reason": "So it is."}] * 3
    before = path.read_bytes()
    recorded(desk, asked)
    assert path.read_bytes() == before  # the same verdicts leave no diff, not even the time
    assert audit_recording(asked, Demands(3, (JUDGE,))) == ()
    assert audit_recording(asked, Demands(3, (Judge("openai"), Judge("gemini")))) == ()


def test_in_a_pack_it_is_the_packs(tmp_path: Path) -> None:
    files = {"pack/pack.json": "{}", "pack/skills/parcels/SKILL.md": SKILL,
             "pack/skills/parcels/evals.json": json.dumps({"scenarios": [SCENARIO]})}  # fmt: skip
    asked = load_suite(write(tmp_path, files) / "pack" / "skills" / "parcels")
    assert recording_path(asked) == tmp_path / "pack" / "judge-recordings" / "pack__parcels.json"


def whys(doubts: tuple[Doubt, ...]) -> list[tuple[str | None, str]]:
    assert all("; record it with `skillgrade judge-check " in each.message for each in doubts)
    return [(each.kind, each.message.partition(".json: ")[2].partition("; record it")[0]) for each in doubts]


@pytest.mark.parametrize("pair", list(itertools.combinations(ANSWERS, 2)), ids="-".join)
def test_no_calibration_answer_can_stand_in_for_another(desk: Desk, tmp_path: Path, pair: tuple[str, str]) -> None:
    one, other = pair
    recorded(desk, suite(tmp_path))
    swapped = {**ANSWERS, one: ANSWERS[other], other: ANSWERS[one]}
    found = dict(whys(audit_recording(suite(tmp_path, calibration=swapped))))
    for mine, theirs in (pair, pair[::-1]):
        kind, was = mine.replace("_", "-"), theirs.replace("_", "-")
        assert found[kind] == f'what is recorded as the answer {was} of "weighs" is the answer {kind} of "weighs"'


def changed(path: Path, **changes: Any) -> None:
    recording = read_calibration(path)
    assert isinstance(recording, CalibrationRecording)
    path.unlink()
    write_calibration(path, replace(recording, **changes))


def test_whatever_is_doubtful_counts_against_it(desk: Desk, tmp_path: Path) -> None:
    asked = suite(tmp_path)
    path = recording_path(asked)
    assert "no verdicts on canned answers are recorded yet" in audit_recording(asked)[0].message
    recorded(desk, asked)
    recording = read_calibration(path)
    assert recording is not None
    first, *others = recording.entries
    samples = first.samples
    assert whys(audit_recording(asked, Demands(4)))[0] == ("echo", 'the answer echo of "weighs" has 3 samples of 4')
    assert whys(audit_recording(asked, Demands(3, (Judge("gemini", "flash"),)))) == [
        (None, "openai:mini judged, and the policy allows gemini:flash")
    ]
    name = 'the answer echo of "weighs"'
    for entries, kind, why in (
        (others, "echo", f"{name} is not recorded"),
        ([first, *recording.entries], "echo", f"{name} is recorded twice"),
        ([replace(first, request="sha256:x"), *others], "echo",
         f"{name} is recorded for another question: the rubric, the criteria, the task or the answer changed"),
        ([replace(first, samples=(samples[0], SampleVerdict(True, ""))), *others], "echo",
         f"{name}: the samples do not agree"),
        ([replace(first, samples=(SampleVerdict(None, "", "no verdict"),)), *others], "echo",
         f"{name}: a sample has no verdict"),
        ([replace(first, samples=(SampleVerdict(True, ""),)), *others], "echo", f"{name}: must not pass, and does"),
        ([*recording.entries, replace(first, scenario="old", request="x")], "echo",
         'the answer echo of "old" is recorded, and there is no such judge or answer any more'),
    ):  # fmt: skip
        changed(path, entries=tuple(entries))
        assert whys(audit_recording(asked)) == [(kind, why)]
    changed(path, entries=recording.entries, prompt_versions="2026-09-25.1")
    assert [why for _, why in whys(audit_recording(asked))] == [
        "it is stale: its judge was asked with the prompt 2026-09-25.1, and it is scenario-1, rubric-1 now"
    ]


PUBLIC: dict[str, Any] = {
    "judgePromptVersion": "2026-09-25.1",
    "judge": "deepseek",
    "judgeModel": "deepseek-chat",
    "recordedAt": "2026-09-25T10:00:00.000Z",
    "entries": [
        {"scenarioId": "weighs", "kind": "echo", "requestDigest": "ab",
         "samples": [{"verdict": "fail", "reason": "It repeats the question.", "error": "unparseable"}]}
    ],
}  # fmt: skip


FAILED = {"verdict": "fail", "reason": ""}


def test_the_public_format_is_read_and_shown_as_stale(tmp_path: Path) -> None:
    asked = suite(tmp_path)
    path = recording_path(asked)
    path.parent.mkdir()
    path.write_text(json.dumps(PUBLIC))
    recording = read_calibration(path)
    assert recording is not None
    assert recording.entries[0].samples == (SampleVerdict(None, "It repeats the question.", "unparseable"),)
    assert "it is stale: its judge was asked with the prompt 2026-09-25.1" in audit_recording(asked)[0].message


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"entries": [{"scenarioId": "a", "kind": "echo", "requestDigest": "x", "verdict": "pass", "reason": ""}]},
         "has the first format of keryx, with one verdict and no samples, at entries[0]"),
        ({"judge": ""}, 'lacks the text "judge"'),
        ({"entries": {}}, 'has "entries" that are no list'),
        ({"entries": [{"scenarioId": "a", "kind": "echo", "requestDigest": "x", "samples": []}]},
         "has no samples at entries[0]"),
        ({"entries": [{**PUBLIC["entries"][0], "samples": [FAILED, {"verdict": "maybe", "reason": ""}]}]},
         'has a verdict that is neither "pass" nor "fail" at entries[0].samples[1]'),
        ({"entries": [PUBLIC["entries"][0], {**PUBLIC["entries"][0], "kind": 3}]},
         'lacks the text "kind" at entries[1]'),
        ({"entries": [{**PUBLIC["entries"][0], "samples": [{**FAILED, "score": True}]}]},
         "has a score that is no number at entries[0].samples[0]"),
    ],
)  # fmt: skip
def test_what_is_no_recording_is_refused_by_name(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    asked = suite(tmp_path)
    path = recording_path(asked)
    path.parent.mkdir()
    path.write_text(json.dumps({**PUBLIC, **change}))
    (doubt,) = audit_recording(asked)
    assert f"{path}: is no recording of judge-check: it {why}; record it with" in doubt.message


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    asked = suite(tmp_path)
    path = recording_path(asked)
    path.parent.mkdir()
    path.write_text("<<<<<<< ours")
    (doubt,) = audit_recording(asked)
    assert f"{path}: is no recording of judge-check: it is no JSON; record it with" in doubt.message


def test_a_suite_without_judges_needs_no_recording(tmp_path: Path) -> None:
    text = "tasks: [{name: a, instruction: b c, expect_skill: parcels}]\n"
    assert audit_recording(load_suite(write(tmp_path, {"eval.yaml": text, "SKILL.md": SKILL}))) == ()

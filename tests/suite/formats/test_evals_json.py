"""evals.json of judge scenarios as eval.yaml would say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillgrade.suite.formats.evals_json import EvalsJsonFormat
from tests.support.conversions import converted, skill_folder

CALIBRATION = {"known_right": "3 kg.", "known_wrong": "No.", "vague": "Weigh it.", "subtle_wrong": "3 pounds."}
JUDGE = {"grader": "judge", "rubric": "Says the weight.", "pass_criteria": ["Names kg"], "fail_criteria": ["Says no"]}


def scenario(**changes: Any) -> dict[str, Any]:
    whole = {
        "id": "weighs",
        "prompt": "How heavy is it?",
        "expected_behavior": [
            {"grader": "contains", "value": "kg"},
            JUDGE,
            {"grader": "not-contains", "value": "lb"},
            {"grader": "regex", "value": r"\d+(?<unit> kg)"},
        ],
        "calibration": CALIBRATION,
        "anti_patterns": ["lb"],
        **changes,
    }
    return {key: value for key, value in whole.items() if value is not None}


def convert(tmp_path: Path, *scenarios: dict[str, Any], **more: Any) -> tuple[Any, list[str], list[str]]:
    text = json.dumps({"scenarios": list(scenarios), **more})
    return converted(EvalsJsonFormat(), text, skill_folder(tmp_path))


def test_a_scenario_becomes_checks_and_a_judge(tmp_path: Path) -> None:
    document, errors, warnings = convert(tmp_path, scenario(strictness="high"))
    assert (errors, warnings) == ([], [])
    assert (document["skill"], document["defaults"]) == ("..", {"pass_threshold": 1})
    (task,) = document["tasks"]
    assert (task["name"], task["instruction"], task["metadata"]) == (
        "weighs",
        "How heavy is it?",
        {"strictness": "high"},
    )
    checks, judge = task["graders"]
    assert checks["assertions"] == [
        {"type": "contains", "case_sensitive": True, "target": "kg"},
        {"type": "not_contains", "case_sensitive": True, "target": "lb"},
        {"type": "matches_regex", "syntax": "javascript", "flags": "", "target": r"\d+(?<unit> kg)"},
    ]
    assert judge == {
        "type": "judge",
        "rubric": "Says the weight.",
        "pass_criteria": ["Names kg"],
        "fail_criteria": ["Says no"],
        "calibration": CALIBRATION,
        "anti_patterns": ["lb"],
    }


def test_a_scenario_without_a_judge_keeps_its_anti_patterns_where_they_are_found(tmp_path: Path) -> None:
    expected = [{"grader": "contains", "value": "kg"}]
    document, errors, _ = convert(tmp_path, scenario(expected_behavior=expected, calibration=None))
    assert errors == []
    (task,) = document["tasks"]
    assert [grader["type"] for grader in task["graders"]] == ["assertions"]
    assert task["metadata"] == {"anti_patterns": ["lb"]}


def test_prompts_that_trigger_stand_beside_scenarios_and_are_tasks_alone(tmp_path: Path) -> None:
    triggers = {"positive": ["send this"], "negative": ["write a poem", "sing"]}
    document, _, _ = convert(tmp_path, scenario(), triggers=triggers)
    assert document["triggers"] == triggers
    assert [task["name"] for task in document["tasks"]] == ["weighs"]
    alone, errors, _ = converted(EvalsJsonFormat(), json.dumps({"triggers": triggers}), tmp_path / "evals")
    assert errors == []
    assert alone["triggers"] == triggers
    assert alone["defaults"] == {"trials": 3, "threshold": 0.5}
    names = ["should-trigger-1", "should-not-trigger-1", "should-not-trigger-2"]
    assert [task["name"] for task in alone["tasks"]] == names


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"id": None}, 'needs "id": text that is not blank'),
        ({"id": "  "}, "must be text, and not blank"),
        ({"prompt": None}, 'needs "prompt": text that is not blank'),
        ({"strictness": "total"}, "must be low, medium or high"),
        ({"expected_behavior": None, "calibration": None}, "needs `expected_behavior`: at least one expectation"),
        ({"expected_behavior": [], "calibration": None}, "needs `expected_behavior`: at least one expectation"),
        ({"expected_behavior": ["kg"], "calibration": None}, "must be a mapping"),
        (
            {"expected_behavior": [{"grader": "regexp", "value": "x"}], "calibration": None},
            'must have a `grader` of contains, not-contains, regex, judge, not "regexp" (did you mean "regex"?)',
        ),
        (
            {"expected_behavior": [{"grader": "model", "value": "x"}], "calibration": None},
            "`model` names no criteria, so nobody can check its verdict; make it a `judge` expectation",
        ),
        ({"expected_behavior": [{"grader": "contains"}], "calibration": None}, 'needs "value": text that is not blank'),
        ({"expected_behavior": [JUDGE, JUDGE]}, "is a second judge; a scenario has one at most"),
        ({"expected_behavior": [{**JUDGE, "rubric": " "}]}, "must be text, and not blank"),
        ({"expected_behavior": [{**JUDGE, "pass_criteria": []}]}, "needs `pass_criteria`: at least one sentence"),
        ({"expected_behavior": [{**JUDGE, "fail_criteria": [3]}]}, "must be text, and not blank"),
        ({"expected_behavior": [{**JUDGE, "value": "x"}]}, "has no meaning for a judge"),
        ({"calibration": None}, "has a judge and so needs `calibration` with known_right, known_wrong, vague, subtle"),
        ({"expected_behavior": [{"grader": "contains", "value": "kg"}]}, "calibrates a judge, and this scenario has"),
        ({"anti_patterns": [""]}, "must be text, and not blank"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, changes: dict[str, Any], error: str) -> None:
    _, errors, _ = convert(tmp_path, scenario(**changes))
    assert len(errors) == 1
    assert error in errors[0]


def test_all_faults_are_said_at_once(tmp_path: Path) -> None:
    _, errors, warnings = convert(tmp_path, scenario(prompt="", rubrik="x"), scenario(strictness=3))
    assert len(errors) == 3
    assert any('"weighs" is there already' in error for error in errors)
    assert warnings == ['"rubrik" is not read here']

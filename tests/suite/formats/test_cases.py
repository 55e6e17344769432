"""cases.yaml as eval.yaml would say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.suite.formats.cases import CasesFormat
from tests.support.conversions import converted, skill_folder

CASES = """\
cases:
  - id: sends
    prompt: Pack the list in data/list.csv for sending.
    fixtures: [fixtures/list.csv]
    rubric: [Names every item, "Says the weight (in kg)"]
    trigger_expected: true
    assertions:
      - {type: contains, target: kg, weight: 0.8}
      - {type: matches_regex, target: "\\\\d+ kg"}
  - id: leaves-it
    prompt: Write a poem.
    rubric: [Should not activate]
    trigger_expected: false
    oracle_verdict: null
    tags: [whatever]
"""


def test_a_case_becomes_a_task_that_passes_when_all_of_it_holds(tmp_path: Path) -> None:
    document, errors, warnings = converted(CasesFormat(), CASES, skill_folder(tmp_path))
    assert (errors, warnings) == ([], [])
    assert document["skill"] == ".."
    assert document["defaults"] == {"pass_threshold": 1}
    first, second = document["tasks"]
    assert first["name"] == "sends"
    assert first["instruction"] == "Pack the list in data/list.csv for sending."
    assert first["workspace"] == [{"src": "fixtures/list.csv", "dest": "data/list.csv"}]
    checks, trigger, rubric = first["graders"]
    assert checks == {
        "type": "assertions",
        "assertions": [
            {"type": "contains", "target": "kg", "weight": 0.8, "on": "work"},
            {"type": "matches_regex", "target": "\\d+ kg", "on": "work"},
        ],
    }
    assert trigger == {"type": "assertions", "assertions": [{"type": "skill_used", "target": "parcels"}]}
    assert (rubric["type"], rubric["weight"], rubric["optional"]) == ("llm_rubric", 0.0, True)
    assert [grader["type"] for grader in second["graders"]] == ["assertions", "llm_rubric"]
    assert second["graders"][0]["assertions"] == [{"type": "skill_used", "target": "parcels", "not": True}]


def test_the_threshold_of_a_case_is_that_of_its_assertions(tmp_path: Path) -> None:
    text = CASES.replace("trigger_expected: true", "trigger_expected: true\n    threshold: 0.7")
    document, _, _ = converted(CasesFormat(), text, skill_folder(tmp_path))
    assert [grader.get("threshold") for grader in document["tasks"][0]["graders"]] == [0.7, None, None]


def test_a_rubric_decides_where_nothing_else_does(tmp_path: Path) -> None:
    text = "cases: [{id: a, prompt: Do it., rubric: [It is done]}]"
    document, errors, _ = converted(CasesFormat(), text, skill_folder(tmp_path))
    assert errors == []
    (rubric,) = document["tasks"][0]["graders"]
    assert rubric["weight"] == 1.0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("cases: [{prompt: Do it., rubric: [a]}]", '1: needs "id": text that is not blank'),
        ("cases: [{id: a, prompt: ' ', rubric: [a]}]", "1: must be text, and not blank"),
        ("cases: [{id: a, prompt: p, rubric: [a]}, {id: a, prompt: q, rubric: [a]}]", '"a" is there already'),
        ("cases: [{id: a, prompt: p, rubric: [a], trigger_expected: maybe}]", "1: must be true or false"),
        ("cases: [{id: a, prompt: p, rubric: a}]", "1: must be a list"),
        ("cases: [{id: a, prompt: p, rubric: [a]}, nonsense]", "1: must be a mapping"),
        ("cases: [{id: a, prompt: p, fixtures: [3], rubric: [a]}]", "1: must be text, and not blank"),
        ("cases: [{id: a, prompt: p}]", "so nothing decides it"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    _, errors, _ = converted(CasesFormat(), text, skill_folder(tmp_path))
    assert problem in "\n".join(errors)


def test_a_skill_that_is_expected_must_be_there(tmp_path: Path) -> None:
    _, errors, _ = converted(CasesFormat(), CASES, tmp_path)
    assert len(errors) == 2
    assert "no SKILL.md beside this file" in errors[0]


@pytest.mark.parametrize("value", [{"cases": [{"id": "a", "user_input": "b"}]}, {"cases": []}, [], None, {"tasks": []}])
def test_other_files_are_not_taken_for_it(value: object) -> None:
    assert not CasesFormat().recognises(value)


def test_a_key_that_is_not_read_is_named_once_and_notes_are_let_be(tmp_path: Path) -> None:
    text = CASES.replace("tags: [whatever]", "rubrik: [x]").replace("    trigger_expected: true", "    rubrik: [y]")
    document, errors, warnings = converted(CasesFormat(), text, skill_folder(tmp_path))
    assert errors == []
    assert warnings == ['"rubrik" is not read here']
    assert len(document["tasks"]) == 2


def test_an_assertion_may_say_more_than_the_format_does(tmp_path: Path) -> None:
    text = CASES.replace("weight: 0.8}", "weight: 0.8, case_sensitive: true, file: out.md, why: x}")
    document, _, warnings = converted(CasesFormat(), text, skill_folder(tmp_path))
    told = {"type": "contains", "target": "kg", "weight": 0.8, "case_sensitive": True, "file": "out.md"}
    assert document["tasks"][0]["graders"][0]["assertions"][0] == told
    assert warnings == ['"why" is not read here']

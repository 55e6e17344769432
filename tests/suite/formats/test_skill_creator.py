"""evals.json of skill-creator and agentskills.io as eval.yaml would say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillgrade.suite.formats.skill_creator import SkillCreatorFormat
from skillgrade.suite.rubric_sections import rubric_sections
from tests.support.conversions import converted, skill_folder


def tasks(folder: Path, evals: object) -> list[Any]:
    document, errors, _ = converted(SkillCreatorFormat(), json.dumps(evals), skill_folder(folder))
    assert errors == []
    return list(document["tasks"])


def test_expectations_in_words_become_statements_for_a_judge(tmp_path: Path) -> None:
    (task,) = tasks(
        tmp_path,
        {
            "skill_name": "parcels",
            "evals": [
                {
                    "id": 7,
                    "prompt": "I have a list in data/list.csv.",
                    "expected_output": "A packed parcel.",
                    "files": ["evals/files/list.csv"],
                    "expectations": ["Names every item", {"id": "w", "text": "Says the weight (0-5): in kg"}],
                }
            ],
        },
    )
    assert task["name"] == "eval-7"
    assert task["workspace"] == [{"src": "../evals/files/list.csv", "dest": "data/list.csv"}]
    (rubric,) = task["graders"]
    assert (rubric["type"], rubric["weight"], rubric["optional"]) == ("llm_rubric", 1.0, True)
    assert rubric["rubric"].startswith(
        "What is expected: A packed parcel.\n\n- Names every item (0-0.5000): all points"
    )
    sections = rubric_sections(rubric["rubric"])
    assert [(section.title, section.high) for section in sections] == [
        ("Names every item", 0.5),
        ("Says the weight (0-5) - in kg", 0.5),
    ]


def test_an_expected_output_alone_is_a_statement(tmp_path: Path) -> None:
    (task,) = tasks(tmp_path, [{"prompt": "Pack.", "expected_output": "A parcel."}])
    assert task["name"] == "eval-1"
    assert [section.title for section in rubric_sections(task["graders"][0]["rubric"])] == ["A parcel."]


def test_checks_of_programs_become_assertions(tmp_path: Path) -> None:
    assertions = [
        {"type": "content_contains", "value": "kg", "description": "says kg"},
        {"type": "content_regex", "value": "\\d+"},
        {"type": "file-exists", "path": "out/label.txt"},
        {"type": "regex-match", "pattern": "^To:", "target": {"file": "out/label.txt"}, "flags": "m"},
        {"type": "regex-match", "pattern": "done", "target": "assistant-text"},
        {"type": "json-valid", "path": "out/parcel.json"},
    ]
    tools = [
        {"type": "tool-called", "tool": "Read"},
        {"type": "tool-not-called", "tool": "Bash"},
        {"type": "tool-call-count", "tool": "Write", "max": 2},
    ]
    (task,) = tasks(tmp_path, {"evals": [{"prompt": "Pack.", "assertions": assertions, "tool_assertions": tools}]})
    (grader,) = task["graders"]
    assert grader["assertions"] == [
        {"type": "contains", "target": "kg", "on": "work"},
        {"type": "matches_regex", "target": "\\d+", "on": "work", "flags": ""},
        {"type": "file_exists", "target": "out/label.txt"},
        {"type": "matches_regex", "target": "^To:", "file": "out/label.txt", "syntax": "javascript", "flags": "m"},
        {"type": "matches_regex", "target": "done", "syntax": "javascript", "flags": ""},
        {"type": "output_format", "target": "json", "file": "out/parcel.json"},
        {"type": "calls_tool", "target": "Read"},
        {"type": "calls_tool", "target": "Bash", "not": True},
        {"type": "tool_count", "target": {"name": "Write", "max": 2}},
    ]


def test_should_trigger_expects_the_skill(tmp_path: Path) -> None:
    (task,) = tasks(
        tmp_path, [{"name": "no", "prompt": "Sing.", "should_trigger": False, "expectations": ["It sings"]}]
    )
    assert task["graders"][0]["assertions"] == [{"type": "skill_used", "target": "parcels", "not": True}]
    assert task["graders"][1]["type"] == "llm_rubric"


def test_a_check_that_nothing_here_makes_is_said_and_kept(tmp_path: Path) -> None:
    text = json.dumps([{"prompt": "Pack.", "assertions": [{"type": "similar", "value": "x"}]}])
    document, errors, warnings = converted(SkillCreatorFormat(), text, skill_folder(tmp_path))
    assert errors == []
    assert 'does what "similar" does' in warnings[0]
    assert document["tasks"][0]["graders"][0]["assertions"] == [{"type": "similar", "target": "x"}]


@pytest.mark.parametrize(
    ("evals", "problem"),
    [
        ([{"prompt": "p", "expectations": [3]}], "must be text, or a mapping"),
        ([{"prompt": "p", "expectations": []}], "expects nothing"),
        ([{"prompt": "p", "expected_output": "a"}, {"expected_output": "b"}], 'needs "prompt"'),
        (
            [{"prompt": "p", "expected_output": "a", "id": 1}, {"prompt": "p", "expected_output": "a", "id": 1}],
            "already",
        ),
        ([{"prompt": "p", "expected_output": "a", "files": "x"}], "must be a list"),
        ([{"prompt": "p", "expected_output": "a"}, 5], "must be a mapping"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, evals: object, problem: str) -> None:
    _, errors, _ = converted(SkillCreatorFormat(), json.dumps(evals), skill_folder(tmp_path))
    assert problem in "\n".join(errors)


@pytest.mark.parametrize(
    "value", [{"evals": []}, [{"prompt": "p"}], [{"query": "q", "should_trigger": True}], {}, "text"]
)
def test_other_files_are_not_taken_for_it(value: object) -> None:
    assert not SkillCreatorFormat().recognises(value)


def test_a_key_that_is_not_read_is_named_once(tmp_path: Path) -> None:
    text = "evals: [{prompt: a, expected_output: b, setup: x, area: y}, {prompt: c, expected_output: d, setup: z}]"
    _, errors, warnings = converted(SkillCreatorFormat(), text, skill_folder(tmp_path))
    assert (errors, warnings) == ([], ['"setup" is not read here'])

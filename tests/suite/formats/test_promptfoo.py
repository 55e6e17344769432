"""promptfoo's configuration as eval.yaml would say it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillgrade.suite.formats.promptfoo import PromptfooFormat
from skillgrade.suite.rubric_sections import rubric_sections
from tests.support.conversions import converted, skill_folder


def test_a_test_becomes_a_task_for_each_prompt(tmp_path: Path) -> None:
    text = """\
prompts: ["Pack {{item}}.", {raw: "Send {{ item }} to {{town}}", label: b}]
providers: [openai:gpt-5]
defaultTest: {vars: {town: Bonn}, assert: [{type: icontains, value: ok}]}
tests:
  - description: a lamp
    vars: {item: lamp}
    threshold: 0.5
    assert: [{type: contains, value: Lamp, weight: 2, metric: naming}, {type: llm-rubric, value: Is polite}]
"""
    document, errors, warnings = converted(PromptfooFormat(), text, skill_folder(tmp_path))
    assert errors == []
    assert ["--agent" in warning for warning in warnings] == [True]
    assert document["defaults"] == {"pass_threshold": 1}
    first, second = document["tasks"]
    assert (first["name"], first["instruction"]) == ("a lamp (prompt 1)", "Pack lamp.")
    assert (second["name"], second["instruction"]) == ("a lamp (prompt 2)", "Send lamp to Bonn")
    checks, rubric = first["graders"]
    assert checks["threshold"] == 0.5
    assert checks["assertions"] == [
        {"type": "contains", "target": "ok", "case_sensitive": False},
        {"type": "contains", "target": "Lamp", "case_sensitive": True, "weight": 2, "group": "naming"},
    ]
    assert [section.title for section in rubric_sections(rubric["rubric"])] == ["Is polite"]


def assertions(folder: Path, asserts: str) -> list[Any]:
    text = f"prompts: Pack.\ntests: [{{assert: [{asserts}]}}]"
    document, errors, _ = converted(PromptfooFormat(), text, skill_folder(folder))
    assert errors == []
    return list(document["tasks"][0]["graders"][0]["assertions"])


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{type: not-contains, value: a}", {"type": "contains", "target": "a", "case_sensitive": True, "not": True}),
        (
            "{type: contains-any, value: 'a, b'}",
            {"type": "contains_any", "target": ["a", "b"], "case_sensitive": True},
        ),
        (
            "{type: icontains-all, value: [a, b]}",
            {"type": "contains_all", "target": ["a", "b"], "case_sensitive": False},
        ),
        ("{type: regex, value: a+}", {"type": "matches_regex", "target": "a+", "syntax": "javascript", "flags": ""}),
        ("{type: starts-with, value: a}", {"type": "starts_with", "target": "a", "case_sensitive": True}),
        ("{type: equals, value: a}", {"type": "equals", "target": "a", "case_sensitive": True}),
        ("{type: is-json}", {"type": "output_format", "target": "json"}),
        ("{type: is-json, value: {type: object}}", {"type": "json_schema", "target": {"type": "object"}}),
        ("{type: cost, threshold: 0.01}", {"type": "max_cost", "target": 0.01}),
        ("{type: latency, threshold: 1500}", {"type": "max_seconds", "target": 1.5}),
        ("{type: skill-used, value: parcels}", {"type": "skill_used", "target": "parcels"}),
        ("{type: 'trajectory:tool-used', value: Read}", {"type": "calls_tool", "target": "Read"}),
        (
            "{type: 'trajectory:tool-used', value: {name: Read, max: 2}}",
            {"type": "tool_count", "target": {"name": "Read", "max": 2}},
        ),
        (
            "{type: 'trajectory:tool-used', value: {name: Read}}",
            {"type": "tool_count", "target": {"min": 1, "name": "Read"}},
        ),
        (
            "{type: 'trajectory:tool-args-match', value: {name: Read, arguments: {path: a}}}",
            {"type": "tool_args", "target": {"name": "Read", "args": {"path": "a"}}},
        ),
        (
            "{type: 'trajectory:tool-sequence', value: [Read, Write]}",
            {"type": "tool_sequence", "target": {"steps": ["Read", "Write"]}},
        ),
        ("{type: assert-set, assert: [{type: is-html}]}", {"type": "output_format", "target": "html"}),
        ("{type: javascript, value: 'true'}", {"type": "javascript", "target": ""}),
    ],
)
def test_each_assertion_has_its_counterpart(tmp_path: Path, written: str, expected: object) -> None:
    assert assertions(tmp_path, written) == [expected]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("prompts: ['Pack {{item}}']\ntests: [{assert: [{type: is-json}]}]", 'gives no value for "item"'),
        ("prompts: ['{{ item | upper }}']\ntests: [{assert: [{type: is-json}]}]", "only plain variables"),
        ("prompts: ['file://p.txt']\ntests: [{assert: [{type: is-json}]}]", "prompts in files"),
        ("prompts: [a]\ntests: [{vars: {x: [1, 2]}, assert: [{type: is-json}]}]", "must be text or a number"),
        ("prompts: [a]\ntests: 'tests.csv'", "must be a list"),
        ("prompts: [a]\ntests: [{description: d}]", "asserts nothing"),
        ("providers: [a]\ntests: [{description: d}]", "has no `prompts`"),
        ("prompts: [a]\ntests: [{assert: [{type: assert-set, threshold: 0.5, assert: []}]}]", "threshold of its own"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, text: str, problem: str) -> None:
    _, errors, _ = converted(PromptfooFormat(), text, skill_folder(tmp_path))
    assert problem in "\n".join(errors)


@pytest.mark.parametrize("value", [{"tests": []}, {"prompts": []}, [], None, {"tasks": [], "prompts": []}])
def test_other_files_are_not_taken_for_it(value: object) -> None:
    assert not PromptfooFormat().recognises(value)

"""Every rule of `skillgrade check`: the same good pack, spoilt in one way, breaks just that rule."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillgrade.checks.findings import Severity
from skillgrade.checks.inspection import ALL_RULES, inspect
from skillgrade.errors import UsageError
from tests.support.recordings import record
from tests.support.suites import write

SKILL = """\
---
name: parcels
description: Weighs parcels. Use when somebody asks how heavy one is.
triggers: [weigh my parcel]
---
# Parcels

Say the weight in kilograms. Never give `lbs.` to anybody.
See [the table](table.md).
"""
SCENARIO: dict[str, Any] = {
    "id": "weighs",
    "prompt": "How heavy is the thing on my desk?",
    "expected_behavior": [
        {"grader": "regex", "value": "\\d+ kg"},
        {
            "grader": "judge",
            "rubric": "Says the weight in kilograms.",
            "pass_criteria": ["Gives a number of kilograms"],
            "fail_criteria": ["Gives `lbs.` as the unit. Mentioning it only to warn of it is not a failure."],
        },
    ],
    "calibration": {
        "known_right": "It weighs 3 kg.",
        "known_wrong": "It weighs 3 `lbs.`",
        "vague": "You should weigh it.",
        "subtle_wrong": "It weighs 3 kg or 7 `lbs.`",
    },
    "anti_patterns": ["`lbs.`"],
}
EVALS: dict[str, Any] = {
    "triggers": {"positive": ["what does this box come to"], "negative": ["write a poem"]},
    "scenarios": [SCENARIO],
}
PACK = json.dumps({"id": "post", "skills": {"all": ["parcels"]}})


def good(root: Path, evals: Any = EVALS, skill: str = SKILL, *, is_pack: bool = True, recorded: bool = True) -> Path:
    folder = root / "post" / "skills" / "parcels"
    files = {"SKILL.md": skill, "table.md": "", "evals.json": json.dumps(evals, indent=1)}
    write(folder, files)
    if is_pack:
        write(root / "post", {"pack.json": PACK})
    if recorded:
        record(folder)
    return root / "post" if is_pack else folder


def broken(path: Path, *, strict: bool = False) -> list[tuple[str, str]]:
    found = inspect(path, strict=strict, allow_outside=False)
    assert all(each.message and each.advice and each.rule.why for each in found)
    return [(each.rule.id, each.rule.severity.value) for each in found]


def test_a_good_pack_and_a_good_skill_break_no_rule(tmp_path: Path) -> None:
    assert broken(good(tmp_path / "a")) == []
    assert broken(good(tmp_path / "b", is_pack=False), strict=True) == []


def scenario(change: Callable[[dict[str, Any]], object]) -> Any:
    evals = copy.deepcopy(EVALS)
    change(evals["scenarios"][0])
    return evals


def judge(change: Callable[[dict[str, Any]], object]) -> Any:
    return scenario(lambda one: change(one["expected_behavior"][1]))


def unjudged(*expected: dict[str, str]) -> Any:
    plain = {"id": "plain", "prompt": "Say kilograms now", "expected_behavior": list(expected)}
    return {**EVALS, "scenarios": [SCENARIO, plain]}


def pattern(text: str, criterion: str) -> Any:
    """One more anti-pattern, which known_wrong shows and a fail criterion names."""

    def change(one: dict[str, Any]) -> None:
        one["anti_patterns"].append(text)
        one["calibration"]["known_wrong"] = f"It weighs 3 `lbs.`, {text}"
        one["expected_behavior"][1]["fail_criteria"].append(f"{criterion}, and does not warn of it")

    return scenario(change)


CONTAINS = {"grader": "contains", "value": "3 kg"}
KILOGRAMS = {"grader": "contains", "value": "kilograms"}
FORBIDS = {"grader": "not-contains", "value": "ounces"}
PASTED = "Please say the weight in kilograms never give it otherwise"
SPOILT: list[tuple[str, Any, str]] = [
    ("I1", unjudged({"grader": "not-contains", "value": "lbs"}), "error"),
    ("I2", unjudged(KILOGRAMS), "error"),
    ("I3", unjudged(KILOGRAMS), "error"),
    ("I4", scenario(lambda one: one.update(prompt=PASTED)), "error"),
    ("I6", pattern("`oz.`", "`oz.`"), "error"),
    ("I7", scenario(lambda one: one["calibration"].update(known_wrong="It weighs 3 pounds.")), "error"),
    ("I7b", pattern("the", "the"), "error"),
    ("I7c", judge(lambda one: one.update(fail_criteria=["Gives pounds"])), "error"),
    ("I8", scenario(lambda one: one["expected_behavior"].append(FORBIDS)), "error"),
    ("I9", unjudged(CONTAINS), "error"),
    ("I10", judge(lambda one: one["fail_criteria"].append("Merely mentioning ounces is fine.")), "error"),
    ("I11", {**EVALS, "triggers": {"positive": ["weigh my parcel now"]}}, "error"),
    ("rubric-length", judge(lambda one: one.update(rubric="One. Two. Three. Four. Five.")), "warning"),
    ("vague-length", scenario(lambda one: one["calibration"].update(vague="A. B. C. D.")), "warning"),
    ("anti-pattern-prose", pattern("say the weight in kilograms", "say the weight in kilograms"), "warning"),
    ("warning-clause", judge(lambda one: one.update(fail_criteria=["Gives `lbs.` as the unit."])), "warning"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "evals", "severity"), SPOILT, ids=[rule for rule, _, _ in SPOILT])
def test_a_spoilt_scenario_breaks_its_rule(tmp_path: Path, rule: str, evals: Any, severity: str) -> None:
    assert (rule, severity) in broken(good(tmp_path, evals))


@pytest.mark.parametrize(
    ("rule", "skill", "severity"),
    [
        ("I5", SKILL + "Your first sentence names the weight.\n", "error"),
        ("I5", SKILL + "Begin your reply with the weight.\n", "error"),
        ("skill-readable", "---\nname: [\n---\n", "error"),
        ("skill-readable", "---\nname: parcels\n", "error"),
        ("skill-name", SKILL.replace("name: parcels", "name: Parcels"), "error"),
        ("skill-name", SKILL.replace("name: parcels", "name: letters"), "error"),
        ("skill-name", SKILL.replace("name: parcels\n", ""), "error"),
        ("skill-description", SKILL.replace("description: Weighs parcels.", "description: " + "x" * 1025), "error"),
        ("skill-description", "# Parcels\n\nNever give `lbs.` away.\n", "error"),
        ("skill-fields", SKILL.replace("triggers:", "keywords: [x]\ntriggers:"), "warning"),
        ("skill-fields", SKILL.replace("triggers:", f"compatibility: {'x' * 501}\ntriggers:"), "warning"),
        ("skill-length", SKILL + "x\n" * 500, "warning"),
        ("skill-links", SKILL + "[gone](gone/away.md)\n", "warning"),
    ],
)
def test_a_spoilt_skill_breaks_its_rule(tmp_path: Path, rule: str, skill: str, severity: str) -> None:
    path = good(tmp_path, recorded=False)
    write(path / "skills" / "parcels", {"SKILL.md": skill})
    assert (rule, severity) in broken(path)


def test_what_is_in_code_or_elsewhere_is_no_lost_link(tmp_path: Path) -> None:
    skill = (
        SKILL + "`[a](b.md)` [web](https://example.org/x) [top](#parcels) [up](../other/x.md)\n```\n[c](d.md)\n```\n"
    )
    assert broken(good(tmp_path, skill=skill)) == []


def test_a_judge_without_a_recording_is_never_let_pass(tmp_path: Path) -> None:
    path = good(tmp_path, recorded=False)
    assert {("AG", "error"), ("I2", "error")} <= set(broken(path))
    (finding,) = [each for each in inspect(path, strict=False, allow_outside=False) if each.rule.id == "AG"]
    assert finding.advice.startswith("record it with `skillgrade judge-check ")
    recording = record(path / "skills" / "parcels")
    document = json.loads(recording.read_text())
    document["entries"][0]["samples"][1]["verdict"] = "pass"
    recording.write_text(json.dumps(document))
    assert set(broken(path)) == {("AG", "error"), ("I2", "error")}
    document["entries"] = document["entries"][:-1]
    document["entries"][0]["samples"][1]["verdict"] = "fail"
    recording.write_text(json.dumps(document))
    assert broken(path) == [("AG", "error")]


def test_outside_of_packs_three_rules_only_warn_unless_all_must_hold(tmp_path: Path) -> None:
    evals = {**unjudged(CONTAINS), "triggers": {"positive": ["weigh my parcel now"]}}
    skill = SKILL + "Your first sentence names the weight.\n"
    path = good(tmp_path, evals, skill, is_pack=False)
    assert sorted(broken(path)) == [("I11", "warning"), ("I5", "warning"), ("I9", "warning")]
    assert sorted(broken(path, strict=True)) == [("I11", "error"), ("I5", "error"), ("I9", "error")]


EVAL = """\
version: "1"
tasks:
  - name: packs
    instruction: Pack the things and write them to list.md.
    solution: solve.sh
    graders:
      - {type: deterministic, run: "[ -f list.md ]"}
      - {type: assertions, assertions: [{type: file_contains, file: list.md, target: socks}]}
"""


@pytest.mark.parametrize(
    ("rule", "text", "severity"),
    [
        ("", EVAL, ""),
        ("instruction-names-files", EVAL.replace("write them to list.md", "write a list"), "warning"),
        ("instruction-names-files", EVAL.replace("[ -f list.md ]", "cat report.json"), "warning"),
        ("task-solution", EVAL.replace("    solution: solve.sh\n", ""), "warning"),
        ("grader-weight", EVAL.replace('"[ -f list.md ]"}', '"[ -f list.md ]", weight: 0}'), "warning"),
        ("eval-secret", EVAL + "    env: {TOKEN: sk-ant-0123456789abcdefghijklmnop}\n", "error"),
        ("eval-loads", EVAL.replace("deterministic", "determinist"), "error"),
        ("eval-noted", EVAL.replace("file: list.md, target: socks}]}", "file: list.md, target: socks}]}\n      - "
                                    "{type: llm_rubric, rubric: 'A (0-0.5): x'}"), "warning"),
    ],
)  # fmt: skip
def test_a_spoilt_eval_breaks_its_rule(tmp_path: Path, rule: str, text: str, severity: str) -> None:
    write(tmp_path, {"eval.yaml": text, "solve.sh": ""})
    found = broken(tmp_path)
    assert found == ([(rule, severity)] if rule else [])
    said = [each.message for each in inspect(tmp_path, strict=False, allow_outside=False)]
    assert not any("0123456789" in each for each in said)


@pytest.mark.parametrize(
    ("expected", "findings"),
    [([True, False, False], 0), ([False, False], 1), ([True, False], 1), ([True], 1), ([], 2)],
)
def test_a_cases_file_needs_cases_of_both_kinds(tmp_path: Path, expected: list[bool], findings: int) -> None:
    cases = [{"id": f"c{n}", "prompt": "x y", "trigger_expected": flag} for n, flag in enumerate(expected)]
    other = {"id": "other", "prompt": "x y", "assertions": [{"type": "contains", "target": "z"}]}
    path = write(
        tmp_path / "parcels",
        {"SKILL.md": SKILL, "table.md": "", "evals/cases.yaml": json.dumps({"cases": [*cases, other]})},
    )
    found = [rule for rule, severity in broken(path) if rule == "cases-balance" and severity == "error"]
    assert len(found) == findings


def test_every_rule_has_been_broken_here() -> None:
    covered = {rule for rule, _, _ in SPOILT} | {
        *("AG", "I5", "skill-readable", "skill-name", "skill-description", "skill-fields", "skill-length"),
        *("skill-links", "instruction-names-files", "task-solution", "grader-weight", "eval-secret", "eval-loads"),
        *("eval-noted", "cases-balance"),
    }
    assert covered == ALL_RULES.keys()


def test_there_must_be_something_to_look_at(tmp_path: Path) -> None:
    for path, message in ((tmp_path, "there is no SKILL.md, no eval and no pack.json"), (tmp_path / "x", "not exist")):
        with pytest.raises(UsageError, match=message):
            inspect(path, strict=False, allow_outside=False)


_words = st.sampled_from([*SCENARIO, *SCENARIO["expected_behavior"][1], "positive", "value"])
_values = st.recursive(
    st.none() | st.text(max_size=5) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=5),
)


@given(st.dictionaries(st.sampled_from(["scenarios", "triggers", "x"]), _values))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_no_eval_is_too_odd_to_be_checked(tmp_path: Path, evals: Any) -> None:
    path = write(tmp_path / "parcels", {"SKILL.md": SKILL, "table.md": "", "evals.json": json.dumps(evals)})
    assert all(each.rule.severity in Severity for each in inspect(path, strict=False, allow_outside=False))

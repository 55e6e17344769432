"""Files of other tools, run and turned into an eval.yaml as users do it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import claude_stand_in
from tests.support.shell import Outcome, Shell

SKILL = "---\nname: parcels\ndescription: Packs parcels.\n---\n# Parcels\n"
CASES = """\
cases:
  - id: says-weight
    prompt: "[parcels] SAY: 3 kg"
    trigger_expected: true
    rubric: [Names the weight]
    assertions:
      - {type: matches_regex, target: '\\d+ kg', weight: 1.0}
      - {type: not_contains, target: TODO, weight: 0.3}
  - id: no-weight
    prompt: "[parcels] SAY: heavy"
    trigger_expected: true
    assertions:
      - {type: contains, target: heavy, weight: 0.9}
      - {type: contains, target: kg, weight: 0.1}
  - id: enough
    prompt: "[parcels] SAY: heavy"
    threshold: 0.8
    assertions:
      - {type: contains, target: heavy, weight: 0.9}
      - {type: contains, target: kg, weight: 0.1}
  - id: broken
    prompt: "SAY: heavy"
    assertions:
      - {type: contains, target: heavy}
      - {type: smells, target: good}
  - id: used-though-it-must-not
    prompt: "[parcels] SAY: a poem"
    trigger_expected: false
  - id: only-words
    prompt: "SAY: nothing"
    rubric: [Names the weight]
"""


@pytest.fixture
def place(shell: Shell) -> Shell:
    (shell.root / "eval.yaml").unlink(missing_ok=True)
    shell.write("SKILL.md", SKILL)
    return shell


def run(shell: Shell, *arguments: str) -> Outcome:
    programs = claude_stand_in.install(shell.root.parent / "programs")
    env = {"PATH": f"{programs}:{os.environ['PATH']}", "ANTHROPIC_API_KEY": "k"}
    return shell.run(*arguments, "--agent=claude", "--provider=local", "--trials=1", "--retries=0", env=env)


def outcomes(done: Outcome) -> dict[str, tuple[str, float | None]]:
    report: Any = json.loads(done.out)
    return {task["task"]: (task["trials"][0]["outcome"], task["trials"][0]["reward"]) for task in report["tasks"]}


def test_cases_run_as_they_are(place: Shell) -> None:
    place.write("evals/cases.yaml", CASES)
    done = run(place, "--file=evals/cases.yaml", "--json")
    assert outcomes(done) == {
        "says-weight": ("passed", 1.0),
        "no-weight": ("failed", 0.95),
        "enough": ("passed", 1.0),
        "broken": ("errored", None),
        "used-though-it-must-not": ("failed", 0.0),
        "only-words": ("ungraded", None),
    }
    assert done.code == 3
    assert "graders that ask gemini are skipped: they are optional, and no key is set" in done.err
    report: Any = json.loads(done.out)
    (broken,) = [task for task in report["tasks"] if task["task"] == "broken"]
    assert "Unknown assertion type: smells" in broken["trials"][0]["error"]["reason"]


def test_the_cases_of_the_surrogate_verifier_run(place: Shell) -> None:
    data = Path(__file__).parents[1] / "data" / "surrogate-verifier"
    shutil.copytree(data, place.root, dirs_exist_ok=True)
    done = run(place, "--json")
    assert {name: outcome for name, (outcome, _) in outcomes(done).items()} == {
        "verify_skill_output": "failed",
        "generate_assertions_for_skill": "failed",
        "diagnose_skill_failure": "failed",
        "not_pr_review": "passed",
        "not_package_evaluator": "passed",
        "not_test_harness": "passed",
    }
    report: Any = json.loads(done.out)
    assert [skill["name"] for skill in report["skills"]] == ["surrogate-verifier"]


EVALS = {"skill_name": "parcels", "evals": [{"id": 1, "prompt": "SAY: 3 kg", "files": ["evals/list.csv"],
         "expectations": ["Names kg", {"type": "content_contains", "value": "kg"}]}]}  # fmt: skip
QUERIES = [{"query": "[parcels] send it", "should_trigger": True}, {"query": "sing", "should_trigger": False}]
PROMPTFOO = """\
prompts: ['SAY: {{what}}']
tests:
  - {description: heavy, vars: {what: 3 kg}, assert: [{type: icontains, value: KG}, {type: regex, value: '^\\d'}]}
  - {description: light, vars: {what: 3 g}, assert: [{type: not-contains, value: kg}, {type: equals, value: 3 kg}]}
"""
SCENARIOS = {"scenarios": [{"id": "a", "prompt": "SAY: 3 kg", "expected_behavior": [
    {"grader": "contains", "value": "kg"}, {"grader": "not-contains", "value": "KG"}]}]}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("evals/evals.json", json.dumps(EVALS), {"eval-1": ("passed", 1.0)}),
        ("evals/queries.json", json.dumps(QUERIES),
         {"should-trigger-1": ("passed", 1.0), "should-not-trigger-1": ("passed", 1.0)}),
        ("promptfooconfig.yaml", PROMPTFOO, {"heavy": ("passed", 1.0), "light": ("failed", 0.5)}),
        ("evals.json", json.dumps(SCENARIOS), {"a": ("passed", 1.0)}),
    ],
)  # fmt: skip
def test_every_format_means_the_same_run_and_converted(
    place: Shell, name: str, text: str, expected: dict[str, tuple[str, float]]
) -> None:
    place.write(name, text)
    place.write("evals/list.csv", "a,b\n")
    assert outcomes(run(place, f"--file={name}", "--json")) == expected
    made = place.run("init", f"--from={name}")
    assert made.code == 0
    assert f"wrote eval.yaml with {len(expected)} tasks" in made.out
    (place.root / name).unlink()
    assert outcomes(run(place, "--json")) == expected


def test_converting_says_what_must_be_mended(place: Shell) -> None:
    place.write("evals/cases.yaml", CASES)
    made = place.run("init", "--from=evals/cases.yaml")
    assert made.code == 0
    assert 'to mend: task "broken": Unknown assertion type: smells; in eval.yaml this is an error' in made.err
    assert yaml.safe_load((place.root / "eval.yaml").read_text())["skill"] == "."
    refused = place.run("--list")
    assert refused.code == 2
    assert 'there is no assertion "smells"' in refused.err


def test_what_cannot_be_converted_is_refused(place: Shell) -> None:
    own = place.write(
        "own/eval.yaml", 'version: "1"\ntasks:\n  - {name: a, instruction: b, expect_skill: none}\nskill: ..\n'
    )
    cases: list[tuple[tuple[str, ...], str]] = [
        (("--from=nothing.json",), "does not exist"),
        (("--from=own", "--allow-outside"), f"{own}: is an eval.yaml already"),
        (("--allow-outside",), "--allow-outside has no effect without --from"),
    ]
    for arguments, message in cases:
        done = place.run("init", *arguments)
        assert done.code == 2
        assert message in done.err
    place.write("evals.json", json.dumps(SCENARIOS))
    place.write("eval.yaml", "mine")
    done = place.run("init", "--from=evals.json")
    assert (done.code, (place.root / "eval.yaml").read_text()) == (2, "mine")
    assert "is there already: --force overwrites it" in done.err
    assert place.run("init", "--from=evals.json", "--force").code == 0

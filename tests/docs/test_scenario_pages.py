"""The pages on scenarios, assertions and releases: their examples load, and they name all that there is."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest
import yaml

from skillgrade.checks.calibration.scenarios import calibrated_in
from skillgrade.checks.inspection import ALL_RULES, inspect, subject_of
from skillgrade.checks.integrity.rules import broken_rules
from skillgrade.checks.release.document import EvidenceScenario, EvidenceTrial, SkillEvidence, TriggerAccuracy, _camel
from skillgrade.checks.release.policy import Policy, read_policy
from skillgrade.diagnostics.document import diagnosis_schema
from skillgrade.diagnostics.model import Category
from skillgrade.judges.canned import Kind
from skillgrade.suite.assertion_types import OUTPUT_FORMATS, SHAPES
from skillgrade.suite.formats import FORMATS
from skillgrade.suite.load import load_suite
from tests.support.pages import REPOSITORY, yaml_blocks
from tests.support.suites import write

DOCS = REPOSITORY / "docs"
SKILL = "---\nname: go-errors\ndescription: Handles errors.\n---\n# Errors\n\nNever assign one to `_`, wrap it.\n"


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def json_blocks(name: str) -> list[str]:
    return [textwrap.dedent(block) for block in re.findall(r"(?ms)^```json\n(.*?)^```$", page(name))]


@pytest.mark.parametrize("name", ["assertions.md", "judge-scenarios.md", "triggers.md"])
def test_examples_of_eval_yaml_load_without_a_doubt(tmp_path: Path, name: str) -> None:
    for number, example in enumerate(yaml_blocks(DOCS / name)):
        files = {"SKILL.md": SKILL, "eval.yaml": example}
        suite = load_suite(write(tmp_path / str(number) / "go-errors", files))
        assert suite.tasks
        assert suite.warnings == ()


def test_the_scenario_of_the_guide_breaks_no_rule_but_the_recording(tmp_path: Path) -> None:
    (example,) = yaml_blocks(DOCS / "judge-scenarios.md")
    folder = write(tmp_path / "go-errors", {"SKILL.md": SKILL, "eval.yaml": example})
    suite = load_suite(folder)
    assert list(broken_rules(subject_of(suite))) == []
    found = {each.rule.id for each in inspect(folder, strict=False, allow_outside=False)}
    assert found == {"AG", "I2"}
    (calibrated,) = calibrated_in(suite)
    right = calibrated.answers[-1]
    assert calibrated.failed_checks(right) == ()


@pytest.mark.parametrize("name", ["evals-json.md", "formats.md"])
def test_files_of_other_tools_load(tmp_path: Path, name: str) -> None:
    blocks = [*json_blocks(name), *yaml_blocks(DOCS / name)]
    formats = set()
    for number, block in enumerate(blocks):
        suffix = "json" if block.lstrip()[0] in "[{" else "yaml"
        files = {
            "SKILL.md": SKILL,
            f"evals/file.{suffix}": block,
            "evals/fixtures/list.csv": "",
            "evals/files/list.csv": "",
        }
        suite = load_suite(write(tmp_path / str(number) / "go-errors", files) / "evals" / f"file.{suffix}")
        formats.add(suite.format)
        assert all("`providers` is not read" in warning for warning in suite.warnings)
    assert formats == ({"evals.json"} if name == "evals-json.md" else FORMATS.keys() - {"evals.json"})


def test_every_type_and_form_of_assertion_is_told() -> None:
    for word in (*SHAPES, *OUTPUT_FORMATS):
        assert f"`{word}`" in page("assertions.md"), word


def test_every_rule_of_check_is_told_in_its_words() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|", page("check.md"), re.MULTILINE)
    assert sorted(rows) == sorted(ALL_RULES)


def test_every_canned_answer_is_told_in_order() -> None:
    assert re.findall(r"^\| `([\w-]+)` \|", page("judge-check.md"), re.MULTILINE) == [kind.value for kind in Kind]


def test_the_policy_of_the_page_is_the_usual_one(tmp_path: Path) -> None:
    (example,) = yaml_blocks(DOCS / "gate.md")
    policy = read_policy(write(tmp_path, {"gate.yaml": example}))
    assert policy == Policy(policy.judges, policy.runners)
    assert set(yaml.safe_load(example)) == {"judges", "runners", "min_trials", "floor", "samples", "scope"}


def test_every_key_of_the_evidence_is_told() -> None:
    for kind in (SkillEvidence, TriggerAccuracy, EvidenceScenario, EvidenceTrial):
        for field in kind.__dataclass_fields__:
            if field != "schema_version":
                assert f"`{_camel(field)}`" in page("gate.md"), field


def test_every_key_for_programs_is_told() -> None:
    for name, words in {
        "judge-check.md": "file skill judge model samples recorded answers scenario kind expected mismatch",
        "triggers.md": "skill skills accuracy prompts expected selected score rank outranked_by observed own_triggers",
        "check.md": "rule severity file line message why mend",
        "gate.md": "pack released reasons eligible sampled rate interval exceeded disagreements",
    }.items():
        assert [word for word in words.split() if f"`{word}`" not in page(name)] == []


def test_json_of_the_pages_is_json() -> None:
    for name in ("evals-json.md", "formats.md"):
        assert all(json.loads(block) for block in json_blocks(name))


def test_the_diagnosis_of_the_page_is_what_comes_out() -> None:
    shown = re.findall(r"(?ms)^```text\n(.*?)^```$", page("diagnostics.md"))
    data = REPOSITORY / "tests" / "data" / "diagnostics"
    assert shown == [(data / "g01_missing_capability.expected.txt").read_text("utf-8")]
    for word in (*Category, *diagnosis_schema()["properties"], *diagnosis_schema()["$defs"]["finding"]["properties"]):
        assert f"| {word} |" in page("diagnostics.md") or f"`{word}`" in page("diagnostics.md"), word

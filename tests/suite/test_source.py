"""Which file is the suite, and of which format it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillgrade.errors import SuiteError
from skillgrade.suite.formats import FORMATS, recognised
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import TriggerPrompts
from tests.support.suites import write

SKILL = "---\nname: parcels\ndescription: Packs parcels.\n---\n# Parcels\n"
SCENARIOS = {"scenarios": [{"id": "a", "prompt": "b", "expected_behavior": [{"grader": "contains", "value": "c"}]}]}
OWN = 'version: "1"\ntasks:\n  - {name: own, instruction: b, graders: [{type: deterministic, run: "true"}]}\n'
CASES = "cases:\n  - {id: case, prompt: b, assertions: [{type: contains, target: c}]}\n"
EVALS = json.dumps({"evals": [{"id": 1, "prompt": "b", "expectations": ["c"]}]})
QUERIES = '[{"query": "b", "should_trigger": true}]'
PROMPTFOO = "prompts: [b]\ntests: [{assert: [{type: contains, value: c}]}]\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (json.dumps(SCENARIOS), "evals.json"),
        ('{"triggers": {"positive": ["b"]}}', "evals.json"),
        (CASES, "cases.yaml"),
        (EVALS, "skill-creator evals"),
        (QUERIES, "trigger set"),
        ('{"should_trigger_prompts": ["b"]}', "trigger set"),
        (PROMPTFOO, "promptfoo"),
        (OWN, "eval.yaml"),
    ],
)
@pytest.mark.parametrize("file", ["a.yaml", "a.json"])
def test_the_keys_say_what_a_file_is(tmp_path: Path, text: str, name: str, file: str) -> None:
    if file == "a.json" and text[0] not in "{[":
        return
    suite = load_suite(write(tmp_path, {"SKILL.md": SKILL, file: text}) / file)
    assert suite.format == name
    assert suite.tasks
    assert [skill.name for skill in suite.skills] == ["parcels"]


def test_a_document_is_of_one_format_at_most() -> None:
    documents = [json.loads(text) for text in (json.dumps(SCENARIOS), EVALS, QUERIES)]
    documents += [{"cases": [{"prompt": "b"}]}, {"prompts": ["b"], "tests": []}, {"triggers": {"negative": []}}]
    for document in documents:
        assert sum(each.recognises(document) for each in FORMATS.values()) == 1
        found = recognised(document)
        assert found is not None
        assert FORMATS[found.name] is found
    assert recognised({"tasks": [], "scenarios": []}) is None


def test_the_suite_of_a_folder_is_looked_for_in_four_places(tmp_path: Path) -> None:
    root = write(tmp_path, {"SKILL.md": SKILL, "evals/cases.yaml": CASES})
    assert load_suite(root).tasks[0].name == "case"
    assert load_suite(root).skills[0].folder == root
    write(root, {"evals/evals.json": EVALS})
    assert load_suite(root).tasks[0].name == "eval-1"
    write(root, {"evals.json": json.dumps(SCENARIOS)})
    assert load_suite(root).tasks[0].name == "a"
    write(root, {"eval.yaml": OWN})
    assert load_suite(root).tasks[0].name == "own"


def test_prompts_that_trigger_are_read(tmp_path: Path) -> None:
    text = json.dumps({**SCENARIOS, "triggers": {"positive": ["send it"], "negative": ["sing"]}})
    suite = load_suite(write(tmp_path, {"SKILL.md": SKILL, "evals.json": text}))
    assert suite.triggers == TriggerPrompts(("send it",), ("sing",))
    assert load_suite(write(tmp_path / "own", {"SKILL.md": SKILL, "eval.yaml": OWN})).triggers is None
    own = OWN + "triggers: {positive: [send it]}\n"
    assert load_suite(write(tmp_path / "more", {"eval.yaml": own})).triggers == TriggerPrompts(("send it",))


def test_faults_of_another_format_stand_where_they_are_written(tmp_path: Path) -> None:
    broken = '{\n  "scenarios": [\n    {"id": "a", "expected_behavior": [{"grader": "smells"}]}\n  ]\n}\n'
    with pytest.raises(SuiteError) as caught:
        load_suite(write(tmp_path, {"SKILL.md": SKILL, "evals.json": broken}) / "evals.json")
    said = str(caught.value)
    assert 'evals.json:3:5: scenarios[0]: needs "prompt": text that is not blank' in said
    assert "evals.json:3:50: scenarios[0].expected_behavior[0].grader: must have a `grader` of contains" in said


def test_json_is_read_as_json(tmp_path: Path) -> None:
    text = json.dumps(SCENARIOS, indent="\t")
    assert load_suite(write(tmp_path, {"SKILL.md": SKILL, "evals.json": text})).tasks
    with pytest.raises(SuiteError, match=r"evals\.json:1:2: is not valid JSON: a key in double quotes"):
        load_suite(write(tmp_path, {"evals.json": "{scenarios: []}"}))

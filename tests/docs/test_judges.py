"""docs/judges.md: its examples load, its rubrics have sections, its numbers and messages are the code's."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

from skillgrade.judges import asking, recorder, recordings, session, untrusted
from skillgrade.judges.recordings import Entry, RecordedSample, Recording
from skillgrade.suite.load import load_suite
from skillgrade.suite.rubric_sections import rubric_sections, section_problems
from tests.support.pages import REPOSITORY, yaml_blocks
from tests.support.suites import write

FILE = REPOSITORY / "docs" / "judges.md"
PAGE = FILE.read_text("utf-8")
RUBRIC = re.findall(r'^```text title="rubrics/notes.md"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)[0]
EXAMPLES = yaml_blocks(FILE)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_every_example_loads_without_a_warning(tmp_path: Path, example: str) -> None:
    suite = load_suite(write(tmp_path, {"eval.yaml": example, "rubrics/notes.md": RUBRIC, "graders/check.sh": ""}))
    assert [grader.type for task in suite.tasks for grader in task.graders if grader.type == "llm_rubric"]
    assert suite.warnings == ()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 2


@pytest.mark.parametrize("rubric", [RUBRIC, (REPOSITORY / "rubrics" / "quality.md").read_text("utf-8")])
def test_the_rubrics_that_are_shown_have_sections_that_sum_to_one(rubric: str) -> None:
    assert len(rubric_sections(rubric)) == 3
    assert section_problems(rubric) == ()


def test_the_budgets_on_the_page_are_those_of_the_code() -> None:
    budgets = [
        untrusted.INSTRUCTION,
        untrusted.FACTS,
        untrusted.DIFF,
        untrusted.ARTIFACT,
        untrusted.TRANSCRIPT,
    ]
    assert re.findall(r"\| ([\d,]+ \+ [\d,]+) \|$", PAGE, re.MULTILINE) == [
        f"{budget.head:,} + {budget.tail:,}" for budget in budgets
    ]


def test_the_deadlines_on_the_page_are_those_of_the_code() -> None:
    assert f"One request has {asking.CALL_TIMEOUT:g} seconds, all that one judge" in PAGE
    assert f"is asked about one trial {asking.JUDGE_DEADLINE:g}." in PAGE


@pytest.mark.parametrize("kind", [Recording, Entry, RecordedSample])
def test_every_key_of_a_recording_is_on_the_page(kind: type) -> None:
    for field in fields(kind):
        assert f"`{field.name}`" in PAGE or field.name == "entries", field.name


def test_the_messages_on_the_page_are_those_of_the_code() -> None:
    sources = "".join(map(inspect.getsource, (recordings, recorder, session)))
    table = PAGE.split("| Message | Why |")[1].split("\n\n")[0]
    messages = re.findall(r"^\| `(.*?)` \|", table, re.MULTILINE)
    assert len(messages) == 7
    for message in messages:
        for part in re.split(r" \.\.\.,? |\d", message):
            assert part.strip() in sources, part

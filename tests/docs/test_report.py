"""docs/report.md names every field that a report has."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from skillgrade.results.encoding import encode
from skillgrade.results.records import (
    AgentRun,
    Check,
    GraderResult,
    Judgement,
    Review,
    Sample,
    TrialError,
    TrialRecord,
    Trigger,
)
from skillgrade.results.regrades import Cause, GradeChange, Regrade, RegradeReport
from skillgrade.results.report import RegradeTotals, RunReport, TaskReport, Totals, TrialReport, TriggerCounts
from skillgrade.results.run_info import RunEnd, RunInfo, SkillInfo, TaskInfo
from skillgrade.results.statistics import Interval
from tests.support.pages import REPOSITORY
from tests.support.results import INFO

PAGE = REPOSITORY / "docs" / "report.md"
SECTIONS = re.split(r"^##+ ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)


def named_in(title: str) -> set[str]:
    section = next(section for section in SECTIONS if section.startswith(title))
    return set(re.findall(r"`([a-z_0-9]+)`", section))


def keys(kind: type) -> set[str]:
    """The keys of a class in JSON; a flat field has none of its own."""
    return {item.name for item in fields(kind) if item.metadata.get("json") != "flat"}


@pytest.mark.parametrize(
    ("title", "kinds"),
    [
        ("The run", (RunReport, RunInfo, SkillInfo, RegradeTotals)),
        ("Each of `tasks`", (TaskReport, TaskInfo, Interval, TriggerCounts)),
        ("Each of `trials`", (TrialReport, TrialRecord, TrialError, AgentRun, GraderResult, Check, Trigger)),
        ("Each of `trials`", (Judgement, Sample, Review, RegradeReport, GradeChange)),
        ("`totals`", (Totals,)),
        ("journal.jsonl", (RunEnd, Regrade)),
    ],
)
def test_every_field_is_on_the_page(title: str, kinds: tuple[type, ...]) -> None:
    expected = set().union(*map(keys, kinds))
    assert expected - named_in(title) == set()


def test_the_page_names_no_field_that_is_gone() -> None:
    cells = re.findall(r"^\| (`.*?) \|", "\n".join(SECTIONS), flags=re.MULTILINE)
    known = set().union(*map(keys, (RunReport, RunInfo, TaskReport, TaskInfo, TrialReport, TrialRecord, Totals)))
    assert {name for cell in cells for name in re.findall(r"`([a-z_0-9]+)`", cell)} - known == set()


def test_every_cause_of_a_regrade_is_on_the_page() -> None:
    assert {str(cause) for cause in Cause} <= named_in("journal.jsonl")


def test_keys_are_those_of_the_document() -> None:
    assert set(encode(INFO)) == keys(RunInfo)

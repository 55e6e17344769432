"""The assertions grader: what holds, what does not, and what cannot be told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from skillgrade.errors import Cancelled
from skillgrade.graders.assertions import AssertionsGrader
from skillgrade.graders.base import Needs, RecordContext
from skillgrade.judges.base import Judging
from skillgrade.results.evidence import Evidence, load, save
from skillgrade.results.records import (
    AssertionResult,
    AssertionStatus,
    Check,
    GraderResult,
    GraderStatus,
    Trigger,
    TriggerStatus,
)
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.model import Assertion, AssertionsSpec, GraderSpec, Subject
from tests.support.tasks import make_task

TRIGGERED, ATTEMPTED = TriggerStatus.TRIGGERED, TriggerStatus.ATTEMPTED
NOT, UNKNOWN = TriggerStatus.NOT_TRIGGERED, TriggerStatus.UNKNOWN


class NoJudging:
    """Asks nobody."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"an assertions grader asked judges ({name})")


def spec(*assertions: Assertion, weight: float = 1.0) -> AssertionsSpec:
    return AssertionsSpec("assertions", 1, weight, assertions=assertions)


def used(skill: str = "foo", *, weight: float = 1.0, negated: bool = False) -> Assertion:
    return Assertion("skill_used", skill, weight, negated)


def grade(asked: AssertionsSpec, folder: Path, stop: Stop | None = None, **seen: TriggerStatus) -> GraderResult:
    """What it says where skills were seen so; what it reads is kept on the disk and read back."""
    triggers = tuple(Trigger(skill, status, f"seen as {status}") for skill, status in seen.items())
    save(Evidence(2, "Do it.", "I did it.\n", triggers=triggers), folder)
    judging: Judging = NoJudging()  # type: ignore[assignment]  # it must not be used at all
    context = RecordContext(make_task(), 0, load(folder), (), folder, {}, Redactor([]), judging)
    return AssertionsGrader().grade(asked, context, stop or Stop())


@pytest.mark.parametrize(
    ("status", "negated", "score"),
    [
        (TRIGGERED, False, 1.0),
        (ATTEMPTED, False, 0.0),
        (NOT, False, 0.0),
        (TRIGGERED, True, 0.0),
        (ATTEMPTED, True, 0.0),
        (NOT, True, 1.0),
    ],
)
def test_only_a_use_is_a_use_and_only_no_attempt_is_none(
    status: TriggerStatus, negated: bool, score: float, tmp_path: Path
) -> None:
    result = grade(spec(used(negated=negated), weight=0.25), tmp_path, foo=status)
    assert (result.status, result.score, result.weight) == (GraderStatus.OK, score, 0.25)
    assert (result.grader_type, result.grader, result.turn) == ("assertions", 1, 2)
    name = "not skill_used: foo" if negated else "skill_used: foo"
    assert result.checks == (Check(name, score == 1, f"{status}: seen as {status}"),)
    assert result.details == f"{score:.0f} of 1 assertion held"


@pytest.mark.parametrize("negated", [True, False])
def test_what_cannot_be_told_is_an_error_and_no_verdict(negated: bool, tmp_path: Path) -> None:
    result = grade(spec(used("bar"), used(negated=negated)), tmp_path, foo=UNKNOWN, bar=TRIGGERED)
    assert (result.status, result.score) == (GraderStatus.ERROR, None)
    assert result.details == "whether the skill foo was used cannot be told: seen as unknown"
    assert [check.name for check in result.checks] == ["skill_used: bar"]


def test_a_skill_of_which_nothing_was_kept_is_an_error(tmp_path: Path) -> None:
    result = grade(spec(used("foo-bar")), tmp_path, foo=TRIGGERED)
    assert (result.status, result.checks) == (GraderStatus.ERROR, ())
    assert result.details == "nothing was kept of whether the skill foo-bar was used: start a new run"


def test_the_score_is_the_weighted_share(tmp_path: Path) -> None:
    asked = spec(used("foo", weight=0.7), used("bar", weight=0.1), used("baz", weight=0.2, negated=True))
    result = grade(asked, tmp_path, foo=TRIGGERED, bar=NOT, baz=NOT)
    assert (result.score, result.details) == (0.9, "2 of 3 assertions held")
    assert grade(asked, tmp_path, foo=TRIGGERED, bar=TRIGGERED, baz=NOT).score == 1.0


def test_it_needs_the_files_that_it_names_and_those_made_where_it_looks_at_the_work() -> None:
    grader = AssertionsGrader()
    assert grader.needs(spec(used())) == Needs()
    asked = spec(
        Assertion("contains", "x", file="b.md"),
        Assertion("file_exists", "a.md"),
        Assertion("contains", "y", subject=Subject.WORK),
        Assertion("file_exists", 3, fault="must be text"),
    )
    assert grader.needs(asked) == Needs(artifacts=("a.md", "b.md"), created=True)
    assert grader.problem(asked) is None
    with pytest.raises(TypeError, match="judge is no assertions grader"):
        grader.needs(GraderSpec("judge", 0))


@pytest.mark.parametrize(("threshold", "score"), [(None, 0.75), (0.75, 1.0), (0.8, 0.0)])
def test_a_threshold_makes_the_share_a_pass_or_none(threshold: float | None, score: float, tmp_path: Path) -> None:
    asked = replace(spec(used("foo", weight=3), used("bar")), threshold=threshold)
    result = grade(asked, tmp_path, foo=TRIGGERED, bar=NOT)
    assert result.score == score
    more = "" if threshold is None else f", 0.75 of their weight; {threshold:g} is enough"
    assert result.details == f"1 of 2 assertions held{more}"


def test_what_came_of_each_is_kept(tmp_path: Path) -> None:
    broken = Assertion("smells", "good", 0.5, group="nose", fault="Unknown assertion type: smells")
    result = grade(spec(used("foo"), broken), tmp_path, foo=NOT)
    assert result.assertions == (
        AssertionResult("skill_used", "foo", 1.0, AssertionStatus.FAILED, f"{NOT}: seen as {NOT}", subject="trace"),
        AssertionResult("smells", "good", 0.5, AssertionStatus.ERROR, "Unknown assertion type: smells", group="nose"),
    )
    assert (result.status, result.score, result.details) == (
        GraderStatus.ERROR,
        None,
        "Unknown assertion type: smells",
    )


def test_a_run_that_stops_checks_nothing(tmp_path: Path) -> None:
    stop = Stop()
    stop.set()
    with pytest.raises(Cancelled):
        grade(spec(used()), tmp_path, stop, foo=TRIGGERED)

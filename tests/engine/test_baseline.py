"""Both arms of a run in one go: `skillgrade --baseline`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillgrade.engine.baseline import with_baseline
from skillgrade.engine.plan import Plan, make_plan
from skillgrade.engine.run import FinishedRun, RunOptions, run
from skillgrade.errors import UsageError
from skillgrade.results.folder import RunFolder, find_run_folder
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import Arm, Outcome, TrialRecord
from skillgrade.results.redaction import Redactor
from skillgrade.results.report_file import build_report, load_report
from skillgrade.stop import Stop
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import AgentSpec, Assertion, AssertionsSpec, Suite
from tests.support.judges import judging
from tests.support.listening import Remembering
from tests.support.tasks import grader, make_task

WRITTEN = """[ -s out.txt ] && s=1 || s=0; echo '{"score": '$s', "details": ""}'"""


def suite_at(root: Path, *names: str, **fields: Any) -> Suite:
    """Tasks whose agent does them because of the skill."""
    (root / "SKILL.md").write_text("---\nname: notes\ndescription: Writes notes.\n---\n")
    (root / "eval.yaml").write_text("tasks: [{name: a, instruction: x, graders: [{type: deterministic, run: 'true'}]}]")
    values: dict[str, Any] = {
        "provider": "local",
        "agent": AgentSpec("command", command="ls .agents/skills > out.txt"),
        "graders": (grader(WRITTEN),),
        "trials": 3,
        **fields,
    }
    return replace(load_suite(root), tasks=tuple(make_task(name, **values) for name in names))


def start(
    root: Path,
    *names: str,
    resumed: RunFolder | None = None,
    stop: Stop | None = None,
    on_finished: Callable[[TrialRecord], None] = lambda record: None,
    parallel: int = 1,
    **fields: Any,
) -> tuple[FinishedRun, Remembering]:
    arms = with_baseline(planned(suite_at(root, *names, **fields)))
    listener = Remembering(on_finished)
    options = RunOptions(root / ".skillgrade", parallel, resumed=resumed)
    finished = run(arms[0], options, judging(root), Redactor([]), listener, stop or Stop(), arms[1])
    return finished, listener


def planned(suite: Suite) -> Plan:
    return make_plan(suite, {}, {}, Stop())


def records_of(folder: RunFolder) -> list[TrialRecord]:
    index = JournalIndex(folder.journal)
    return [attempts[-1] for task in index.tasks for attempts in index.attempts(task.task)]


def test_each_arm_is_a_run_and_their_trials_alternate(tmp_path: Path) -> None:
    finished, listener = start(tmp_path, "one", "two")
    order = [(record.task, record.trial, record.arm) for record, _ in listener.finished]
    trials = [(task, trial) for trial in range(3) for task in ("one", "two")]
    assert order == [(task, trial, arm) for task, trial in trials for arm in (Arm.WITH, Arm.WITHOUT)]
    assert listener.planned == (12, 1)
    assert finished.baseline is not None
    assert {(record.arm, record.outcome) for record in records_of(finished.folder)} == {(Arm.WITH, Outcome.PASSED)}
    without = records_of(finished.baseline.folder)
    assert {(record.arm, record.outcome) for record in without} == {(Arm.WITHOUT, Outcome.FAILED)}
    assert [skill.name for skill in finished.report.info.skills] == ["notes"]
    assert finished.baseline.report.info.skills == ()
    assert finished.report.info.baseline_run == finished.baseline.folder.run_id
    assert finished.baseline.report.info.baseline_of == finished.folder.run_id


def test_made_ahead_every_trial_still_gets_the_workspace_of_its_own_arm(tmp_path: Path) -> None:
    finished, _ = start(tmp_path, "one", "two", "three", parallel=3)
    comparison = finished.report.baseline
    assert comparison is not None
    assert {(task.before.passed, task.after.passed) for task in comparison.tasks} == {(0, 3)}


def test_the_report_is_of_the_arm_with_the_skill_and_holds_the_comparison(tmp_path: Path) -> None:
    finished, _ = start(tmp_path, "one", "two")
    report = load_report(finished.folder.report)
    assert report == finished.report
    assert (report.totals.planned, report.totals.passed) == (6, 6)
    assert report.baseline is not None
    assert (report.baseline.totals.pass_rate_difference, report.baseline.totals.normalised_gain) == (1, 1)
    assert report.baseline.totals.p_value == pytest.approx(2 / 20**2)
    assert report.baseline.differs == ("skills",)
    assert finished.baseline is not None
    assert finished.baseline.report.baseline is None
    assert find_run_folder(tmp_path / ".skillgrade", "latest") == finished.folder


def test_without_the_folder_of_its_baseline_a_run_still_has_a_report(tmp_path: Path) -> None:
    finished, _ = start(tmp_path, "one")
    assert finished.baseline is not None
    finished.baseline.folder.journal.unlink()
    report = build_report(finished.folder.journal)
    assert report.baseline is None
    assert report.totals == finished.report.totals


def test_an_interrupted_run_goes_on_in_both_arms(tmp_path: Path) -> None:
    stop, seen = Stop(), []

    def stop_at_three(record: TrialRecord) -> None:
        seen.append(record)
        if len(seen) == 3:
            stop.set()

    first, _ = start(tmp_path, "one", "two", stop=stop, on_finished=stop_at_three)
    assert first.report.interrupted
    again, listener = start(tmp_path, "one", "two", resumed=first.folder)
    assert len(listener.finished) == 9
    assert again.baseline is not None
    assert first.baseline is not None
    assert (again.folder, again.baseline.folder) == (first.folder, first.baseline.folder)
    for folder in (again.folder, again.baseline.folder):
        assert [(record.task, record.trial) for record in records_of(folder)] == [
            (task, trial) for task in ("one", "two") for trial in range(3)
        ]
    _, idle = start(tmp_path, "one", "two", resumed=first.folder)
    assert idle.notes == ["every trial of this run has a verdict already; nothing is left to run"]


def test_a_run_goes_on_only_as_it_was_started(tmp_path: Path) -> None:
    finished, _ = start(tmp_path, "one")
    plan = planned(suite_at(tmp_path, "one"))
    options = RunOptions(tmp_path / ".skillgrade", 1)

    def go_on(folder: RunFolder, baseline: Plan | None) -> FinishedRun:
        resumed = replace(options, resumed=folder)
        return run(plan, resumed, judging(tmp_path), Redactor([]), Remembering(), Stop(), baseline)

    assert finished.baseline is not None
    with pytest.raises(UsageError, match="started with it: give --baseline as well"):
        go_on(finished.folder, None)
    with pytest.raises(UsageError, match=f"this is the baseline of {finished.folder.run_id}"):
        go_on(finished.baseline.folder, None)
    alone = run(plan, options, judging(tmp_path), Redactor([]), Remembering(), Stop())
    with pytest.raises(UsageError, match="started without it: leave --baseline out"):
        go_on(alone.folder, with_baseline(plan)[1])


def test_errors_of_one_arm_are_tried_again_in_that_arm(tmp_path: Path) -> None:
    flaky = """[ -s out.txt ] && { echo '{"score": 1, "details": ""}'; exit; }
    [ -e {mark} ] && echo '{"score": 0, "details": ""}' || { touch {mark}; echo broken; }"""
    script = flaky.replace("{mark}", str(tmp_path / "mark"))
    finished, listener = start(tmp_path, "one", graders=(grader(script),), retries=1)
    retried = [record.arm for record, again in listener.finished if again]
    assert retried == [Arm.WITHOUT]
    assert finished.baseline is not None
    assert sorted(record.attempt for record in records_of(finished.baseline.folder)) == [0, 0, 1]
    assert finished.baseline.report.totals.failed == 3


def test_without_a_skill_there_is_no_baseline(tmp_path: Path) -> None:
    plan = planned(suite_at(tmp_path, "one"))
    with pytest.raises(UsageError, match="there is no skill"):
        with_baseline(replace(plan, suite=replace(plan.suite, skills=())))


def test_graders_that_ask_for_the_skill_are_of_one_arm_alone(tmp_path: Path) -> None:
    asks = AssertionsSpec("assertions", 1, assertions=(Assertion("skill_used", "notes"),))
    plan = planned(suite_at(tmp_path, "one"))
    task = replace(plan.tasks[0].task, graders=(grader(WRITTEN), asks))
    plan = replace(plan, suite=replace(plan.suite, tasks=(task,)), tasks=(replace(plan.tasks[0], task=task),))
    given, bare = with_baseline(plan)
    assert [spec.type for spec in given.tasks[0].task.graders] == ["deterministic", "assertions"]
    assert [spec.type for spec in bare.tasks[0].task.graders] == ["deterministic"]
    assert bare.suite.warnings == ('--baseline, without the skill: no grader asks whether a skill was used, in "one"',)
    only = replace(task, graders=(asks,))
    with pytest.raises(UsageError, match='--baseline, without the skill: the task "one" only asks'):
        with_baseline(replace(plan, suite=replace(plan.suite, tasks=(only,))))

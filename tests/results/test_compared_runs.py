from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillgrade.results.compared_runs import compare_runs
from skillgrade.results.comparison import Comparison
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import AgentRun, Check, GraderResult, GraderStatus, Outcome, TrialRecord
from skillgrade.results.run_info import TaskInfo
from tests.support.results import plan, regrade, trial, write_run


def graded(kind: str, number: int, score: float, weight: float = 1.0, **checks: bool) -> GraderResult:
    named = tuple(Check(name, passed) for name, passed in checks.items())
    return GraderResult(kind, number, GraderStatus.OK, score, weight, "", named)


def compare(root: Path, before: list[Any], after: list[Any], tasks: list[TaskInfo] | None = None) -> Comparison:
    runs = []
    for name, records in (("before", before), ("after", after)):
        (root / name).mkdir()
        run = write_run(root / name, tasks or [plan("fix", 4)], records)
        runs.append(JournalIndex(run.journal))
    return compare_runs(*runs)


def test_only_graded_trials_enter_and_the_rest_is_counted(tmp_path: Path) -> None:
    before = [trial("fix", 0, 0.0), trial("fix", 1, None), trial("fix", 2, None, outcome=Outcome.UNGRADED)]
    comparison = compare(tmp_path, before, [trial("fix", n, 1.0) for n in range(4)])
    (task,) = comparison.tasks
    assert (task.before.planned, task.before.graded, task.after.graded) == (4, 1, 4)
    assert task.pass_rate_difference == 1
    assert comparison.totals.before.pass_rate == 0


def test_graders_that_one_arm_lacks_do_not_count(tmp_path: Path) -> None:
    def with_skill(number: int, used: float) -> TrialRecord:
        results = (graded("deterministic", 0, 1.0, 3.0), graded("assertions", 1, used, 3.0))
        return trial("fix", number, (1 + used) / 2, grader_results=results)

    before = [trial("fix", n, 1.0, grader_results=(graded("deterministic", 0, 1.0, 3.0),)) for n in range(2)]
    (task,) = compare(tmp_path, before, [with_skill(0, 0.0), with_skill(1, 1.0)], [plan("fix", 2)]).tasks
    assert task.graders_left_out == ("assertions 1",)
    assert (task.after.mean_reward, task.after.pass_rate, task.mean_reward_difference) == (1, 1, 0)


def test_the_agents_own_deadline_stays_a_failure_whatever_is_left_out(tmp_path: Path) -> None:
    late = AgentRun(exit_code=None, timed_out=True, duration_ms=9)
    results = (graded("deterministic", 0, 1.0), graded("assertions", 1, 1.0))
    after = [trial("fix", 0, 0.0, agent=late, grader_results=results)]
    before = [trial("fix", 0, 1.0, grader_results=results[:1])]
    (task,) = compare(tmp_path, before, after).tasks
    assert task.mean_reward_difference == -1


def test_checks_that_pass_anyway_are_named(tmp_path: Path) -> None:
    def record(number: int, helped: bool) -> TrialRecord:
        results = (graded("deterministic", 0, 0.5, easy=True, hard=helped), graded("llm_rubric", 1, 1.0))
        return trial("fix", number, 0.75, grader_results=results)

    before, after = ([record(number, helped) for number in range(3)] for helped in (False, True))
    (task,) = compare(tmp_path, before, after).tasks
    assert task.passes_anyway == ("deterministic 0: easy", "llm_rubric 1")


def test_two_trials_do_not_show_what_passes_anyway(tmp_path: Path) -> None:
    records = [trial("fix", n, 1.0, grader_results=(graded("deterministic", 0, 1.0),)) for n in range(2)]
    assert compare(tmp_path, records, records).tasks[0].passes_anyway == ()


def test_tokens_money_and_time_are_means_of_graded_trials(tmp_path: Path) -> None:
    def record(number: int, tokens: int, cost: float | None, reward: float | None = 1.0) -> TrialRecord:
        run = AgentRun(exit_code=0, timed_out=False, duration_ms=10 * tokens)
        return trial("fix", number, reward, agent=run, tokens={"input": tokens}, cost_usd=cost)

    before = [record(0, 2, 0.1), record(1, 4, 0.3), record(2, 100, 9.0, reward=None)]
    comparison = compare(tmp_path, before, [record(0, 2, 0.1), record(1, 4, None)])
    (task,) = comparison.tasks
    assert task.before.tokens == {"input": 3}
    assert task.before.cost_usd == pytest.approx(0.2)
    assert task.before.duration_ms == 30
    assert (task.after.tokens, task.after.cost_usd) == ({"input": 3}, None)
    assert comparison.totals.before.tokens == {"input": 3}


def test_later_grades_count_and_are_told(tmp_path: Path) -> None:
    records = [trial("fix", 0, 1.0)]
    comparison = compare(tmp_path, records, [*records, regrade("fix", 0, 0.0)])
    assert comparison.tasks[0].pass_rate_difference == -1
    assert (comparison.before.graded_again, comparison.after.graded_again) == (False, True)


def test_what_differs_in_the_runs_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = write_run(tmp_path / "a", [plan("fix", 1, model="small")], [trial("fix", 0)])
    second = write_run(tmp_path / "b", [plan("fix", 1, model="large", provider="local")], [trial("fix", 0)])
    comparison = compare_runs(JournalIndex(first.journal), JournalIndex(second.journal))
    assert comparison.differs == ("models", "providers")
    assert (comparison.before.models, comparison.after.models) == (("small",), ("large",))
    assert comparison.before.skills == ("lint (sha256:5k111)",)

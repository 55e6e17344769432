from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillgrade.engine.plan import Plan, make_plan
from skillgrade.engine.resume import Recorded, read_recorded, save_fingerprint
from skillgrade.engine.run import FinishedRun, RunOptions, run
from skillgrade.errors import SkillgradeError, UsageError, UserError
from skillgrade.results.folder import RunFolder, create_run_folder, find_run_folder, run_folders
from skillgrade.results.journal import Journal
from skillgrade.results.records import Outcome
from skillgrade.results.redaction import Redactor
from skillgrade.results.report_file import build_report, load_report
from skillgrade.stop import Stop
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import AgentSpec, DockerSpec, Suite, Task
from tests.support.judges import judging
from tests.support.listening import Remembering
from tests.support.results import INFO, regrade, trial
from tests.support.tasks import grader, make_suite, make_task

FLAKY = """
count=$(cat {count} 2>/dev/null || echo 0); echo $((count + 1)) > {count}
[ $count -ge {breaks} ] && printf '{{"score": 1, "details": "at last"}}' || echo broken
"""


def local(name: str = "task", command: str = "true", **fields: Any) -> Task:
    return make_task(name, **{"provider": "local", "agent": AgentSpec("command", command=command), **fields})


def planned(suite: Suite) -> Plan:
    return make_plan(suite, {}, {}, Stop())


def start(root: Path, *tasks: Task, resumed: RunFolder | None = None, **more: Any) -> FinishedRun:
    plan = planned(make_suite(root, *tasks))
    options = RunOptions(root / ".skillgrade", 2, resumed=resumed)
    listener = more.pop("listener", None) or Remembering()
    return run(plan, options, judging(root), Redactor([]), listener, more.pop("stop", None) or Stop())


def outcomes(finished: FinishedRun) -> list[tuple[str, int, Outcome, int]]:
    return [
        (task.info.task, one.record.trial, one.record.outcome, one.attempts)
        for task in finished.report.tasks
        for one in task.trials
    ]


def test_only_what_has_no_verdict_runs_again(tmp_path: Path) -> None:
    stop = Stop()
    fails = grader("""echo '{"score": 0, "details": "no"}'""")
    tasks = (local("passes"), local("fails", graders=(fails,)), local("endless", command="sleep 600", trials=2))
    seen: list[str] = []

    def stop_at_two(record: Any) -> None:
        seen.append(record.task)
        if len(seen) == 2:
            stop.set()

    first = start(tmp_path, *tasks, listener=Remembering(stop_at_two), stop=stop)
    assert first.report.interrupted
    with pytest.raises(UsageError, match='task "endless" changed'):
        start(tmp_path, *tasks[:2], replace(tasks[2], timeout=1), resumed=first.folder)
    second_stop = Stop()
    listener = StoppingAtTheSecondStart(second_stop)
    second = start(tmp_path, *tasks, resumed=first.folder, stop=second_stop, listener=listener)
    assert [(task, number) for task, number, _ in listener.started] == [("endless", 0), ("endless", 1)]
    assert second.folder == first.folder
    kept = [entry for entry in outcomes(second) if entry[0] != "endless"]
    assert kept == [("passes", 0, Outcome.PASSED, 1), ("fails", 0, Outcome.FAILED, 1)]


class StoppingAtTheSecondStart(Remembering):
    def __init__(self, stop: Stop) -> None:
        super().__init__()
        self._stop = stop

    def trial_started(self, task: str, trial: int, attempt: int) -> None:
        super().trial_started(task, trial, attempt)
        if len(self.started) == 2:
            self._stop.set()


def test_a_trial_that_was_graded_again_is_taken_by_its_latest_outcome(tmp_path: Path) -> None:
    broken = local(graders=(grader("echo broken"),), trials=2, retries=0)
    first = start(tmp_path, broken)
    assert [outcome for _, _, outcome, _ in outcomes(first)] == [Outcome.ERRORED] * 2
    with Journal.reopen(first.folder.journal) as journal:
        journal.regraded(regrade("task", 0, 0.75))
    listener = Remembering()
    second = start(tmp_path, broken, resumed=first.folder, listener=listener)
    assert listener.started == [("task", 1, 1)]
    assert outcomes(second) == [("task", 0, Outcome.PASSED, 1), ("task", 1, Outcome.ERRORED, 2)]


def test_an_errored_trial_is_tried_again_with_all_its_retries_and_new_attempts(tmp_path: Path) -> None:
    flaky = local(graders=(grader(FLAKY.format(count=tmp_path / "count", breaks=3)),), retries=1)
    first = start(tmp_path, flaky)
    assert outcomes(first) == [("task", 0, Outcome.ERRORED, 2)]
    second = start(tmp_path, flaky, resumed=first.folder)
    assert outcomes(second) == [("task", 0, Outcome.PASSED, 4)]
    attempts = first.folder.path / "trials" / "task" / "0"
    assert sorted(path.name for path in attempts.iterdir()) == ["0", "1", "2", "3"]
    assert not second.report.interrupted


def test_a_finished_run_has_nothing_left_to_do(tmp_path: Path) -> None:
    first = start(tmp_path, local(trials=2))
    listener = Remembering()
    second = start(tmp_path, local(trials=2), resumed=first.folder, listener=listener)
    assert listener.started == []
    assert "nothing is left to run" in listener.notes[0]
    assert outcomes(second) == outcomes(first)


def test_what_a_killed_session_left_of_an_attempt_is_not_mixed_with_the_new_one(tmp_path: Path) -> None:
    stop = Stop()
    stop.set()
    first = start(tmp_path, local(), stop=stop)
    stale = first.folder.path / "trials" / "task" / "0" / "0"
    stale.mkdir(parents=True)
    (stale / "grader-7.stdout").write_text("of another life")
    second = start(tmp_path, local(), resumed=first.folder)
    assert outcomes(second) == [("task", 0, Outcome.PASSED, 1)]
    assert not (stale / "grader-7.stdout").exists()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"trials": 5}, 'task "task": planned was 1 and is 5'),
        ({"threshold": 0.1}, 'task "task": threshold was 0.8 and is 0.1'),
        ({"instruction": "something else"}, 'task "task" changed'),
        ({"agent": AgentSpec("command", command="false")}, 'task "task" changed'),
        ({"graders": (grader(weight=0.5),)}, 'task "task" changed'),
        ({"docker": DockerSpec(setup="true")}, 'task "task" changed'),
        ({"name": "other"}, 'task "other" is new; task "task" is gone'),
    ],
)
def test_a_difference_is_named_and_refused(tmp_path: Path, change: dict[str, Any], named: str) -> None:
    first = start(tmp_path, local())
    with pytest.raises(UsageError) as caught:
        start(tmp_path, replace(local(), **change), resumed=first.folder)
    assert named in str(caught.value)
    assert "start a new run" in str(caught.value)
    assert load_report(first.folder.report) == first.report


@pytest.mark.parametrize("change", [{"retries": 9}, {"line": 77}])
def test_what_no_outcome_depends_on_may_change(tmp_path: Path, change: dict[str, Any]) -> None:
    first = start(tmp_path, local())
    assert outcomes(start(tmp_path, replace(local(), **change), resumed=first.folder)) == outcomes(first)


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "graders").mkdir()
    (tmp_path / "SKILL.md").write_text("# Skill")
    (tmp_path / "graders" / "check.sh").write_text("""echo '{"score": 1, "details": ""}'""")
    (tmp_path / "eval.yaml").write_text(
        "tasks: [{name: a, instruction: x, graders: [{type: deterministic, run: bash graders/check.sh}]}]"
    )
    folder = create_run_folder(tmp_path / "out")

    def plan() -> Plan:
        suite = load_suite(tmp_path, results=run_folders(tmp_path / "out"))
        tasks = (replace(task, provider="local", agent=AgentSpec(command="true")) for task in suite.tasks)
        return planned(replace(suite, tasks=tuple(tasks)))

    save_fingerprint(folder, plan())
    Journal.create(folder.journal, INFO, []).close()
    assert read_recorded(folder, plan(), []) == Recorded()
    (tmp_path / "graders" / "check.sh").write_text("echo other")
    (tmp_path / "SKILL.md").write_text("# Skill\nmore")
    with pytest.raises(UsageError) as caught:
        read_recorded(folder, plan(), [])
    assert "graders/check.sh changed; skill " in str(caught.value)
    assert ": SKILL.md changed" in str(caught.value)


def test_many_differences_are_counted(tmp_path: Path) -> None:
    first = start(tmp_path, *(local(f"t{number}") for number in range(8)))
    with pytest.raises(UsageError, match="and 3 more"):
        start(tmp_path, *(local(f"t{number}", command="false") for number in range(8)), resumed=first.folder)


def test_a_run_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    first = start(tmp_path, local())
    with Journal.reopen(first.folder.journal), pytest.raises(UsageError, match="another skillgrade is writing"):
        start(tmp_path, local(), resumed=first.folder)


def test_a_run_whose_fingerprint_is_gone_cannot_go_on(tmp_path: Path) -> None:
    first = start(tmp_path, local())
    first.folder.fingerprint.unlink()
    with pytest.raises(UserError, match=r"suite\.json: cannot be read"):
        start(tmp_path, local(), resumed=first.folder)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_folder_cut_at_any_byte_of_any_file_never_crashes_a_reader_nor_counts_a_trial_twice(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("cut")
    finished = start(root, local(trials=2), local("other"))
    files = [finished.folder.journal, finished.folder.report, finished.folder.fingerprint]
    file = data.draw(st.sampled_from(files), label="file")
    # A share of the size, since durations make the size differ from run to run.
    os.truncate(file, round(data.draw(st.integers(0, 10_000), label="cut") / 10_000 * file.stat().st_size))
    for read in (
        lambda: build_report(finished.folder.journal),
        lambda: load_report(finished.folder.report),
        lambda: find_run_folder(root / ".skillgrade", "latest"),
    ):
        with suppress(UserError):
            read()
    try:
        again = start(root, local(trials=2), local("other"), resumed=finished.folder)
    except SkillgradeError:
        assert file != finished.folder.report
        return
    assert outcomes(again) == [(task, n, Outcome.PASSED, 1) for task, n in (("task", 0), ("task", 1), ("other", 0))]
    assert again.report.totals.graded == 3
    json.loads(finished.folder.report.read_bytes())


def test_attempts_are_counted_on_where_the_journal_ends(tmp_path: Path) -> None:
    first = start(tmp_path, local(trials=2))
    with Journal.reopen(first.folder.journal) as journal:
        journal.append(trial("task", 1, None, outcome=Outcome.CANCELLED, attempt=1))
    plan = planned(make_suite(tmp_path, local(trials=2)))
    index_tasks = [task.info for task in build_report(first.folder.journal).tasks]
    assert read_recorded(first.folder, plan, index_tasks) == Recorded(frozenset({("task", 0)}), {("task", 1): 2})

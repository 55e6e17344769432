from __future__ import annotations

import json
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillgrade.engine.plan import Plan, make_plan
from skillgrade.engine.run import FinishedRun, RunOptions, run
from skillgrade.errors import StorageError
from skillgrade.results.records import Outcome
from skillgrade.results.redaction import Redactor
from skillgrade.results.report_file import load_report
from skillgrade.skill.model import Skill
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, DockerSpec, Task
from tests.support.judges import judging
from tests.support.listening import Remembering
from tests.support.processes import eventually
from tests.support.tasks import grader, make_suite, make_task

FAIL_ONCE = """
if [ -e {marker} ]; then printf '{{"score": 1, "details": "second time"}}'; else touch {marker}; echo broken; fi
"""


def local(name: str = "task", command: str = "true", **fields: Any) -> Task:
    return make_task(name, provider="local", agent=AgentSpec("command", command=command), **fields)


def plan(root: Path, *tasks: Task, **fields: Any) -> Plan:
    return make_plan(make_suite(root, *tasks, **fields), {}, {}, Stop())


def execute(
    root: Path,
    *tasks: Task,
    parallel: int = 2,
    listener: Remembering | None = None,
    stop: Stop | None = None,
    redactor: Redactor | None = None,
    **fields: Any,
) -> FinishedRun:
    options = RunOptions(base=root / ".skillgrade", parallel=parallel)
    return run(
        plan(root, *tasks, **fields),
        options,
        judging(root),
        redactor or Redactor([]),
        listener or Remembering(),
        stop or Stop(),
    )


def test_all_trials_of_all_tasks_run_and_are_reported(tmp_path: Path) -> None:
    fails = grader("""echo '{"score": 0.25, "details": "a quarter"}'""")
    listener = Remembering()
    finished = execute(tmp_path, local("a", trials=3), local("b", trials=2, graders=(fails,)), listener=listener)
    tasks = {task.info.task: task for task in finished.report.tasks}
    assert (tasks["a"].passed, tasks["a"].graded, tasks["a"].mean_reward) == (3, 3, 1.0)
    assert (tasks["b"].passed, tasks["b"].failed, tasks["b"].mean_reward) == (0, 2, 0.25)
    assert finished.report.totals.mean_reward == 0.625
    assert listener.planned == (5, 2)
    assert listener.ended == 1
    assert load_report(finished.folder.report) == finished.report


def test_tasks_take_turns_so_that_none_waits_for_another(tmp_path: Path) -> None:
    listener = Remembering()
    execute(tmp_path, local("a", trials=3), local("b", trials=1), local("c", trials=2), parallel=1, listener=listener)
    assert [(task, trial) for task, trial, _ in listener.started] == [
        ("a", 0), ("b", 0), ("c", 0), ("a", 1), ("c", 1), ("a", 2),
    ]  # fmt: skip


def test_an_error_is_tried_again_and_the_first_attempt_is_kept(tmp_path: Path) -> None:
    flaky = grader(FAIL_ONCE.format(marker=tmp_path / "marker"))
    listener = Remembering()
    finished = execute(tmp_path, local(graders=(flaky,), retries=1), listener=listener)
    (trial,) = finished.report.tasks[0].trials
    assert (trial.record.outcome, trial.record.attempt, trial.attempts) == (Outcome.PASSED, 1, 2)
    assert "broken" in trial.earlier_errors[0].reason
    assert [(record.attempt, retried) for record, retried in listener.finished] == [(0, True), (1, False)]
    attempts = finished.folder.path / "trials" / "task" / "0"
    assert (attempts / "0" / "grader-0.stdout").read_text() == "broken\n"
    assert (attempts / "1" / "grader-0.stdout").read_text() == '{"score": 1, "details": "second time"}'


def test_an_error_stays_an_error_when_its_retries_are_used_up(tmp_path: Path) -> None:
    finished = execute(tmp_path, local(graders=(grader("echo broken"),), retries=2))
    assert finished.report.totals.errored == 1
    assert finished.report.totals.mean_reward is None
    (trial,) = finished.report.tasks[0].trials
    assert trial.attempts == 3


def test_a_failure_is_never_tried_again(tmp_path: Path) -> None:
    listener = Remembering()
    fails = grader("""echo '{"score": 0, "details": "no"}'""")
    execute(tmp_path, local(graders=(fails,), retries=5), listener=listener)
    assert len(listener.started) == 1


def test_an_environment_that_cannot_be_made_errors_its_own_trials_only_and_is_not_tried_again(tmp_path: Path) -> None:
    broken = local("broken", docker=DockerSpec(setup="echo the reason >&2; exit 9"), retries=3, trials=2)
    listener = Remembering()
    finished = execute(tmp_path, broken, local("sound"), listener=listener)
    tasks = {task.info.task: task for task in finished.report.tasks}
    assert tasks["sound"].passed == 1
    assert tasks["broken"].errored == 2
    (trial, _) = tasks["broken"].trials
    assert trial.attempts == 1
    assert trial.record.error is not None
    assert trial.record.error.stage == "image"
    assert "the reason" in trial.record.error.reason


def test_a_stop_keeps_what_finished_and_reports_the_rest_as_cancelled(tmp_path: Path) -> None:
    stop = Stop()
    listener = Remembering(on_finished=lambda record: stop.set())
    quick, endless = local("quick"), local("endless", command="sleep 600", trials=3)
    finished = execute(tmp_path, quick, endless, listener=listener, stop=stop)
    tasks = {task.info.task: task for task in finished.report.tasks}
    assert finished.report.interrupted
    assert tasks["quick"].passed == 1
    assert tasks["endless"].cancelled == 3
    assert listener.ended == 1


def test_a_stop_before_anything_runs_still_gives_a_report(tmp_path: Path) -> None:
    stop = Stop()
    stop.set()
    finished = execute(tmp_path, local(docker=DockerSpec(setup="sleep 600")), stop=stop)
    assert finished.report.interrupted
    assert finished.report.totals.cancelled == 1


def test_the_skill_reaches_the_workspace_without_the_eval_s_files(tmp_path: Path) -> None:
    root = tmp_path / "skill"
    (root / "graders").mkdir(parents=True)
    for name in ("SKILL.md", "eval.yaml", "graders/check.sh", "reference.md"):
        (root / name).write_text("x")
    skill = Skill("my-skill", "", root)
    look = """printf '{"score": 1, "details": "%s"}' "$(cd .claude/skills && find . -type f | sort | tr '\\n' ' ')" """
    finished = execute(root, local(graders=(grader(look),)), skills=(skill,))
    (trial,) = finished.report.tasks[0].trials
    assert trial.record.grader_results[0].details.split() == ["./my-skill/SKILL.md", "./my-skill/reference.md"]
    assert [info.name for info in finished.report.info.skills] == ["my-skill"]


@pytest.mark.parametrize("base", ["out", "."])
def test_results_that_lie_in_the_skill_do_not_go_with_it(tmp_path: Path, base: str) -> None:
    (tmp_path / "SKILL.md").write_text("x")
    look = """printf '{"score": 1, "details": "%s"}' "$(cd .claude/skills && find . -type f | sort | tr '\\n' ' ')" """
    for _ in range(2):
        made = plan(tmp_path, local(graders=(grader(look),)), skills=(Skill("my-skill", "", tmp_path),))
        finished = run(made, RunOptions(tmp_path / base, 1), judging(tmp_path), Redactor([]), Remembering(), Stop())
        (trial,) = finished.report.tasks[0].trials
        assert trial.record.grader_results[0].details.split() == ["./my-skill/SKILL.md"]


def test_two_runs_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Each waits in its trial until the other one has begun its own."""
    wait = "touch {me}; until [ -e {other} ]; do sleep 0.01; done"
    marks = tmp_path / "one", tmp_path / "two"
    commands = [wait.format(me=me, other=other) for me, other in (marks, marks[::-1])]
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda command: execute(tmp_path, local(command=command, timeout=30)), commands)
    assert first.folder.path != second.folder.path
    for finished in (first, second):
        assert (finished.report.totals.passed, finished.report.totals.graded) == (1, 1)
        assert load_report(finished.folder.report) == finished.report


def test_task_names_never_leave_the_run_folder(tmp_path: Path) -> None:
    names = ["a/b", "../../victim", "42", "ünï cödé", "x" * 300, "CON", "a\nb"]
    finished = execute(tmp_path, *(local(name) for name in names))
    assert [task.info.task for task in finished.report.tasks] == names
    assert finished.report.totals.passed == len(names)
    assert [path.name for path in tmp_path.iterdir()] == [".skillgrade"]
    assert not (tmp_path.parent / "victim").exists()
    assert len(list((finished.folder.path / "trials").iterdir())) == len(names)


def test_secrets_of_the_plan_are_redacted_in_the_report(tmp_path: Path) -> None:
    finished = execute(tmp_path, local(metadata={"note": "it is s3cr3t-value"}), redactor=Redactor(["s3cr3t-value"]))
    assert json.loads(finished.folder.report.read_text())["tasks"][0]["metadata"] == {"note": "it is [redacted]"}


def test_results_that_cannot_be_written_end_the_run_with_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / ".skillgrade").write_text("a file where the folder belongs")
    with pytest.raises(StorageError, match=r"\.skillgrade"):
        execute(tmp_path, local())


def test_the_results_folder_vanishing_in_the_middle_is_no_traceback(tmp_path: Path) -> None:
    vanishing = local(command="true", trials=2)
    base = tmp_path / ".skillgrade"
    with pytest.raises(StorageError):
        execute(tmp_path, vanishing, parallel=1, listener=Remembering(lambda record: shutil.rmtree(base)))


def test_the_plan_s_flags_are_in_the_report(tmp_path: Path) -> None:
    made = plan(tmp_path, local())
    options = RunOptions(tmp_path / "out", 1, ("--eval=task",), ("deterministic",), partial=True)
    info = run(made, options, judging(tmp_path), Redactor([]), Remembering(), Stop()).report.info
    assert (info.selection, info.grader_filter, info.partial) == (("--eval=task",), ("deterministic",), True)
    assert replace(info, run_id="").suite_digest == "sha256:0"


def test_a_stop_between_two_set_ups_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    stop = Stop()
    (tmp_path / "SKILL.md").write_text("x")
    quick = local("quick", docker=DockerSpec(setup="true"))
    slow = local("slow", docker=DockerSpec(setup=f"touch {tmp_path}/began; sleep 600"))

    def stop_when_begun() -> None:
        assert eventually((tmp_path / "began").exists)
        stop.set()

    stopper = threading.Thread(target=stop_when_begun)
    stopper.start()
    finished = execute(tmp_path, quick, slow, stop=stop, skills=(Skill("s", "", tmp_path),))
    stopper.join()
    assert finished.report.interrupted
    assert list(temporary.iterdir()) == []

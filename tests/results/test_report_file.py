from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from skillgrade.errors import Stage, StorageError, UserError
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal import Journal
from skillgrade.results.records import Outcome, TrialError
from skillgrade.results.report import RunReport, Totals, TrialReport
from skillgrade.results.report_file import build_report, keep_report, load_report, write_report
from skillgrade.results.run_info import RunEnd, RunPrepared
from skillgrade.results.statistics import Interval
from tests.support.results import INFO, full_trial, plan, trial, write_run

PLANS = (plan("fix", 4, metadata={"tier": "easy"}), plan("write – it", 2, threshold=0.6))


def run_of_every_outcome(folder: Path, end: RunEnd | None = None) -> RunFolder:
    records = [
        trial("fix", 0, 1.0, tokens={"input": 10}, cost_usd=0.5),
        trial("fix", 1, 0.25, image="sha256:b"),
        trial("fix", 2, None, tokens={"input": 5, "output": 1}, cost_usd=0.25, image="sha256:a"),
        trial("fix", 2, 0.75, attempt=1),
        trial("fix", 3, None),
        trial("fix", 3, None, attempt=1),
        trial("write – it", 0, None, outcome=Outcome.UNGRADED),
        trial("write – it", 1, None, outcome=Outcome.CANCELLED),
    ]
    return write_run(folder, PLANS, records, end or RunEnd(duration_ms=1200, interrupted=False))


def test_only_verdicts_enter_rates_and_everything_is_counted(tmp_path: Path) -> None:
    fix, write = write_report(run_of_every_outcome(tmp_path)).tasks
    assert (fix.info.planned, fix.graded, fix.passed, fix.failed) == (4, 3, 2, 1)
    assert (fix.errored, fix.ungraded, fix.cancelled) == (1, 0, 0)
    assert fix.mean_reward == pytest.approx(2 / 3)
    assert fix.mean_reward_bounds == Interval(0.5, 0.75)
    assert fix.pass_rate == pytest.approx(2 / 3)
    assert fix.pass_at_k == {1: pytest.approx(2 / 3), 2: 1.0, 3: 1.0, 4: None}
    assert fix.pass_pow_k == {1: pytest.approx(2 / 3), 2: pytest.approx(1 / 3), 3: 0.0, 4: None}
    assert fix.images == ("sha256:a", "sha256:b")
    assert (write.graded, write.errored, write.ungraded, write.cancelled) == (0, 0, 1, 1)
    assert (write.mean_reward, write.mean_reward_interval, write.pass_rate, write.pass_rate_interval) == (None,) * 4
    assert write.mean_reward_bounds == Interval(0.0, 1.0)
    assert write.pass_at_k == {1: None, 2: None}


def test_totals_take_tasks_as_the_unit(tmp_path: Path) -> None:
    records = [trial("a", number, 1.0) for number in range(8)] + [trial("b", 0, 0.25), trial("b", 1, 0.75)]
    plans = [plan("a", 8), plan("b", 2), plan("c", 5)]
    totals = write_report(write_run(tmp_path, plans, records)).totals
    assert totals == Totals(
        tasks=3,
        tasks_graded=2,
        planned=15,
        graded=10,
        passed=9,
        failed=1,
        errored=0,
        ungraded=0,
        cancelled=5,
        mean_reward=0.75,
        mean_reward_interval=Interval(0.0, 1.0),
        mean_reward_bounds=Interval(0.5, pytest.approx(5 / 6)),  # type: ignore[arg-type]  # compares like a float
        pass_rate=0.75,
        pass_rate_interval=Interval(0.0, 1.0),
    )


def test_usage_is_that_of_every_attempt(tmp_path: Path) -> None:
    totals = write_report(run_of_every_outcome(tmp_path)).totals
    assert totals.tokens == {"input": 15, "output": 1}
    assert totals.cost_usd == 0.75


def test_the_last_attempt_counts_and_earlier_errors_are_kept(tmp_path: Path) -> None:
    fix = write_report(run_of_every_outcome(tmp_path)).tasks[0]
    second, third, fourth = list(fix.trials)[1:]
    assert (second.attempts, second.earlier_errors) == (1, ())
    assert third.record.reward == 0.75
    assert (third.attempts, third.earlier_errors) == (
        2,
        (TrialError(Stage.GRADE, "grader 0 of trial 2 broke at attempt 0"),),
    )
    assert fourth.record.outcome is Outcome.ERRORED
    assert fourth.record.error == TrialError(Stage.GRADE, "grader 0 of trial 3 broke at attempt 1")


def test_what_is_loaded_is_what_was_written(tmp_path: Path) -> None:
    run = write_run(tmp_path, PLANS, [full_trial("fix", 0), full_trial("fix", 1), trial("write – it", 1, None)])
    written = write_report(run)
    loaded = load_report(run.report)
    assert loaded == written == build_report(run.journal)
    for one, other in zip(loaded.tasks, written.tasks, strict=True):
        assert list(one.trials) == list(other.trials) == list(other.trials)
    assert next(iter(loaded.tasks[0].trials)) == TrialReport(full_trial("fix", 0))


def test_the_document_has_a_line_per_trial(tmp_path: Path) -> None:
    run = run_of_every_outcome(tmp_path)
    write_report(run)
    document = json.loads(run.report.read_text(encoding="utf-8"))
    assert document["run_id"] == INFO.run_id
    assert document["tasks"][0]["trials"][2]["earlier_errors"][0]["stage"] == "grade"
    lines = run.report.read_text(encoding="utf-8").splitlines()
    trials = [json.JSONDecoder().raw_decode(line)[0] for line in lines if line.startswith('{"task":"fix","trial":')]
    assert trials == document["tasks"][0]["trials"]
    assert [trial["trial"] for trial in trials] == [0, 1, 2, 3]


def test_a_killed_run_says_so_and_counts_what_never_started(tmp_path: Path) -> None:
    report = write_report(write_run(tmp_path, PLANS, [trial("fix", 0)], end=None))
    assert (report.interrupted, report.duration_ms) == (True, None)
    assert (report.totals.planned, report.totals.graded, report.totals.cancelled) == (6, 1, 5)


def test_a_field_of_all_tasks_is_one_of_the_run(tmp_path: Path) -> None:
    plans = [plan("a", 1, agent="claude", model="small"), plan("b", 1, agent="claude", model="large")]
    report = write_report(write_run(tmp_path, plans, []))
    assert (report.agent, report.model, report.agent_version, report.provider, report.isolation) == (
        "claude",
        None,
        None,
        "docker",
        "container",
    )


def test_agents_have_the_versions_that_their_sessions_found(tmp_path: Path) -> None:
    run = write_run(tmp_path, [plan("a", 1, agent="claude"), plan("b", 1, agent="codex")], [])
    with Journal.reopen(run.journal) as journal:
        for version in ("2.1", "2.1", "2.2"):
            journal.prepared(RunPrepared((), (), {"a": version}))
    report = write_report(run)
    assert [task.info.agent_version for task in report.tasks] == ["2.1, 2.2", None]
    assert report.agent_version is None


def test_a_report_that_cannot_be_written_leaves_the_earlier_one(tmp_path: Path) -> None:
    run = run_of_every_outcome(tmp_path)
    run.report.mkdir()
    with pytest.raises(StorageError, match=r"report\.json: cannot be written"):
        write_report(run)


def test_kept_reports_are_counted_up_and_hold_the_bytes_of_their_time(tmp_path: Path) -> None:
    run = run_of_every_outcome(tmp_path)
    write_report(run)
    run.report.write_bytes(first := run.report.read_bytes() + b"\n")
    kept = [keep_report(run)]
    run.report.write_bytes(b"second")
    kept.append(keep_report(run))
    assert [(path.name, path.read_bytes()) for path in kept] == [("report-1.json", first), ("report-2.json", b"second")]
    assert run.report.read_bytes() == b"second"


def test_of_a_killed_run_the_report_is_kept_that_its_journal_gives(tmp_path: Path) -> None:
    run = write_run(tmp_path, PLANS, [trial("fix", 0)], end=None)
    assert load_report(keep_report(run)) == build_report(run.journal)
    assert not run.report.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: len(text) // 2], "no JSON"),
        (lambda text: "", "no JSON"),
        (lambda text: "[]", "no JSON object"),
        (lambda text: "{}", "format: must be 1 for this version of skillgrade, and is None"),
        (lambda text: text.replace('"format": 1', '"format": 9'), "format: must be 1 for this version"),
        (lambda text: text.replace('"passed":2', '"passed":"2"'), "totals.passed: must be a whole number"),
        (lambda text: text.replace('"trial":3', '"trial":null'), r"tasks\[0\].trials\[3\].trial: must be a whole"),
        (lambda text: text.replace('"mean_reward":0.6', '"mean_reward":NaN,"x":0.6'), "must be a finite number"),
    ],
)  # fmt: skip
def test_a_foreign_report_is_the_users_error(tmp_path: Path, change: object, message: str) -> None:
    assert callable(change)
    run = run_of_every_outcome(tmp_path)
    write_report(run)
    run.report.write_text(change(run.report.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(UserError, match=rf"report\.json: not a report that this version can read: .*{message}"):
        load_report(run.report)


def test_no_report_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"report\.json: cannot be read \(No such file or directory\)"):
        load_report(tmp_path / "report.json")


def test_keys_of_a_newer_version_pass(tmp_path: Path) -> None:
    run = run_of_every_outcome(tmp_path)
    written: RunReport = write_report(run)
    run.report.write_text(run.report.read_text(encoding="utf-8").replace('"totals": {', '"mood": 1, "totals": {"x":2,'))
    assert load_report(run.report) == written


def test_memory_hardly_grows_with_the_number_of_trials(tmp_path: Path) -> None:
    def peak(trials: int) -> int:
        record = replace(full_trial(), notes=("x" * 2000,))
        folder = tmp_path / str(trials)
        folder.mkdir()
        records = (replace(record, trial=number) for number in range(trials))
        run = write_run(folder, [plan("fix", trials)], records)
        tracemalloc.start()
        write_report(run)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    few, many = peak(10), peak(610)
    assert (many - few) / 600 < 800  # bytes per trial, of about 3,000 in the journal

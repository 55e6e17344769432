from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from skillgrade.reports.terminal.summary import print_summary
from skillgrade.reports.terminal.trials import STORIES_PER_TASK
from skillgrade.results.records import AgentRun, Check, GraderResult, GraderStatus, Outcome, TrialRecord
from skillgrade.results.report_file import build_report
from skillgrade.results.run_info import RunEnd, RunInfo, TaskInfo
from tests.support.results import ENDED, INFO, full_trial, plan, trial, write_run
from tests.support.terminals import plain_console, written


def summary(
    folder: Path,
    tasks: Sequence[TaskInfo],
    records: Iterable[TrialRecord],
    *,
    every_trial: bool = False,
    info: RunInfo = INFO,
    end: RunEnd | None = ENDED,
) -> str:
    run = write_run(folder, tasks, records, end, info)
    console = plain_console()
    print_summary(console, build_report(run.journal), folder, every_trial=every_trial)
    return written(console)


def row(text: str, start: str) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith(start)).split("  ")


def test_each_task_has_a_row_and_the_suite_its_totals(tmp_path: Path) -> None:
    records = [trial("a", n) for n in range(3)] + [trial("b", 0, 0.5), trial("b", 1, 0.0)]
    text = summary(tmp_path, [plan("a", 3), plan("b", 2)], records)
    assert text.splitlines()[1].startswith(
        "eval.yaml · skill lint · agent command · docker (isolation container) · 1.2 s"
    )
    assert [cell.strip() for cell in row(text, "a ") if cell.strip()] == [
        "a", "3 of 3", "3", "100% [44%, 100%]", "1.00 [0.44, 1.00]", "100% (@3)", "100% (^3)",
    ]  # fmt: skip
    assert [cell.strip() for cell in row(text, "b ") if cell.strip()] == [
        "b", "2 of 2", "1", "50% [9%, 91%]", "0.25 [0.00, 1.00]", "100% (@2)", "0% (^2)",
    ]  # fmt: skip
    assert [cell.strip() for cell in row(text, "all 2 tasks") if cell.strip()][:4] == [
        "all 2 tasks", "5 of 5", "4", "75% [0%, 100%]",
    ]  # fmt: skip


def test_a_single_task_needs_no_totals(tmp_path: Path) -> None:
    assert "all 1" not in summary(tmp_path, [plan("a", 1)], [trial("a")])


def test_a_failed_trial_is_explained_check_by_check(tmp_path: Path) -> None:
    checks = (Check("file", passed=True, message="there"), Check("style", passed=False, message="3 spaces"))
    result = GraderResult("deterministic", 0, GraderStatus.OK, 0.25, 0.7, "1 of 2", checks)
    agent = AgentRun(exit_code=7, timed_out=False, duration_ms=1)
    text = summary(tmp_path, [plan("a", 1)], [trial("a", 0, 0.25, grader_results=(result,), agent=agent)])
    start = text.splitlines().index("1 failed:")
    assert text.splitlines()[start + 1 : start + 5] == [
        "  a #0 failed, reward 0.25, agent exit code 7",
        "    deterministic 0.25 (weight 0.7) 1 of 2",
        "      ✓ file: there",
        "      ✗ style: 3 spaces",
    ]


def test_errors_stand_apart_from_failures_with_stage_reason_and_attempts(tmp_path: Path) -> None:
    kept = GraderResult("deterministic", 0, GraderStatus.OK, 0.5, 1.0, "half")
    broke = GraderResult("deterministic", 1, GraderStatus.ERROR, None, 1.0, "it crashed")
    records = [
        trial("a", 0, None, attempt=0),
        replace(trial("a", 0, None, attempt=1, grader_results=(kept, broke)), answered_reward=0.5),
        trial("a", 1, 0.0),
    ]
    text = summary(tmp_path, [plan("a", 2)], records)
    assert "1 errored (no verdict; in no rate):" in text
    assert "  a #0 errored, 2 attempts" in text
    assert "grader 0 of trial 0 broke" not in text  # the grader's own line says it
    assert "    deterministic no score (weight 1) error: it crashed" in text
    assert "the graders that answered give 0.50; it counts nowhere" in text
    assert text.index("1 errored") < text.index("1 failed:")
    assert [cell.strip() for cell in row(text, "a ") if cell.strip()][:3] == ["a", "1 of 2", "0"]


def test_ungraded_trials_are_no_failures(tmp_path: Path) -> None:
    text = summary(tmp_path, [plan("a", 1)], [trial("a", 0, None, outcome=Outcome.UNGRADED)])
    assert "1 ungraded (no verdict; in no rate):" in text
    assert "failed" not in text


def test_equal_stories_of_a_task_are_told_once(tmp_path: Path) -> None:
    records = [trial("a", n, 0.0) for n in range(5)] + [trial("b", 0, 0.0), trial("b", 2, 0.0)]
    text = summary(tmp_path, [plan("a", 5), plan("b", 3)], records)
    assert [line for line in text.splitlines() if line.endswith("failed, reward 0.00")] == [
        "  a #0–#4 failed, reward 0.00",
        "  b #0, #2 failed, reward 0.00",
    ]


def test_every_task_gets_its_turn_and_a_long_list_is_cut(tmp_path: Path) -> None:
    count = STORIES_PER_TASK + 3
    records = [trial("a", n, n / 100) for n in range(count)] + [trial("b", 0, 0.0)]
    text = summary(tmp_path, [plan("a", count), plan("b", 1)], records)
    assert text.count("  a #") == STORIES_PER_TASK
    assert "… and 3 more of this task: skillgrade preview shows every trial" in text
    assert "  b #0 failed, reward 0.00" in text


def test_the_last_words_of_an_agent_that_failed_are_quoted(tmp_path: Path) -> None:
    (tmp_path / "err").write_text("one\ntwo\nthree\nError: \x1b[2JCannot find module 'x'\n\n")
    agent = AgentRun(exit_code=1, timed_out=False, duration_ms=1)
    text = summary(tmp_path, [plan("a", 1)], [trial("a", 0, 0.0, agent=agent, files={"agent.stderr": "err"})])
    assert "agent.stderr ends:\n      two\n      three\n      Error: \ufffd[2JCannot find module 'x'\n" in text
    assert "the agent ended with a failure in every trial" in text


def test_a_name_that_leads_out_of_the_run_is_not_followed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (tmp_path / "secret").write_text("s3cret")
    agent = AgentRun(exit_code=1, timed_out=False, duration_ms=1)
    for name in ("../secret", str(tmp_path / "secret")):
        (run / "journal.jsonl").unlink(missing_ok=True)
        text = summary(run, [plan("a", 1)], [trial("a", 0, 0.0, agent=agent, files={"agent.stderr": name})])
        assert "s3cret" not in text


def test_a_narrow_terminal_keeps_the_names(tmp_path: Path) -> None:
    run = write_run(tmp_path, [plan("sort-changes", 5)], [trial("sort-changes", n) for n in range(5)])
    console = plain_console(width=80)
    print_summary(console, build_report(run.journal), tmp_path, every_trial=False)
    text = written(console)
    assert re.search(r"^sort-changes +5 of 5 +5 +100% \[57%, 100%\] +1\.00 \[0\.57, 1\.00\]$", text, re.MULTILINE)
    assert "…" not in text


def test_every_trial_is_shown_when_asked_with_the_notes_of_the_run(tmp_path: Path) -> None:
    info = replace(INFO, notes=("local isolates nothing",))
    text = summary(tmp_path, [plan("fix", 1)], [full_trial()], every_trial=True, info=info)
    assert "note: local isolates nothing" in text
    assert "  fix #0 passed, reward 0.70" in text
    assert "note: the agent left a file at graders/check.sh" in text
    (tmp_path / "again").mkdir()
    assert "local isolates" not in summary(tmp_path / "again", [plan("fix", 1)], [full_trial()], info=info)


def test_an_interrupted_and_a_partial_run_say_so(tmp_path: Path) -> None:
    info = replace(INFO, partial=True, grader_filter=("deterministic",))
    text = summary(tmp_path, [plan("a", 3)], [trial("a")], info=info, end=RunEnd(10, interrupted=True))
    assert "interrupted: 2 of 3 trials did not run to their end" in text
    assert "partial: rewards are over deterministic graders only (--grader)" in text


def test_what_agents_and_graders_wrote_cannot_steer_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b[2J[bold]x[/bold]\rhidden"
    result = GraderResult(
        "deterministic", 0, GraderStatus.OK, 0.0, 1.0, evil, (Check(evil, passed=False, message=evil),)
    )
    text = summary(tmp_path, [plan(evil, 1)], [trial(evil, 0, 0.0, grader_results=(result,), notes=(evil,))])
    assert "\x1b" not in text
    assert "\r" not in text
    assert text.count("[bold]x[/bold]") == 6


def test_an_agent_that_ran_into_its_deadline_is_named(tmp_path: Path) -> None:
    agent = AgentRun(exit_code=None, timed_out=True, duration_ms=1)
    assert "agent ran into its deadline" in summary(tmp_path, [plan("a", 1)], [trial("a", 0, 0.0, agent=agent)])


def test_the_results_folder_stands_at_the_end(tmp_path: Path) -> None:
    assert summary(tmp_path, [plan("a", 1)], [trial("a")]).splitlines()[-1] == f"results: {tmp_path}"

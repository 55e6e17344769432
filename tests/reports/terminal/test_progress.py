from __future__ import annotations

from dataclasses import replace

from skillgrade.reports.terminal.progress import TerminalProgress
from skillgrade.results.records import AgentRun, Outcome
from tests.support.results import trial
from tests.support.terminals import plain_console, written


def test_elsewhere_than_on_terminals_there_are_plain_lines() -> None:
    console = plain_console()
    progress = TerminalProgress(console)
    progress.preparing("docker node:20-slim")
    progress.note("local isolates nothing")
    progress.run_started(3, 8)
    for number in range(3):
        progress.trial_started("a", number, 0)
    progress.trial_finished(trial("a", 0), retried=False)
    progress.trial_finished(trial("a", 1, None), retried=True)
    progress.trial_finished(replace(trial("a", 1), attempt=1), retried=False)
    late = AgentRun(exit_code=None, timed_out=True, duration_ms=40)
    progress.trial_finished(trial("a", 2, 0.0, agent=late), retried=False)
    progress.run_finished()
    assert written(console).splitlines() == [
        "preparing docker node:20-slim",
        "note: local isolates nothing",
        "3 trials, 3 at a time",
        "passed    a #0  reward 1.00  0.0 s",
        "errored   a #1  0.0 s  grade: grader 0 of trial 1 broke at attempt 0  (tried again)",
        "passed    a #1 (attempt 2)  reward 1.00  0.0 s",
        "failed    a #2  reward 0.00  0.0 s  the agent ran into its deadline",
    ]


def test_on_a_terminal_a_live_line_counts_what_is_done_and_leaves_nothing_behind() -> None:
    console = plain_console(terminal=True)
    progress = TerminalProgress(console)
    progress.run_started(4, 2)
    progress.trial_started("a", 0, 0)
    progress.trial_started("a", 1, 0)
    progress.trial_finished(trial("a", 0), retried=False)
    progress.trial_finished(trial("a", 1, None), retried=False)
    progress.trial_started("a", 2, 0)
    with console.capture() as shown:
        console.print(progress.status())
    status = shown.get()
    for part in ("2/4 trials", "1 running", "1 errored", "left"):
        assert part in status
    assert "failed" not in status
    progress.run_finished()
    progress.run_finished()
    assert "passed    a #0" in written(console)


def test_no_time_left_is_guessed_before_the_first_trial_is_done() -> None:
    console = plain_console()
    progress = TerminalProgress(console)
    progress.run_started(2, 1)
    console.print(progress.status())
    assert "left" not in written(console)


def test_a_retried_error_is_not_counted_as_done() -> None:
    console = plain_console()
    progress = TerminalProgress(console)
    progress.run_started(1, 1)
    progress.trial_started("a", 0, 0)
    progress.trial_finished(trial("a", 0, None), retried=True)
    console.print(progress.status())
    assert "0/1 trials · 0 running" in written(console)


def test_text_of_trials_cannot_steer_the_terminal() -> None:
    console = plain_console()
    TerminalProgress(console).trial_finished(trial("a\x1b[2J", outcome=Outcome.PASSED), retried=False)
    assert "\x1b" not in written(console)

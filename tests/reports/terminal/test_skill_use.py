"""How often skills were used, in the words of the summary."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from skillgrade.reports.terminal.skill_use import skill_lines
from skillgrade.reports.terminal.summary import print_summary
from skillgrade.results.records import Trigger, TriggerStatus
from skillgrade.results.report import TriggerCounts
from skillgrade.results.report_file import build_report
from tests.support.results import plan, trial, write_run
from tests.support.terminals import plain_console, written


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ((TriggerCounts("foo", triggered=3, not_triggered=2),), "fix: skill used in 3 of 5 trials"),
        ((TriggerCounts("foo", not_triggered=1),), "fix: skill used in 0 of 1 trial"),
        (
            (TriggerCounts("foo", triggered=1, attempted=2, unknown=2),),
            "fix: skill used in 1 of 3 trials, asked for in vain in 2, not known of 2",
        ),
        (
            (TriggerCounts("foo", triggered=1, not_triggered=1), TriggerCounts("bar", not_triggered=2)),
            "fix: skill foo used in 1 of 2 trials",
        ),
        (
            (TriggerCounts("foo", triggered=1, not_triggered=1), TriggerCounts("bar", attempted=1, unknown=1)),
            (
                "fix: skill foo used in 1 of 2 trials; "
                "skill bar used in 0 of 1 trial, asked for in vain in 1, not known of 1"
            ),
        ),
        (
            (TriggerCounts("foo", not_triggered=2), TriggerCounts("bar", not_triggered=1, unknown=1)),
            "fix: none of 2 skills used in 2 trials",
        ),
        ((TriggerCounts("foo", unknown=5),), None),
        ((), None),
    ],
)
def test_a_task_has_a_line_where_something_is_known(
    counts: tuple[TriggerCounts, ...], line: str | None, tmp_path: Path
) -> None:
    report = build_report(write_run(tmp_path, [plan("fix", 1)], [trial()]).journal)
    changed = replace(report, tasks=(replace(report.tasks[0], triggers=counts),))
    assert list(skill_lines(changed)) == ([line] if line else [])


def test_the_summary_says_how_often_and_the_preview_how_one_knows(tmp_path: Path) -> None:
    used = Trigger("foo", TriggerStatus.TRIGGERED, "event 3: the agent called its skill tool")
    unused = Trigger("foo", TriggerStatus.NOT_TRIGGERED, "nothing \x1b[31m that it did")
    records = [trial("fix", 0, triggers=(used,)), trial("fix", 1, 0.0, triggers=(unused,))]
    report = build_report(write_run(tmp_path, [plan("fix", 2)], records).journal)
    for every_trial in (False, True):
        console = plain_console()
        print_summary(console, report, tmp_path, every_trial=every_trial)
        text = written(console)
        assert "fix: skill used in 1 of 2 trials\n" in text
        assert ("    skill foo triggered: event 3: the agent called its skill tool\n" in text) is every_trial
        assert ("    skill foo not triggered: nothing \ufffd[31m that it did\n" in text) is every_trial

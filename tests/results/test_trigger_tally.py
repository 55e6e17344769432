"""How often skills were used, from records to a task's report."""

from __future__ import annotations

from pathlib import Path

from skillgrade.results.records import Outcome, TrialRecord, Trigger, TriggerStatus
from skillgrade.results.report import TriggerCounts
from skillgrade.results.report_file import build_report, load_report, write_report
from tests.support.results import plan, trial, write_run

TRIGGERED, ATTEMPTED = TriggerStatus.TRIGGERED, TriggerStatus.ATTEMPTED
NOT, UNKNOWN = TriggerStatus.NOT_TRIGGERED, TriggerStatus.UNKNOWN


def seen(number: int, *, attempt: int = 0, reward: float | None = 1.0, **skills: TriggerStatus) -> TrialRecord:
    triggers = tuple(Trigger(skill, status, "because") for skill, status in skills.items())
    return trial("fix", number, reward, attempt=attempt, triggers=triggers)


def test_each_trial_counts_once_by_its_last_attempt(tmp_path: Path) -> None:
    records = [
        seen(0, reward=None, foo=UNKNOWN, bar=UNKNOWN),
        seen(0, attempt=1, foo=TRIGGERED, bar=NOT),
        seen(1, foo=TRIGGERED, bar=ATTEMPTED),
        seen(2, foo=NOT, bar=UNKNOWN),
        trial("fix", 3, None, outcome=Outcome.CANCELLED),
    ]
    run = write_run(tmp_path, [plan("fix", 4), plan("other", 1)], [*records, trial("other")])
    fixed, other = build_report(run.journal).tasks
    assert fixed.triggers == (
        TriggerCounts("foo", triggered=2, not_triggered=1),
        TriggerCounts("bar", attempted=1, not_triggered=1, unknown=1),
    )
    assert [counts.known for counts in fixed.triggers] == [3, 2]
    assert other.triggers == ()
    write_report(run)
    assert load_report(run.report).tasks[0].triggers == fixed.triggers

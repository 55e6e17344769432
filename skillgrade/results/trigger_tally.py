"""How often skills were seen used in the trials of a task."""

from __future__ import annotations

from collections import Counter

from skillgrade.results.records import TrialRecord, TriggerStatus
from skillgrade.results.report import TriggerCounts


class TriggerTally:
    """Counts what was observed of each skill; a trial counts by its last attempt."""

    def __init__(self) -> None:
        self._by_skill: dict[str, Counter[TriggerStatus]] = {}

    def add(self, record: TrialRecord) -> None:
        """Count the attempt that counts."""
        for trigger in record.triggers:
            self._by_skill.setdefault(trigger.skill, Counter())[trigger.status] += 1

    def counts(self) -> tuple[TriggerCounts, ...]:
        """One entry for each skill of which something was recorded."""
        return tuple(
            TriggerCounts(skill, **{str(status): found[status] for status in TriggerStatus})
            for skill, found in self._by_skill.items()
        )

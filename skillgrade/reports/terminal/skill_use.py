"""How often agents used skills, as far as their output shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from skillgrade.reports.terminal.console import NAME_LIMIT
from skillgrade.reports.terminal.text import one_line

if TYPE_CHECKING:
    from skillgrade.results.report import RunReport, TriggerCounts


def skill_lines(report: RunReport) -> Iterator[str]:
    """A line for each task of which something is known; of several skills, those that were used or asked for."""
    for task in report.tasks:
        if known := [counts for counts in task.triggers if counts.known]:
            yield f"{one_line(task.info.task, NAME_LIMIT)}: {_in_words(known)}"


def _in_words(known: Sequence[TriggerCounts]) -> str:
    if len(known) == 1:
        return _use(known[0], "skill")
    wanted = [counts for counts in known if counts.triggered or counts.attempted]
    if not wanted:
        return f"none of {len(known)} skills used in {_trials(max(counts.known for counts in known))}"
    return "; ".join(_use(counts, f"skill {one_line(counts.skill, NAME_LIMIT)}") for counts in wanted)


def _use(counts: TriggerCounts, who: str) -> str:
    text = f"{who} used in {counts.triggered} of {_trials(counts.known)}"
    text += f", asked for in vain in {counts.attempted}" if counts.attempted else ""
    return text + (f", not known of {counts.unknown}" if counts.unknown else "")


def _trials(count: int) -> str:
    return "1 trial" if count == 1 else f"{count} trials"

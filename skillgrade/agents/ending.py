"""How an agent's tool ended, and whether it worked at all: an end that is no work on the task is no failed task."""

from __future__ import annotations

from skillgrade.capture import Captured
from skillgrade.transcript.failure import failure
from skillgrade.transcript.summary import TranscriptSummary
from skillgrade.workspace.base import CommandResult

_SHOWN = 300
"""Characters of what it said last that are shown."""


def failed(result: CommandResult, summary: TranscriptSummary) -> str | None:
    """Why what an agent with a model did says nothing about the task; None where it worked on it.

    Args:
        result: How its tool ended.
        summary: What its standard output came to.
    """
    if result.timed_out:
        if summary.answers or summary.calls:
            return None
        last = summary.errors[-1].message if summary.errors else last_line(result.stderr)
        return (
            f"the agent had no answer from its model when its time was over{f'; it said last: {last}' if last else ''}"
        )
    reason = failure(summary)
    if reason is not None and summary.recognized:
        return reason
    if reason is not None or result.exit_code != 0:
        return f"the agent {how_it_ended(result)}"
    return None


def how_it_ended(result: CommandResult) -> str:
    """Its exit code, and what it said last."""
    ended = "was killed at its deadline" if result.timed_out else f"ended with exit code {result.exit_code}"
    said = last_line(result.stderr) or last_line(result.stdout)
    return f"{ended} and said: {said}" if said else f"{ended} and said nothing"


def last_line(captured: Captured) -> str:
    """The last line of a stream that is not empty, cut where it is long."""
    lines = [line.strip() for line in captured.text().splitlines() if line.strip()]
    if not lines:
        return ""
    return lines[-1] if len(lines[-1]) <= _SHOWN else f"{lines[-1][:_SHOWN]}..."

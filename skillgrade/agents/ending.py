"""How an agent's tool ended, in words."""

from __future__ import annotations

from skillgrade.capture import Captured
from skillgrade.workspace.base import CommandResult

_SHOWN = 300
"""Characters of what it said last that are shown."""


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

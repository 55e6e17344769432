"""What is kept of a turn for graders that need no workspace: texts, redacted, free of host paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the agent was told, said and did until the end of a turn.

    The workspace's own path stands as ``/workspace`` in every text, so that the same work gives the same evidence
    wherever it ran.

    Attributes:
        turn: The turn, from 0.
        instruction: What the agent was told in this turn.
        transcript: The conversation so far.
        diff: What changed in the workspace since the trial's start, as a unified diff; None when nobody needed it.
        artifacts: The workspace files that graders name, by path; None for a file that was not there.
    """

    turn: int
    instruction: str
    transcript: str
    diff: str | None = None
    artifacts: Mapping[str, str | None] = field(default_factory=dict)

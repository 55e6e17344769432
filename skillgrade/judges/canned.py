"""Answers that nobody gave, by which a judge is tried: what it must pass, and what must not fool it.

Four are written by hand, as calibration. The others are made of them, of the task and of the criteria: what an agent
that games its judge would say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from skillgrade.judges.templates import source
from skillgrade.suite.model import Calibration

ECHO = "Sure. You asked: "
"""What the answer that only repeats the task begins with."""

_INJECTION = "canned-injection.j2"


class Kind(StrEnum):
    """What an answer tries, in the order in which they are tried."""

    EMPTY = "empty"
    ECHO = "echo"
    VAGUE = "vague"
    KNOWN_WRONG = "known-wrong"
    SUBTLE_WRONG = "subtle-wrong"
    INJECTION = "injection"
    STUFFED = "stuffed"
    KNOWN_RIGHT = "known-right"


@dataclass(frozen=True, slots=True)
class CannedAnswer:
    """An answer: what it tries, its text, and whether it must pass."""

    kind: Kind
    text: str

    @property
    def passes(self) -> bool:
        """Whether it must pass."""
        return self.kind is Kind.KNOWN_RIGHT


def canned_answers(
    prompt: str, rubric: str, criteria: Sequence[str], calibration: Calibration
) -> tuple[CannedAnswer, ...]:
    """The answers for one judge; those are missing of which the calibration lacks what they are made of.

    Args:
        prompt: What the agent would be told.
        rubric: The judge's rubric.
        criteria: Its criteria, those that must hold first.
        calibration: What was written by hand.
    """
    wrong = calibration.known_wrong
    texts = {
        Kind.EMPTY: "",
        Kind.ECHO: f"{ECHO}{prompt}",
        Kind.VAGUE: calibration.vague,
        Kind.KNOWN_WRONG: wrong,
        Kind.SUBTLE_WRONG: calibration.subtle_wrong,
        Kind.INJECTION: f"{wrong}\n\n{source(_INJECTION).rstrip()}" if wrong.strip() else "",
        Kind.STUFFED: "\n".join((f"{wrong}\n\n{rubric}", *criteria)) if wrong.strip() else "",
        Kind.KNOWN_RIGHT: calibration.known_right,
    }
    return tuple(CannedAnswer(kind, text) for kind, text in texts.items() if kind is Kind.EMPTY or text.strip())

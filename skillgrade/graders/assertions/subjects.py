"""What assertions look at: what was kept of a turn, or an answer alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from skillgrade.results.evidence import Call, Evidence
from skillgrade.results.records import Trigger
from skillgrade.suite.model import Assertion, Subject

T = TypeVar("T")


class UntoldError(Exception):
    """An assertion cannot be evaluated; the message says why."""


@dataclass(frozen=True, slots=True)
class Subjects:
    """What assertions look at. None stands for what nobody kept, or what the agent's output does not show.

    Attributes:
        answer: What the agent said last.
        created: The text files that it made or changed, by path.
        files: The workspace files that assertions name, by path; None for a file that was not there.
        transcript: All that was said and done.
        calls: Its tool calls.
        triggers: What was observed of each skill.
        tokens: What it used, by kind.
        cost_usd: What it cost.
        agent_ms: How long it worked.
    """

    answer: str | None = None
    created: Mapping[str, str] | None = None
    files: Mapping[str, str | None] = field(default_factory=dict)
    transcript: str | None = None
    calls: tuple[Call, ...] | None = None
    triggers: tuple[Trigger, ...] = ()
    tokens: Mapping[str, int] | None = None
    cost_usd: float | None = None
    agent_ms: int | None = None

    @classmethod
    def of_answer(cls, text: str) -> Subjects:
        """An answer that no agent gave, such as a calibration answer."""
        return cls(answer=text, created={}, transcript=text)

    @classmethod
    def of_evidence(cls, evidence: Evidence) -> Subjects:
        """What was kept of a turn."""
        return cls(
            answer=evidence.answer,
            created=evidence.created,
            files=evidence.artifacts,
            transcript=evidence.transcript,
            calls=evidence.calls,
            triggers=evidence.triggers,
            tokens=evidence.tokens,
            cost_usd=evidence.cost_usd,
            agent_ms=evidence.agent_ms,
        )

    def text(self, assertion: Assertion) -> str | None:
        """The text that an assertion looks at; None for a file that is not there.

        Raises:
            UntoldError: Nobody kept it.
        """
        if assertion.file is not None:
            return self.file(assertion.file)
        if assertion.subject is Subject.TRANSCRIPT:
            return _kept(self.transcript, "transcript")
        answer = _kept(self.answer, "answer")
        if assertion.subject is Subject.ANSWER:
            return answer
        created = _kept(self.created, "files that the agent made")
        return "".join((answer, *(f"\n\n--- FILE: {path} ---\n{text}" for path, text in sorted(created.items()))))

    def file(self, path: str) -> str | None:
        """What a file of the workspace holds; None where it is not there.

        Raises:
            UntoldError: Nobody kept it.
        """
        if path not in self.files:
            raise UntoldError(f"the run kept nothing of {path}: start a new run")
        return self.files[path]


def _kept(value: T | None, what: str) -> T:
    if value is None:
        raise UntoldError(f"the run kept no {what}: start a new run")
    return value

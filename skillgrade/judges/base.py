"""What judging is: a prompt and a judge in, samples out, wherever they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from skillgrade.results.records import Criterion, Sample
from skillgrade.stop import Stop


class Verdicts(StrEnum):
    """Where verdicts come from: providers, providers and then a recording, or a recording alone."""

    LIVE = "live"
    RECORD = "record"
    REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class Judge:
    """Who judges: a provider, and its model; None for the one that the run found (or, replaying, the recording's)."""

    provider: str
    model: str | None = None


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What a run's judging depends on; picklable, without secrets.

    Attributes:
        verdicts: Where verdicts come from.
        recording: The file of recorded verdicts of the suite.
        models: By provider, the model of judges that name none.
    """

    verdicts: Verdicts
    recording: Path
    models: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a judge is asked; the same trial gives the same bytes, whenever and wherever it ran.

    Attributes:
        version: The version of the templates.
        system: The instructions.
        user: The message with the untrusted data.
        schema: The JSON Schema of the reply.
    """

    version: str
    system: str
    user: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply as it was read.

    Attributes:
        score: 0..1.
        reasoning: The judge's words.
        points: What each section of the rubric got, in its order; empty without sections.
        criteria: What it says of each criterion; empty without criteria.
    """

    score: float
    reasoning: str
    points: tuple[float, ...] = ()
    criteria: tuple[Criterion, ...] = ()


class Judging(Protocol):
    """Asks judges for a run. Thread-safe."""

    @property
    def settings(self) -> JudgeSettings:
        """What it depends on."""

    def samples(
        self,
        task: str,
        prompt: Prompt,
        judge: Judge,
        count: int,
        read: Callable[[str], Reading],
        variables: Mapping[str, str],
        stop: Stop,
    ) -> tuple[Sample, ...]:
        """Ask one judge `count` times.

        Args:
            task: The task's name, for the recording.
            prompt: What it is asked.
            judge: Who.
            count: How many samples, >= 1.
            read: Reads a reply; raises `ReplyError` for what is no verdict, and then the judge is asked once more.
            variables: Where keys and addresses are looked up.
            stop: Ends it early.

        Raises:
            MissingKeyError: The provider's key is not set.
            ModelError: No reply could be had.
            RecordingError: Replaying, and the recording has no current verdict; the message has the command that
                mends it.
            Cancelled: The stop came.
        """

    def close(self) -> None:
        """Write what was recorded, and give back connections."""

"""What happens in a refinement: one event per line of its log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class RetryScope(StrEnum):
    """What the budget of retries is for: all of a refinement, or the time between two questions to the oracle."""

    TOTAL = "total"
    ROUND = "round"


class Verdict(StrEnum):
    """How a refinement ended."""

    PASSED = "passed"
    ORACLE_BUDGET = "oracle budget exhausted"
    RETRY_BUDGET = "retry budget exhausted"
    CONTEXT_CAP = "context cap reached"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a refinement may use.

    Attributes:
        oracle_rounds: How often the suite's own graders are asked, >= 1.
        retries: How often the refiner is asked, >= 0.
        retry_scope: Whether that is for all of it or for each round of the oracle.
        context_window: Tokens that the refiner's model can read.
        context_share: The share of them that what it is told may take, above 0 and at most 1.
    """

    oracle_rounds: int = 5
    retries: int = 15
    retry_scope: RetryScope = RetryScope.TOTAL
    context_window: int = 200_000
    context_share: float = 0.7


@dataclass(frozen=True, slots=True)
class Check:
    """An assertion of the surrogate: the task whose work must hold it, its type, its target, and its weight, 0..1."""

    task: str
    type: str
    target: str
    weight: float


@dataclass(frozen=True, slots=True)
class Begun:
    """It began, with version 0 of the skill.

    Attributes:
        skill: The skill's name.
        digest: Of version 0.
        suite: The suite's digest.
        oracle: The tasks that it works on.
        holdout: The tasks that are run once, at the end.
        seed: By which they were drawn.
        limits: What it may use.
        isolation: What the surrogate is made of: ``seed`` or ``strict``.
    """

    skill: str
    digest: str
    suite: str
    oracle: tuple[str, ...]
    holdout: tuple[str, ...]
    seed: int
    limits: Limits
    isolation: str


@dataclass(frozen=True, slots=True)
class Generated:
    """The surrogate was made; `warnings` say which tasks have none, and why."""

    checks: tuple[Check, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified:
    """The surrogate looked at the work of a version.

    Attributes:
        version: Of the skill.
        run: The run's id.
        held: Assertions that held, over all trials.
        total: Assertions that were evaluated.
        diagnostics: What is wrong, as text; equal ones once.
    """

    version: int
    run: str
    held: int
    total: int
    diagnostics: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all held; a surrogate without assertions holds."""
        return self.held == self.total


@dataclass(frozen=True, slots=True)
class Refined:
    """The refiner was asked.

    Attributes:
        version: Of the skill, from then on; the one before where nothing was changed or what came is no skill.
        digest: Of that version.
        changed: The files that differ from the version before.
        fault: Why what came could not be used; None where it could.
        tokens: How many the refiner was told, estimated.
    """

    version: int
    digest: str
    changed: tuple[str, ...] = ()
    fault: str | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class OracleAsked:
    """The suite's own graders looked at the work of a version.

    Attributes:
        version: Of the skill.
        run: The run's id.
        passed: Whether every trial passed: the one bit that comes back.
        reward: The mean reward of all trials, 0..1, by which the best version is kept.
    """

    version: int
    run: str
    passed: bool
    reward: float


@dataclass(frozen=True, slots=True)
class Escalated:
    """The surrogate became harder: it holds all that it held, and `added` more; or it could not."""

    checks: tuple[Check, ...]
    added: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The loop is over."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The tasks that were kept back were run, once: with the best version and with the skill as it was.

    Attributes:
        version: The best version.
        run: The run with it.
        reward: Its mean reward, 0..1.
        original_run: The run with version 0; the same run where that is the best.
        original_reward: Its mean reward, 0..1.
    """

    version: int
    run: str
    reward: float
    original_run: str
    original_reward: float


@dataclass(frozen=True, slots=True)
class Applied:
    """The best version was written to the skill's own folder; `files` were changed there."""

    files: tuple[str, ...]


Event: TypeAlias = Begun | Generated | Verified | Refined | OracleAsked | Escalated | Ended | HeldOut | Applied

EVENTS: Mapping[str, type[Event]] = {
    "begun": Begun,
    "generated": Generated,
    "verified": Verified,
    "refined": Refined,
    "oracle": OracleAsked,
    "escalated": Escalated,
    "ended": Ended,
    "held_out": HeldOut,
    "applied": Applied,
}
"""Each kind of line in the log, by the value of its `event`."""

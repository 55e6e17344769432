"""Where a refinement stands: what its events amount to.

The log is the truth, and this is made from it, so a refinement that was killed goes on where it was.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from skillgrade.engine.refine.events import (
    Applied,
    Begun,
    Check,
    Ended,
    Escalated,
    Event,
    Generated,
    HeldOut,
    OracleAsked,
    Refined,
    RetryScope,
    Verdict,
    Verified,
)


@dataclass(frozen=True, slots=True)
class State:
    """Where a refinement stands.

    Attributes:
        begun: How it began.
        history: All events, the first one included.
        checks: The surrogate; None before it was made.
        version: The skill's current version.
        digest: Of that version.
        verified: What the surrogate as it is said of the current version; None before it has.
        oracle_rounds: How often the oracle was asked.
        retries: How often the refiner was asked.
        round_retries: The same since the oracle was last asked.
        refused: The version that the oracle refused last; None where there is none.
        was_escalated: Whether the surrogate has been escalated since that.
        best: The oracle's answer with the highest reward, the first of equals; None before it was asked.
        ended: How the loop ended; None while it goes on.
        held_out: What the tasks that were kept back said; None before.
        applied: Whether the best version was written back.
    """

    begun: Begun
    history: tuple[Event, ...]
    checks: tuple[Check, ...] | None = None
    version: int = 0
    digest: str = ""
    verified: Verified | None = None
    oracle_rounds: int = 0
    retries: int = 0
    round_retries: int = 0
    refused: int | None = None
    was_escalated: bool = False
    best: OracleAsked | None = None
    ended: Verdict | None = None
    held_out: HeldOut | None = None
    applied: bool = False

    @property
    def spent_retries(self) -> int:
        """Those that count against the budget."""
        per_round = self.begun.limits.retry_scope is RetryScope.ROUND
        return self.round_retries if per_round else self.retries

    @property
    def best_version(self) -> int:
        """The version with the highest reward; where the oracle was never asked, that of which the most held."""
        if self.best:
            return self.best.version
        looks = [event for event in self.history if isinstance(event, Verified) and event.total]
        return max(looks, key=lambda look: (look.held / look.total, look.version)).version if looks else self.version


def state_of(events: Iterable[Event]) -> State:
    """The state after some events.

    Raises:
        ValueError: The first one is not `Begun`.
    """
    first, *others = events
    if not isinstance(first, Begun):
        raise ValueError("a refinement begins with `begun`")  # noqa: TRY004 (the order is wrong, not a type)
    state = State(first, (first,), digest=first.digest)
    for event in others:
        state = after(state, event)
    return state


def after(state: State, event: Event) -> State:
    """The state after one more event."""
    return dataclasses.replace(state, history=(*state.history, event), **_changes(state, event))


def _changes(state: State, event: Event) -> dict[str, Any]:
    match event:
        case Generated():
            return {"checks": event.checks}
        case Verified():
            return {"verified": event}
        case Refined():
            counts = {"retries": state.retries + 1, "round_retries": state.round_retries + 1}
            is_new = event.version != state.version
            return {
                **counts,
                **({"version": event.version, "digest": event.digest, "verified": None} if is_new else {}),
            }
        case OracleAsked():
            is_best = state.best is None or event.reward > state.best.reward or event.passed
            return {
                "oracle_rounds": state.oracle_rounds + 1,
                "round_retries": 0,
                "refused": None if event.passed else event.version,
                "was_escalated": False,
                "best": event if is_best else state.best,
            }
        case Escalated():
            return {"checks": event.checks, "was_escalated": True, "verified": None if event.added else state.verified}
        case Ended():
            return {"ended": event.verdict}
        case HeldOut():
            return {"held_out": event}
        case Applied():
            return {"applied": True}
        case Begun():
            raise ValueError("a refinement begins once")

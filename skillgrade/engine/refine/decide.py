"""What a refinement does next: a pure function of where it stands."""

from __future__ import annotations

from enum import Enum, auto

from skillgrade.engine.refine.events import Verdict
from skillgrade.engine.refine.state import State


class Step(Enum):
    """What comes next."""

    GENERATE = auto()
    VERIFY = auto()
    REFINE = auto()
    ORACLE = auto()
    ESCALATE = auto()
    HOLD_OUT = auto()
    DONE = auto()


def next_step(state: State) -> Step | Verdict:
    """What comes next; a `Verdict` where the loop is over for that reason.

    The surrogate stays as it is while it finds faults. It is escalated only when it finds none in a version that the
    oracle refused. Where it then still finds none, the refiner gets that one bit, and it costs a retry.
    """
    if state.ended is not None:
        return Step.DONE if state.held_out else Step.HOLD_OUT
    if state.checks is None:
        return Step.GENERATE
    last = state.best
    if last is not None and last.passed:
        return Verdict.PASSED
    is_refused = state.refused == state.version
    if is_refused and not state.was_escalated:
        limit = state.begun.limits.oracle_rounds
        return Verdict.ORACLE_BUDGET if state.oracle_rounds >= limit else Step.ESCALATE
    if state.verified is None:
        return Step.VERIFY
    if state.verified.passed and not is_refused:
        return Step.ORACLE
    return Verdict.RETRY_BUDGET if state.spent_retries >= state.begun.limits.retries else Step.REFINE

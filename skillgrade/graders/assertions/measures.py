"""Checks of what the agent's work took, in all turns so far."""

from __future__ import annotations

from skillgrade.graders.assertions.base import Finding, Look
from skillgrade.graders.assertions.subjects import UntoldError
from skillgrade.suite.model import Assertion

_COUNTED = ("input", "output")
"""Kinds of tokens that hold all others; see `skillgrade.transcript.events.Usage`."""


def max_cost(assertion: Assertion, look: Look) -> Finding:
    """It cost as many US dollars at most."""
    return _at_most(assertion, look.subjects.cost_usd, "US dollars")


def max_tokens(assertion: Assertion, look: Look) -> Finding:
    """It used as many tokens at most, those that it read and those that it wrote."""
    tokens = look.subjects.tokens
    used = None if tokens is None else sum(tokens.get(kind, 0) for kind in _COUNTED)
    return _at_most(assertion, used, "tokens")


def max_seconds(assertion: Assertion, look: Look) -> Finding:
    """It worked as many seconds at most."""
    worked = look.subjects.agent_ms
    return _at_most(assertion, None if worked is None else worked / 1000, "seconds")


def _at_most(assertion: Assertion, used: float | None, unit: str) -> Finding:
    if used is None:
        raise UntoldError(f"the agent's output does not say how many {unit} it took")
    limit = assertion.target
    if not isinstance(limit, int | float):
        raise UntoldError("its target is no number")
    return Finding(used <= limit, f"{used:g} {unit} of {limit:g} at most")

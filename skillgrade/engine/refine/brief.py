"""What the refiner is told: what is wrong, what was tried, and the oracle's one bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from skillgrade.engine.refine.events import Escalated, OracleAsked, Refined, Verified
from skillgrade.engine.refine.state import State

CHARACTERS_PER_TOKEN = 4
"""What a token is taken for where nothing counts them: English prose has about four characters in each."""

_FAILED = "FAILED ASSERTIONS"
_ROOTS = "ROOT CAUSES"


@dataclass(frozen=True, slots=True)
class Brief:
    """A text for the refiner, and the tokens that it is about."""

    text: str
    tokens: int


def brief(state: State) -> Brief | None:
    """What the refiner is told in a state; None where even the shortest form is longer than it may be.

    What does not fit is left out from the end: first what was tried, then all of each diagnostic but its head and the
    list of what failed.
    """
    limits = state.begun.limits
    room = int(limits.context_window * limits.context_share)
    for form in _FORMS:
        text = form(state)
        tokens = -(-len(text) // CHARACTERS_PER_TOKEN)
        if tokens <= room:
            return Brief(text, tokens)
    return None


def _whole(state: State) -> str:
    return "\n\n".join((_head(state), *_diagnostics(state), *_history(state))) + "\n"


def _without_history(state: State) -> str:
    return "\n\n".join((_head(state), *_diagnostics(state))) + "\n"


def _shortest(state: State) -> str:
    return "\n\n".join((_head(state), *map(_without_causes, _diagnostics(state)))) + "\n"


_FORMS: tuple[Callable[[State], str], ...] = (_whole, _without_history, _shortest)


def _head(state: State) -> str:
    lines = [
        f"The skill {state.begun.skill} is in this folder. Change its files so that the work done with it gets better.",
        f"Its name must stay {state.begun.skill}.",
    ]
    last = state.history[-1]
    if isinstance(last, Refined) and last.fault:
        lines.append(f"What you made last could not be used, and the folder is as it was before: {last.fault}")
    if state.refused == state.version:
        lines.append("Every assertion below holds, and a hidden evaluation still says no. It says nothing else.")
    return "\n".join(lines)


def _diagnostics(state: State) -> tuple[str, ...]:
    return state.verified.diagnostics if state.verified else ()


def _without_causes(diagnostic: str) -> str:
    head, found, _ = diagnostic.partition(f"\n{_ROOTS}")
    return head.rstrip() if found and _FAILED in head else diagnostic


def _history(state: State) -> Iterator[str]:
    lines = list(_tried(state))
    if lines:
        yield "\n".join(("TRIED SO FAR:", *lines))


def _tried(state: State) -> Iterator[str]:
    for event in state.history:
        match event:
            case Verified():
                yield f"- version {event.version}: {event.held} of {event.total} assertions held"
            case Refined(fault=None, changed=()):
                yield "- you changed nothing"
            case Refined(fault=None):
                yield f"- version {event.version}: you changed {', '.join(event.changed)}"
            case Refined():
                yield f"- what you made could not be used: {event.fault}"
            case OracleAsked(passed=False):
                yield f"- version {event.version}: the hidden evaluation said no"
            case Escalated() if event.added:
                yield f"- {event.added} assertions were added"

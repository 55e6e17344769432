"""What the refiner is told."""

from __future__ import annotations

from skillgrade.engine.refine.brief import CHARACTERS_PER_TOKEN, brief
from skillgrade.engine.refine.events import (
    Begun,
    Escalated,
    Event,
    Generated,
    Limits,
    OracleAsked,
    Refined,
    Verified,
)
from skillgrade.engine.refine.state import State, state_of

DIAGNOSTIC = """\
DIAGNOSTIC: [parcels] failed on "Pack it"
FAILED ASSERTIONS (1/2 total):
1. [HIGH] type=contains target="kg" — Missing capability: no weight
ROOT CAUSES:
- Missing capability: nothing says that the weight is told"""


def state(*events: Event, window: int = 200_000) -> State:
    first = Begun("parcels", "sha256:0", "sha256:s", ("a",), ("b",), 0, Limits(context_window=window), "seed")
    return state_of((first, Generated(()), *events))


FAILED = Verified(0, "r", 1, 2, (DIAGNOSTIC,))


def text(*events: Event, window: int = 200_000) -> str:
    told = brief(state(*events, window=window))
    assert told is not None
    assert told.tokens == -(-len(told.text) // CHARACTERS_PER_TOKEN)
    assert told.tokens <= window * 0.7
    return told.text


def test_the_first_time_it_is_the_diagnostic() -> None:
    told = text(FAILED)
    assert told.startswith("The skill parcels is in this folder.")
    assert DIAGNOSTIC in told
    assert "- version 0: 1 of 2 assertions held" in told
    assert "hidden evaluation" not in told


def test_of_the_oracle_comes_one_bit() -> None:
    refused: tuple[Event, ...] = (Verified(0, "r", 2, 2), OracleAsked(0, "secret-run", passed=False, reward=0.123))
    told = text(*refused, Escalated((), 0))
    assert "a hidden evaluation still says no. It says nothing else." in told
    assert "- version 0: the hidden evaluation said no" in told
    assert "0.123" not in told
    assert "secret-run" not in told


def test_what_was_tried_is_told_in_order() -> None:
    told = text(
        FAILED,
        Refined(1, "sha256:1", ("SKILL.md", "help.md")),
        Verified(1, "r", 1, 2, (DIAGNOSTIC,)),
        Refined(1, "sha256:1"),
        Refined(1, "sha256:1", (), "it has no SKILL.md"),
    )
    assert told.partition("TRIED SO FAR:\n")[2].splitlines() == [
        "- version 0: 1 of 2 assertions held",
        "- version 1: you changed SKILL.md, help.md",
        "- version 1: 1 of 2 assertions held",
        "- you changed nothing",
        "- what you made could not be used: it has no SKILL.md",
    ]
    assert "What you made last could not be used, and the folder is as it was before: it has no SKILL.md" in told


def test_what_does_not_fit_is_left_out_from_the_end() -> None:
    tried: tuple[Event, ...] = (FAILED, *(Refined(0, "sha256:0") for _ in range(50)))
    whole = text(*tried)
    tokens = len(whole) / CHARACTERS_PER_TOKEN
    without_history = text(*tried, window=int(tokens))
    assert DIAGNOSTIC in without_history
    assert "TRIED" not in without_history
    shortest = text(*tried, window=int(len(without_history) / CHARACTERS_PER_TOKEN / 0.75))
    assert "FAILED ASSERTIONS (1/2 total)" in shortest
    assert "ROOT CAUSES" not in shortest
    assert brief(state(*tried, window=50)) is None

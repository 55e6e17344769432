"""What a refinement does next, and that it cannot do more than it may."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skillgrade.engine.refine.decide import Step, next_step
from skillgrade.engine.refine.events import (
    Begun,
    Check,
    Ended,
    Escalated,
    Event,
    Generated,
    HeldOut,
    Limits,
    OracleAsked,
    Refined,
    RetryScope,
    Verdict,
    Verified,
)
from skillgrade.engine.refine.state import State, after, state_of

CHECK = Check("pack", "contains", "kg", 1.0)
CHECKS = (CHECK,)
LIMITS = Limits()


def begun(limits: Limits = LIMITS) -> Begun:
    return Begun("parcels", "sha256:0", "sha256:s", ("pack",), ("send",), 0, limits, "seed")


def steps(*events: Event, limits: Limits = LIMITS) -> Step | Verdict:
    return next_step(state_of((begun(limits), *events)))


MADE = Generated(CHECKS)
FAILED = Verified(0, "r", 1, 2, ("DIAGNOSTIC: x",))
HELD = Verified(0, "r", 2, 2)
NO = OracleAsked(0, "r", passed=False, reward=0.5)


def test_the_surrogate_is_asked_before_the_oracle() -> None:
    assert steps() is Step.GENERATE
    assert steps(MADE) is Step.VERIFY
    assert steps(MADE, FAILED) is Step.REFINE
    assert steps(MADE, HELD) is Step.ORACLE
    assert steps(Generated(()), Verified(0, "", 0, 0)) is Step.ORACLE


def test_a_new_version_is_looked_at_and_one_that_did_not_change_is_not() -> None:
    assert steps(MADE, FAILED, Refined(1, "sha256:1", ("SKILL.md",))) is Step.VERIFY
    assert steps(MADE, FAILED, Refined(0, "sha256:0")) is Step.REFINE
    assert steps(MADE, FAILED, Refined(0, "sha256:0", fault="no SKILL.md")) is Step.REFINE


def test_the_surrogate_grows_only_when_it_is_content_and_the_oracle_is_not() -> None:
    assert steps(MADE, HELD, NO) is Step.ESCALATE
    harder = Escalated((CHECK, CHECK), added=1)
    assert steps(MADE, HELD, NO, harder) is Step.VERIFY
    assert steps(MADE, HELD, NO, harder, FAILED) is Step.REFINE
    assert steps(MADE, HELD, NO, harder, HELD) is Step.REFINE  # with the one bit, for the oracle has answered already
    assert steps(MADE, HELD, NO, Escalated(CHECKS, added=0)) is Step.REFINE


def test_the_end_is_a_pass_or_a_budget_and_the_rest_is_run_once() -> None:
    yes = OracleAsked(0, "r", passed=True, reward=1.0)
    assert steps(MADE, HELD, yes) is Verdict.PASSED
    assert steps(MADE, HELD, NO, limits=Limits(oracle_rounds=1)) is Verdict.ORACLE_BUDGET
    assert steps(MADE, FAILED, limits=Limits(retries=0)) is Verdict.RETRY_BUDGET
    ended = (MADE, HELD, yes, Ended(Verdict.PASSED))
    assert steps(*ended) is Step.HOLD_OUT
    assert steps(*ended, HeldOut(0, "r", 1.0, "r", 1.0)) is Step.DONE


def test_retries_are_counted_in_all_or_since_the_oracle_was_asked() -> None:
    refined = Refined(1, "sha256:1", ("SKILL.md",))
    asked = (MADE, FAILED, refined, HELD, OracleAsked(1, "r", passed=False, reward=0.5), Escalated(CHECKS, added=0))
    again = Verified(1, "r", 2, 2)
    assert steps(*asked, again, limits=Limits(retries=1)) is Verdict.RETRY_BUDGET
    assert steps(*asked, again, limits=Limits(retries=1, retry_scope=RetryScope.ROUND)) is Step.REFINE


def test_the_best_version_is_the_first_with_the_highest_reward() -> None:
    events: list[Event] = [MADE]
    for version, reward in enumerate((0.4, 0.8, 0.8, 0.2)):
        events += [Verified(version, "r", 2, 2), OracleAsked(version, "r", passed=False, reward=reward)]
        events += [Refined(version + 1, f"sha256:{version}", ("SKILL.md",))]
    assert state_of((begun(), *events)).best_version == 1


def test_without_the_oracle_the_best_version_is_that_of_which_the_most_held() -> None:
    looks = (Verified(0, "r", 1, 4), Refined(1, "x", ("a",)), Verified(1, "r", 3, 4), Refined(2, "y", ("a",)))
    assert state_of((begun(), MADE, *looks)).best_version == 1
    assert state_of((begun(), MADE, *looks[:1])).best_version == 0


limits = st.builds(Limits, st.integers(1, 4), st.integers(0, 5), st.sampled_from(RetryScope))


@given(limits, st.data())
def test_whatever_comes_back_it_ends_within_its_budgets(limits: Limits, data: st.DataObject) -> None:
    state = state_of((begun(limits),))
    for _ in range(500):
        step = next_step(state)
        if step is Step.DONE:
            break
        before, state = state, after(state, _answer(step, state, data))
        assert set(before.checks or ()) <= set(state.checks or ())
    assert state.ended is not None
    assert state.held_out is not None
    assert state.oracle_rounds <= limits.oracle_rounds
    rounds = 1 if limits.retry_scope is RetryScope.TOTAL else limits.oracle_rounds
    assert state.retries <= limits.retries * rounds
    passed = [event for event in state.history if isinstance(event, OracleAsked) and event.passed]
    assert (state.ended is Verdict.PASSED) == bool(passed)
    if passed:
        assert state.best_version == passed[-1].version


def _answer(step: Step | Verdict, state: State, data: st.DataObject) -> Event:
    if isinstance(step, Verdict):
        return Ended(step)
    flag = data.draw(st.booleans())
    match step:
        case Step.GENERATE:
            return Generated(CHECKS)
        case Step.VERIFY:
            return Verified(state.version, "r", 2 if flag else 1, 2)
        case Step.REFINE:
            version = state.version + data.draw(st.integers(0, 1))
            return Refined(version, f"sha256:{version}", fault=None if flag else "x")
        case Step.ORACLE:
            return OracleAsked(state.version, "r", passed=flag, reward=data.draw(st.sampled_from([0.1, 0.5, 0.9])))
        case Step.ESCALATE:
            checks = state.checks or ()
            return Escalated((*checks, *([CHECK] if flag else [])), added=int(flag))
        case _:
            return HeldOut(state.best_version, "r", 1.0, "r", 1.0)

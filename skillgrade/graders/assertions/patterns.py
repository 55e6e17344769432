"""Checks of text against a regular expression."""

from __future__ import annotations

from skillgrade.graders.assertions.base import Finding, Look
from skillgrade.graders.assertions.searching import Pattern
from skillgrade.graders.assertions.subjects import UntoldError
from skillgrade.suite.model import Assertion
from skillgrade.suite.patterns import PYTHON, PatternError, compiled

_FLAGS = "im"


def matches_regex(assertion: Assertion, look: Look) -> Finding:
    """The pattern is found somewhere in the text."""
    holds = look.found(look.text(assertion), pattern_of(assertion))
    return Finding(holds, "it matches" if holds else "nothing matches")


def pattern_of(assertion: Assertion) -> Pattern:
    """What an assertion searches for.

    Raises:
        UntoldError: It is no regular expression.
    """
    flags, syntax = assertion.options.get("flags", _FLAGS), assertion.options.get("syntax", PYTHON)
    try:
        return Pattern(*compiled(str(assertion.target), str(flags), str(syntax)))
    except PatternError as error:
        raise UntoldError(f"the pattern is no regular expression: {error}") from None

"""Checks of text against texts."""

from __future__ import annotations

from collections.abc import Iterable

from skillgrade.graders.assertions.base import Finding, Look, quoted
from skillgrade.suite.model import Assertion


def contains(assertion: Assertion, look: Look) -> Finding:
    """The target is somewhere in the text."""
    is_there = look.folded(str(assertion.target), assertion) in look.folded(look.text(assertion), assertion)
    return Finding(is_there, f"{quoted(assertion.target)} is {'there' if is_there else 'not there'}")


def not_contains(assertion: Assertion, look: Look) -> Finding:
    """The target is nowhere in the text."""
    found = contains(assertion, look)
    return Finding(not found.holds, found.why)


def contains_any(assertion: Assertion, look: Look) -> Finding:
    """One of the targets is somewhere in the text."""
    there = _there(assertion, look)
    if there:
        return Finding(True, f"{quoted(there[0])} is there")
    return Finding(False, f"none of {_listed(_targets(assertion))} is there")


def contains_all(assertion: Assertion, look: Look) -> Finding:
    """All of the targets are somewhere in the text."""
    there = set(_there(assertion, look))
    missing = [target for target in _targets(assertion) if target not in there]
    if missing:
        return Finding(False, f"{_listed(missing)} {'is' if len(missing) == 1 else 'are'} not there")
    return Finding(True, "all are there")


def equals(assertion: Assertion, look: Look) -> Finding:
    """The text is the target, but for white space around both."""
    text = look.folded(look.text(assertion), assertion).strip()
    same = text == look.folded(str(assertion.target), assertion).strip()
    return Finding(same, f"the text {'is' if same else 'is not'} {quoted(assertion.target)}")


def starts_with(assertion: Assertion, look: Look) -> Finding:
    """The text begins with the target, but for white space before it."""
    text = look.folded(look.text(assertion), assertion).lstrip()
    same = text.startswith(look.folded(str(assertion.target), assertion))
    return Finding(same, f"the text {'begins' if same else 'does not begin'} with {quoted(assertion.target)}")


def _targets(assertion: Assertion) -> tuple[str, ...]:
    listed = assertion.target
    return tuple(map(str, listed)) if isinstance(listed, list | tuple) else (str(listed),)


def _there(assertion: Assertion, look: Look) -> list[str]:
    text = look.folded(look.text(assertion), assertion)
    return [target for target in _targets(assertion) if look.folded(target, assertion) in text]


def _listed(targets: Iterable[str]) -> str:
    return ", ".join(map(quoted, targets))

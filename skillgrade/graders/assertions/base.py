"""What a check is: it says whether an assertion holds, and why."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Protocol

from skillgrade.graders.assertions.searching import Pattern, SearchError, Searches
from skillgrade.graders.assertions.subjects import Subjects, UntoldError
from skillgrade.suite.model import Assertion

_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        holds: Whether the assertion holds as it stands, without its `not`.
        why: In a few words.
        fails_negated: Whether it fails with a `not` too, because neither is the case.
    """

    holds: bool
    why: str
    fails_negated: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """What checks look at, and what they have seen already.

    Attributes:
        subjects: What was kept.
        searches: Searches for patterns.
        lowered: By text, the same in lower case.
        parsed: By text, what JSON it is; None where it is none.
    """

    subjects: Subjects
    searches: Searches
    lowered: dict[str, str] = field(default_factory=dict)

    def text(self, assertion: Assertion) -> str:
        """The text that an assertion looks at.

        Raises:
            MissingFileError: It looks at a file that is not there.
            UntoldError: Nobody kept it.
        """
        text = self.subjects.text(assertion)
        if text is None:
            raise MissingFileError(str(assertion.file))
        return text

    def folded(self, text: str, assertion: Assertion) -> str:
        """A text in the letters in which an assertion compares it."""
        if assertion.is_case_sensitive:
            return text
        if text not in self.lowered:
            self.lowered[text] = text.lower()
        return self.lowered[text]

    def found(self, text: str, pattern: Pattern) -> bool:
        """Whether a text has a place that matches.

        Raises:
            UntoldError: That cannot be told.
        """
        try:
            return self.searches.found(text, pattern)
        except SearchError as error:
            raise UntoldError(str(error)) from None


class MissingFileError(Exception):
    """A file that an assertion looks into is not there; the message is its path."""


class Check(Protocol):
    """One type of assertion."""

    def __call__(self, assertion: Assertion, look: Look) -> Finding:
        """Say whether it holds.

        Raises:
            MissingFileError: It looks at a file that is not there.
            UntoldError: It cannot be told.
        """


def quoted(value: object) -> str:
    """A value as a finding names it, short."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return f'"{text}"' if len(text) <= _SHOWN else f'"{text[: _SHOWN - 3]}..."'

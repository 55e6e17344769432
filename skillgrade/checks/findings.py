"""What `skillgrade check` finds: a rule, a place, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Severity(StrEnum):
    """How bad it is: an error keeps what was found from being trusted, a warning is only suspicious."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that files are checked by.

    Attributes:
        id: Its name.
        asks: What it asks for, in one sentence.
        why: Why that matters.
        mend: What to do where it is broken.
        severity: How bad a breach is.
        pack_severity: How bad it is in a pack.
    """

    id: str
    asks: str
    why: str
    mend: str
    severity: Severity = Severity.ERROR
    pack_severity: Severity = Severity.ERROR


@dataclass(frozen=True, slots=True)
class Finding:
    """A breach of a rule.

    Attributes:
        rule: The rule.
        message: What is wrong, in one sentence.
        file: The file that it is in, absolute.
        line: 1-based; None where the file as a whole is meant.
        mend: What to do about this one, where the rule's own advice is not enough.
    """

    rule: Rule
    message: str
    file: Path
    line: int | None = None
    mend: str | None = None

    @property
    def advice(self) -> str:
        """What to do."""
        return self.mend or self.rule.mend


def warning(identity: str, asks: str, why: str, mend: str) -> Rule:
    """A rule whose breaches are warnings everywhere."""
    return Rule(identity, asks, why, mend, Severity.WARNING, Severity.WARNING)

"""What a look at the machine found, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from skillgrade.results.redaction import Redactor


class Level(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        check: What was looked at, in a word, such as ``key``.
        level: Whether it is well.
        text: What was found and, where it is not well, what to do; one sentence.
    """

    check: str
    level: Level
    text: str


@dataclass(frozen=True, slots=True)
class Examined:
    """Everything that was found of one subject, such as an agent in the place where it would work."""

    subject: str
    findings: tuple[Finding, ...]

    @property
    def is_well(self) -> bool:
        """Whether nothing of it would keep a run from working."""
        return all(finding.level is not Level.PROBLEM for finding in self.findings)

    def redacted(self, redactor: Redactor) -> Examined:
        """The same without secrets."""
        findings = tuple(replace(finding, text=redactor.text(finding.text)) for finding in self.findings)
        return Examined(redactor.text(self.subject), findings)


def all_well(examined: Iterable[Examined]) -> bool:
    """Whether no subject has a problem."""
    return all(subject.is_well for subject in examined)


def good(check: str, text: str) -> Finding:
    """A finding that is well."""
    return Finding(check, Level.OK, text)


def warning(check: str, text: str) -> Finding:
    """A finding that a run survives."""
    return Finding(check, Level.WARNING, text)


def problem(check: str, text: str) -> Finding:
    """A finding that keeps a run from working."""
    return Finding(check, Level.PROBLEM, text)

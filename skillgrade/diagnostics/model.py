"""What is diagnosed, and what a diagnosis is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """What kind of fault a failed assertion shows."""

    MISSING = "Missing capability"
    FORMAT = "Format mismatch"
    INCOMPLETE = "Incomplete output"
    HALLUCINATED = "Hallucinated content"
    TOOL = "Wrong tool usage"
    PARTIAL = "Partial success"


class Severity(StrEnum):
    """How bad it is."""

    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


class Confidence(StrEnum):
    """How sure a diagnosis is of its causes."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


SEVERITIES = {
    Category.MISSING: Severity.HIGH,
    Category.FORMAT: Severity.HIGH,
    Category.INCOMPLETE: Severity.MEDIUM,
    Category.HALLUCINATED: Severity.HIGH,
    Category.TOOL: Severity.MEDIUM,
    Category.PARTIAL: Severity.LOW,
}
"""The severity of each category."""


class Status(StrEnum):
    """What came of an assertion; `BROKEN` means that it could not be evaluated."""

    PASSED = "passed"
    FAILED = "failed"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an assertion.

    Attributes:
        type: Its type.
        target: What it was compared with, as text.
        weight: Its weight.
        status: What came of it.
        detail: Why, in a few words.
        group: What it belongs to, where the eval says it.
        negated: Whether it had not to hold.
    """

    type: str
    target: str
    weight: float
    status: Status
    detail: str = ""
    group: str | None = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A piece of work to be diagnosed.

    Attributes:
        prompt: What the agent was told.
        output: What it answered.
        results: What came of the assertions, in their order.
        tools: The tools that it called, in order; None where nobody knows.
        oracle: Whether graders of another kind let it pass; None where nobody asked them.
    """

    prompt: str
    output: str
    results: tuple[Result, ...]
    tools: tuple[str, ...] | None = None
    oracle: bool | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A root cause: one failed assertion, or several of one kind in one section.

    Attributes:
        category: What kind of fault it is.
        severity: How bad.
        results: The failed assertions.
        weight: The sum of their weights.
        order: The place of the first of them.
        section: The section of SKILL.md that asks for it; None where none does.
        quote: The line of SKILL.md that asks for it; empty where none does.
        expected: What should be there.
        present: What of that is there.
        missing: What of that is not.
        location: Where in the output it was found; empty where that is no question.
        tools: The tools that were called.
        explanation: Why it failed, in a few words, for the list of what failed.
        root_cause: Why it is so, in sentences.
        remediation: What to change in SKILL.md.
    """

    category: Category
    severity: Severity
    results: tuple[Result, ...]
    weight: float
    order: int
    section: str | None
    quote: str
    expected: tuple[str, ...]
    present: tuple[str, ...]
    missing: tuple[str, ...]
    location: str
    tools: tuple[str, ...]
    explanation: str
    root_cause: str
    remediation: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a piece of work failed, and what to change.

    Attributes:
        skill: The skill's name.
        prompt: What the agent was told.
        total: How many assertions there are.
        failed: Those that failed, in their order, with the finding of each.
        broken: Those that could not be evaluated.
        findings: The root causes, the worst first; partial successes last.
        confidence: How sure it is.
        reason: Why it is so sure.
        signals: Why the assertions should be harder next time, in sentences.
        oracle_refused: Whether every assertion passed and graders of another kind said no.
    """

    skill: str
    prompt: str
    total: int
    failed: tuple[tuple[Result, Finding], ...]
    broken: tuple[Result, ...]
    findings: tuple[Finding, ...]
    confidence: Confidence
    reason: str
    signals: tuple[str, ...]
    oracle_refused: bool

"""What came out of a trial: the records that the journal, the report and every reader share.

A record's text is redacted before it is made; nothing downstream redacts again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from skillgrade.errors import Stage


class Outcome(StrEnum):
    """How a trial ended. Only `PASSED` and `FAILED` enter a rate."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    UNGRADED = "ungraded"
    CANCELLED = "cancelled"


class Arm(StrEnum):
    """Which side of a run with a baseline a trial is on: the agent had the skill, or had not."""

    WITH = "with"
    WITHOUT = "without"


class GraderStatus(StrEnum):
    """Whether a grader answered."""

    OK = "ok"
    ERROR = "error"
    UNGRADED = "ungraded"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Check:
    """One named check of a deterministic grader."""

    name: str
    passed: bool
    message: str = ""


class AssertionStatus(StrEnum):
    """What came of an assertion; `ERROR` means that it could not be evaluated."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class AssertionResult:
    """What came of one assertion.

    Attributes:
        type: Its type.
        target: What it was compared with, as text; JSON where it is something else.
        weight: Its weight.
        status: What came of it.
        detail: Why, in one sentence.
        negated: Whether it must not hold.
        group: What it belongs to.
        subject: What it looked at: ``answer``, ``work``, ``transcript``, a file's path, or ``trace`` for what the
            agent did.
    """

    type: str
    target: str
    weight: float
    status: AssertionStatus
    detail: str
    negated: bool = False
    group: str | None = None
    subject: str = "answer"


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a judge said of one criterion.

    Attributes:
        id: ``pass-1``, ``fail-1`` and so on.
        holds: Whether it holds.
        quote: The words of the answer that show it; empty where it does not hold.
    """

    id: str
    holds: bool
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer of one judge.

    Attributes:
        provider: The judge's provider.
        model: The model that was asked.
        answered_by: The model that says it answered; None when no reply came.
        score: 0..1; None when the reply could not be read.
        reasoning: The judge's own words, or why there is no score, with the reply quoted.
        tokens: By kind, over all calls that the sample took; None when unknown.
        cost_usd: Over all calls that the sample took; None when unknown.
        latency_ms: Time that the provider took, over all calls.
        calls: Requests that were sent for it, repeated ones included; 0 when it was replayed.
        points: What each section of the rubric got, in its order; empty without sections or without a score.
        sent: What was sent beside the texts, such as the temperature and the kind of structured output.
        criteria: What it said of each criterion, of a grader that has some.
    """

    provider: str
    model: str
    answered_by: str | None
    score: float | None
    reasoning: str
    tokens: Mapping[str, int] | None = None
    cost_usd: float | None = None
    latency_ms: int = 0
    calls: int = 1
    points: tuple[float, ...] = ()
    sent: Mapping[str, object] = field(default_factory=dict)
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """How judges came to a score.

    Attributes:
        prompt_version: The version of the prompt.
        request: ``sha256:...`` over the prompt version and the texts that the judges got.
        source: ``live``, ``record`` or ``replay``.
        samples: Every answer, judge by judge.
        spread: The largest minus the smallest score of all samples; None below two of them.
        agreement: 1 minus the mean absolute difference of the judges' medians, pair by pair; None below two judges.
        tokens: By kind, summed over the samples that know them; None when none does.
        cost_usd: Summed over the samples; None unless every sample knows it.
    """

    prompt_version: str
    request: str
    source: str
    samples: tuple[Sample, ...]
    spread: float | None = None
    agreement: float | None = None
    tokens: Mapping[str, int] | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """What one person said of a trial.

    Attributes:
        score: 0..1.
        details: The person's words; may be empty.
        reviewer: The name that the person reviews under; None without one.
    """

    score: float
    details: str = ""
    reviewer: str | None = None


@dataclass(frozen=True, slots=True)
class GraderResult:
    """What one grader said of one trial.

    Attributes:
        grader_type: The grader's type.
        grader: Its index in the task.
        status: Whether it answered.
        score: 0..1; None unless the status is ok (a judge whose key vanished has 0.0 beside the status error).
        weight: Its share of the reward.
        details: Its own words, or why it did not answer.
        checks: Its single checks, where it has some.
        turn: The 0-based turn after which it ran.
        duration_ms: How long it took.
        judgement: How judges came to it, where some were asked.
        waiting: Whether a person's review is still to come; then the status is ungraded.
        reviews: What people said, where some did; the score is the mean of theirs.
        assertions: What came of its assertions, where it has some.
    """

    grader_type: str
    grader: int
    status: GraderStatus
    score: float | None
    weight: float
    details: str
    checks: tuple[Check, ...] = ()
    turn: int = 0
    duration_ms: int = 0
    judgement: Judgement | None = None
    waiting: bool = False
    reviews: tuple[Review, ...] = ()
    assertions: tuple[AssertionResult, ...] = ()


@dataclass(frozen=True, slots=True)
class TrialError:
    """Why a trial has no verdict."""

    stage: Stage
    reason: str


@dataclass(frozen=True, slots=True)
class AgentRun:
    """How the agent's process ended, per trial.

    Attributes:
        exit_code: None when it was killed at its deadline.
        timed_out: Whether it ran into its deadline.
        out_of_memory: Whether the memory limit killed it or a child of it.
        duration_ms: From its start to its last process's end.
        output_bytes: How much it printed.
        output_truncated: Whether the middle of it was dropped.
    """

    exit_code: int | None
    timed_out: bool
    duration_ms: int
    out_of_memory: bool = False
    output_bytes: int = 0
    output_truncated: bool = False


class TriggerStatus(StrEnum):
    """Whether a skill was used. `ATTEMPTED` means that the agent asked for it and did not get it."""

    TRIGGERED = "triggered"
    ATTEMPTED = "attempted"
    NOT_TRIGGERED = "not_triggered"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Trigger:
    """What was observed of one skill.

    Attributes:
        skill: The skill's name.
        status: Whether it was used.
        evidence: Why, in one sentence.
    """

    skill: str
    status: TriggerStatus
    evidence: str


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One attempt at one trial.

    Attributes:
        task: The task's name.
        trial: 0-based index in the task.
        attempt: 0-based; the last attempt of a trial is the one that counts.
        outcome: How it ended.
        reward: 0..1; None unless the outcome is passed or failed.
        answered_reward: Over those graders that did answer; None when none did. For the reader, never for statistics.
        duration_ms: The whole attempt, monotonic.
        started_at: ISO 8601, UTC.
        error: Set when the outcome is errored.
        agent: Set once the agent has run.
        grader_results: In the order of the graders.
        notes: What the reader should know: tampering, dropped output, absolute destinations.
        isolation: ``container``, ``sandbox`` or ``none``.
        image: The image's digest, in Docker.
        files: What it left: by name (``agent.stdout``, ``grader-0.stderr``), the path relative to the run's folder.
        tokens: By kind, when known.
        cost_usd: When known.
        triggers: What was observed of each skill of the run, over all turns; empty where the agent printed nothing yet.
        arm: Whether its agent had the skill, in a run with a baseline.
        prompt_digest: ``sha256:...`` over what the agent was told, all turns, a NUL between them; None where nothing
            was kept for graders that read it.
        output_digest: ``sha256:...`` over what it said last in its last turn, likewise.
    """

    task: str
    trial: int
    attempt: int
    outcome: Outcome
    reward: float | None
    answered_reward: float | None
    duration_ms: int
    started_at: str
    error: TrialError | None = None
    agent: AgentRun | None = None
    grader_results: tuple[GraderResult, ...] = ()
    notes: tuple[str, ...] = ()
    isolation: str = ""
    image: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    tokens: Mapping[str, int] | None = None
    cost_usd: float | None = None
    triggers: tuple[Trigger, ...] = ()
    arm: Arm | None = None
    prompt_digest: str | None = None
    output_digest: str | None = None

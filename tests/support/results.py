"""Records and plans with what a test does not care about filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from skillgrade.errors import Stage
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal import Journal
from skillgrade.results.records import (
    AgentRun,
    Check,
    GraderResult,
    GraderStatus,
    Judgement,
    Outcome,
    Sample,
    TrialError,
    TrialRecord,
    Trigger,
    TriggerStatus,
)
from skillgrade.results.regrades import Cause, Regrade
from skillgrade.results.run_info import RunEnd, RunInfo, SkillInfo, TaskInfo

ENDED = RunEnd(duration_ms=1200, interrupted=False)

INFO = RunInfo(
    run_id="20261130-142233-5f1c",
    version="0.1.0",
    started_at="2026-11-30T14:22:33Z",
    suite_file="eval.yaml",
    suite_digest="sha256:5u1te",
    skills=(SkillInfo("lint", "sha256:5k111"),),
)


def plan(task: str = "fix", planned: int = 3, threshold: float = 0.8, **fields: Any) -> TaskInfo:
    values: dict[str, Any] = {"agent": "command", "provider": "docker", "isolation": "container", **fields}
    return TaskInfo(task, planned, threshold, pass_threshold=0.5, **values)


def trial(
    task: str = "fix",
    number: int = 0,
    reward: float | None = 1.0,
    *,
    outcome: Outcome | None = None,
    attempt: int = 0,
    **fields: Any,
) -> TrialRecord:
    """A record whose outcome follows from its reward unless it is given; an errored one gets an error."""
    if outcome is None:
        outcome = Outcome.ERRORED if reward is None else Outcome.PASSED if reward >= 0.5 else Outcome.FAILED
    if outcome is Outcome.ERRORED:
        fields.setdefault("error", TrialError(Stage.GRADE, f"grader 0 of trial {number} broke at attempt {attempt}"))
    return TrialRecord(
        task,
        number,
        attempt,
        outcome,
        reward,
        answered_reward=reward,
        duration_ms=40,
        started_at="2026-11-30T14:22:34Z",
        **fields,
    )


def full_trial(task: str = "fix", number: int = 0) -> TrialRecord:
    """A record in which every field is set."""
    return trial(
        task,
        number,
        0.7,
        agent=AgentRun(exit_code=7, timed_out=False, duration_ms=30, output_bytes=12),
        grader_results=(
            GraderResult(
                "deterministic",
                0,
                GraderStatus.OK,
                0.7,
                1.0,
                "7 of 10\nlines – “quoted” \u2028 \udc80",
                (Check("one", passed=True, message="ok"), Check("two", passed=False)),
            ),
        ),
        notes=("the agent left a file at graders/check.sh",),
        isolation="container",
        image="sha256:1ma6e",
        files={"stdout": "trials/fix/0/0/stdout.log"},
        tokens={"input": 1200, "output": 80},
        cost_usd=0.0125,
        triggers=(
            Trigger("lint", TriggerStatus.TRIGGERED, "event 3: the agent called its skill tool"),
            Trigger("tidy", TriggerStatus.UNKNOWN, "a part of the agent's output was not kept"),
        ),
    )


def regrade(
    task: str = "fix",
    number: int = 0,
    reward: float | None = 1.0,
    *,
    attempt: int = 0,
    cause: Cause = Cause.REGRADE,
    results: Sequence[GraderResult] = (),
) -> Regrade:
    """Later grades whose outcome follows from their reward; without one they are ungraded."""
    outcome = Outcome.UNGRADED if reward is None else Outcome.PASSED if reward >= 0.5 else Outcome.FAILED
    at = "2026-12-01T08:00:00Z"
    return Regrade(task, number, attempt, at, cause, outcome, reward, reward, grader_results=tuple(results))


def result(
    kind: str = "deterministic",
    grader: int = 0,
    score: float | None = 1.0,
    *,
    status: GraderStatus | None = None,
    **fields: Any,
) -> GraderResult:
    """What a grader said; without a score it is an error unless a status is given."""
    if status is None:
        status = GraderStatus.ERROR if score is None else GraderStatus.OK
    values: dict[str, Any] = {"weight": 1.0, "details": f"{kind} says {score}", **fields}
    return GraderResult(kind, grader, status, score, **values)


def judgement(*samples: Sample, **fields: Any) -> Judgement:
    """How judges came to a score."""
    return Judgement("llm_rubric/1", "sha256:re9ue57", "live", samples, **fields)


def sample(score: float | None = 0.5, model: str = "flash-1", **fields: Any) -> Sample:
    """One answer of a judge."""
    values: dict[str, Any] = {"answered_by": model, "reasoning": "because", **fields}
    return Sample("gemini", model, score=score, **values)


def write_run(
    folder: Path,
    tasks: Sequence[TaskInfo],
    records: Iterable[TrialRecord | Regrade],
    end: RunEnd | None = ENDED,
    info: RunInfo = INFO,
) -> RunFolder:
    """A run's folder with a journal."""
    run = RunFolder(folder)
    with Journal.create(run.journal, info, tasks) as journal:
        for record in records:
            if isinstance(record, TrialRecord):
                journal.append(record)
            else:
                journal.regraded(record)
        if end is not None:
            journal.end(end)
    return run


def keys_of(document: object) -> set[str]:
    """Every key in a JSON document, at any depth."""
    if isinstance(document, Mapping):
        return {str(key) for key in document} | {key for item in document.values() for key in keys_of(item)}
    if isinstance(document, list):
        return {key for item in document for key in keys_of(item)}
    return set()

"""One attempt at one trial, as a pure function of its spec."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

from skillgrade.engine.attempt import Attempt
from skillgrade.engine.env_file import read_env_file
from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.workspaces import ON_DEMAND, Workspaces
from skillgrade.errors import Cancelled, InfrastructureError, SkillgradeError, Stage, StorageError
from skillgrade.graders.verdict import TrialVerdict
from skillgrade.judges.base import Judging
from skillgrade.results.records import Outcome, TrialError, TrialRecord
from skillgrade.results.redaction import Redactor, secret_values
from skillgrade.stop import Stop
from skillgrade.workspace import provider_named
from skillgrade.workspace.base import Prepared


def run_trial(spec: TrialSpec, stop: Stop, judging: Judging, workspaces: Workspaces = ON_DEMAND) -> TrialRecord:
    """Run one attempt and say how it ended. Never raises: what goes wrong is in the record.

    Args:
        spec: The attempt.
        stop: Ends it early, with the outcome ``cancelled``.
        judging: Asks judges.
        workspaces: Gives it its workspace, and takes that back.
    """
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    started = time.monotonic()
    attempt: Attempt | None = None
    redactor = Redactor(frozenset())
    provider = None
    try:
        env_file = read_env_file(spec.env_file)
        redactor = Redactor(secret_values(env_file, os.environ))
        provider = provider_named(spec.provider)
        attempt = Attempt(spec, workspaces, judging, env_file, redactor, stop)
        verdict = attempt.run()
    except Cancelled:
        verdict = TrialVerdict(Outcome.CANCELLED, None, None)
    except BaseException as error:  # noqa: BLE001 - a trial ends in a record, through a bug of ours as well
        stage = attempt.stage if attempt else Stage.SETUP
        verdict = TrialVerdict(Outcome.ERRORED, None, None, _describe(error, stage, redactor))
    usage = attempt.usage if attempt else None
    return TrialRecord(
        task=spec.task.name,
        trial=spec.trial,
        attempt=spec.attempt,
        outcome=verdict.outcome,
        reward=verdict.reward,
        answered_reward=verdict.answered_reward,
        duration_ms=round((time.monotonic() - started) * 1000),
        started_at=started_at,
        error=verdict.error,
        agent=attempt.agent_run if attempt else None,
        grader_results=attempt.grader_results if attempt else (),
        notes=tuple(redactor.text(note) for note in attempt.notes) if attempt else (),
        isolation=str(provider.isolation) if provider else "",
        image=spec.prepared.digest if isinstance(spec.prepared, Prepared) else None,
        files=attempt.files() if attempt else {},
        tokens=(usage.tokens or None) if usage else None,
        cost_usd=usage.cost_usd if usage else None,
        triggers=attempt.triggers if attempt else (),
        arm=spec.arm,
        prompt_digest=attempt.prompt_digest if attempt else None,
        output_digest=attempt.output_digest if attempt else None,
    )


def _describe(error: BaseException, stage: Stage, redactor: Redactor) -> TrialError:
    match error:
        case InfrastructureError():
            return TrialError(error.stage, redactor.text(str(error)))
        case StorageError():
            return TrialError(Stage.STORE, redactor.text(str(error)))
        case SkillgradeError():
            return TrialError(stage, redactor.text(str(error)))
        case _:
            return TrialError(stage, redactor.text(f"internal error: {type(error).__name__}: {error}"))

"""The judges of a run: found and checked before anything is asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from skillgrade.errors import MissingKeyError, UsageError
from skillgrade.judges.base import Judge, JudgeSettings, Verdicts
from skillgrade.judges.choice import judges_of
from skillgrade.judges.recordings import recording_file
from skillgrade.judges.session import JudgeSession
from skillgrade.models.access import Models
from skillgrade.models.endpoint import endpoint, model_name
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.model import GraderSpec, Task


@contextmanager
def open_judging(
    judges: Collection[Judge],
    verdicts: Verdicts,
    suite_file: Path,
    variables: Mapping[str, str],
    redactor: Redactor,
    command: str,
    stop: Stop,
    label: str = "",
    optional: Collection[Judge] = (),
) -> Iterator[JudgeSession]:
    """What judges are asked with; what was recorded is written at the end.

    Args:
        judges: Who will be asked.
        verdicts: Where verdicts come from; replaying, nobody is asked, and no key is needed.
        suite_file: The eval.yaml, beside which verdicts are recorded.
        variables: `.env` and the shell as one.
        redactor: Takes secrets out of what is recorded.
        command: The command that records the verdicts of this suite, for messages; empty where it is none that could
            do without a grader.
        stop: Ends the look-up of models.
        label: Stands behind the names of tasks in the recording, for work that is not an agent's.
        optional: Those of them without whom it goes on.

    Raises:
        UsageError: A key is missing, or a variable holds what is no key or address.
        ModelError: A provider's newest model could not be found.
        RecordingError: What is at the recording's place is none.
        StorageError: The recording could not be written.
        Cancelled: The stop came.
    """
    models = Models()
    advice = "; --grader=deterministic leaves out graders that need it" if command else ""
    try:
        found = {} if verdicts is Verdicts.REPLAY else _models(judges, optional, models, variables, advice, stop)
    except BaseException:
        models.close()
        raise
    session = JudgeSession(JudgeSettings(verdicts, recording_file(suite_file), found), models, redactor, command, label)
    try:
        yield session
    finally:
        session.close()


def can_be_asked(spec: GraderSpec, task: Task, verdicts: Verdicts, variables: Mapping[str, str]) -> bool:
    """Whether the judges of a grader can answer: nobody is needed where verdicts are replayed, else all their keys."""
    return verdicts is Verdicts.REPLAY or all(_has_key(judge, variables) for judge in judges_of(spec, task))


def skipping_note(optional: Iterable[Judge], verdicts: Verdicts, variables: Mapping[str, str]) -> str | None:
    """Which judges nobody will ask because their keys are not set, in a sentence; None where all can be asked.

    Args:
        optional: Judges without whom a run goes on.
        verdicts: Where verdicts come from.
        variables: `.env` and the shell as one.
    """
    if verdicts is Verdicts.REPLAY:
        return None
    missing = sorted({judge.provider for judge in optional if not _has_key(judge, variables)})
    if not missing:
        return None
    return f"graders that ask {', '.join(missing)} are skipped: they are optional, and no key is set"


def _has_key(judge: Judge, variables: Mapping[str, str]) -> bool:
    try:
        endpoint(judge.provider, variables)
    except MissingKeyError:
        return False
    return True


def _models(
    judges: Collection[Judge],
    optional: Collection[Judge],
    models: Models,
    variables: Mapping[str, str],
    advice: str,
    stop: Stop,
) -> Mapping[str, str]:
    """The models of judges that name none, by provider; each provider's key is looked for."""
    found = {}
    for provider in sorted({judge.provider for judge in judges}):
        try:
            place = endpoint(provider, variables)
        except MissingKeyError as error:
            if all(judge in optional for judge in judges if judge.provider == provider):
                continue
            raise UsageError(f"{error}{advice}") from error
        if any(judge.provider == provider and judge.model is None for judge in judges):
            found[provider] = model_name(provider, variables) or models.newest_small_model(place, stop)
    return found

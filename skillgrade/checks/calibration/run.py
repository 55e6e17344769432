"""Putting canned answers to a judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from skillgrade.checks.calibration.outcome import Outcome, outcome
from skillgrade.checks.calibration.scenarios import Calibrated
from skillgrade.errors import InfrastructureError
from skillgrade.graders.assertions import keeping_workers
from skillgrade.judges.base import Judge, Judging
from skillgrade.judges.calibration_recordings import (
    PROMPT_VERSIONS,
    CalibrationRecording,
    RecordedVerdicts,
    SampleVerdict,
    now,
)
from skillgrade.judges.canned import CannedAnswer, Kind
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop


def calibrate(
    scenarios: Sequence[Calibrated],
    judge: Judge,
    count: int,
    judging: Judging,
    variables: Mapping[str, str],
    redactor: Redactor,
    parallel: int,
    tell: Callable[[Outcome], None],
    stop: Stop,
) -> tuple[Outcome, ...]:
    """Put every canned answer to a judge, several times.

    Args:
        scenarios: The judges of the suite, whose place the judge takes.
        judge: Who is tried.
        count: How often each answer is put to it, >= 1.
        judging: Asks it.
        variables: `.env` and the shell as one.
        redactor: Takes secrets out of what the judge says.
        parallel: How many answers are out at a time, >= 1.
        tell: Told what came of each, in order.
        stop: Ends it early.

    Returns:
        What came of each, in the order of the scenarios and of the kinds.

    Raises:
        Cancelled: The stop came.
    """

    def safe(said: SampleVerdict) -> SampleVerdict:
        return said._replace(reason=redactor.text(said.reason), error=redactor.value(said.error))

    def ask(pair: tuple[Calibrated, CannedAnswer]) -> Outcome:
        calibrated, answer = pair
        if answer.kind is Kind.EMPTY:
            return outcome(calibrated, answer, "", ())
        question, request = calibrated.question(answer), calibrated.request(answer)
        try:
            samples = judging.samples(
                calibrated.task.name, question.prompt, judge, count, question.read, variables, stop
            )
            said = tuple(map(calibrated.verdict, samples))
        except InfrastructureError as error:
            said = (SampleVerdict(None, "", str(error)),) * count
        return outcome(calibrated, answer, request, tuple(map(safe, said)))

    pairs = [(calibrated, answer) for calibrated in scenarios for answer in calibrated.answers]
    found = []
    with keeping_workers(), ThreadPoolExecutor(parallel, thread_name_prefix="skillgrade-judge-check") as executor:
        for each in executor.map(ask, pairs):
            found.append(each)
            tell(each)
    stop.check()
    return tuple(found)


def recording_of(outcomes: Iterable[Outcome], provider: str, model: str) -> CalibrationRecording:
    """What is recorded of outcomes: all of them, right or wrong.

    Args:
        outcomes: What came of the answers.
        provider: Who judged.
        model: The model.
    """
    entries = tuple(
        RecordedVerdicts(each.scenario, each.kind.value, each.request, each.samples)
        for each in outcomes
        if each.kind is not Kind.EMPTY
    )
    return CalibrationRecording(PROMPT_VERSIONS, provider, model, now(), entries)

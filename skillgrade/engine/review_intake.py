"""What people wrote, taken into the records of a run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from skillgrade.errors import UsageError
from skillgrade.graders.human import answered
from skillgrade.graders.verdict import weigh
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal import Journal
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import GraderResult, TrialRecord
from skillgrade.results.redaction import Redactor
from skillgrade.results.regrades import Cause, Regrade
from skillgrade.results.report_file import write_report
from skillgrade.results.reviews import review_places


@dataclass(frozen=True, slots=True)
class Intake:
    """What came of taking reviews in.

    Attributes:
        busy: Whether a run that goes on writes the records; then it takes them itself, and nothing was done here.
        taken: The attempts whose grades changed, with the new ones.
        problems: What is wrong with files that are no reviews, one sentence each.
    """

    busy: bool = False
    taken: tuple[TrialRecord, ...] = ()
    problems: tuple[str, ...] = ()


def take_reviews(run: RunFolder, redactor: Redactor) -> Intake:
    """Take every review that is there into the records of a run, and write its report again if that changed anything.

    Raises:
        UserError: The run cannot be read.
        StorageError: Its records could not be written; what was written before stands.
    """
    try:
        journal = Journal.reopen(run.journal)
    except UsageError:
        return Intake(busy=True)
    taken: list[TrialRecord] = []
    problems: list[str] = []
    with journal:
        index = JournalIndex(run.journal)
        for task in index.tasks:
            for attempts in index.attempts(task.task):
                results, faults = with_reviews(run, attempts[-1], redactor)
                problems += faults
                if results != attempts[-1].grader_results:
                    regrade = reviewed(attempts[-1], results, task.pass_threshold)
                    journal.regraded(regrade)
                    taken.append(regrade.applied_to(attempts[-1]))
    if taken:
        write_report(run)
    return Intake(taken=tuple(taken), problems=tuple(problems))


def reviewed(
    record: TrialRecord,
    results: tuple[GraderResult, ...],
    pass_threshold: float,
    cause: Cause = Cause.REVIEW,
) -> Regrade:
    """The grades of an attempt with what people said, and judges where they were asked again.

    Args:
        record: The attempt as it was.
        results: Of all its graders, as they are now.
        pass_threshold: The reward at which it passes.
        cause: Why they are what they are.
    """
    verdict = weigh(results, pass_threshold, record.agent is not None and record.agent.timed_out)
    return Regrade(
        task=record.task,
        trial=record.trial,
        attempt=record.attempt,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        cause=cause,
        outcome=verdict.outcome,
        reward=verdict.reward,
        answered_reward=verdict.answered_reward,
        error=verdict.error,
        grader_results=results,
    )


def with_reviews(
    run: RunFolder, record: TrialRecord, redactor: Redactor
) -> tuple[tuple[GraderResult, ...], tuple[str, ...]]:
    """The results of an attempt with what people have written by now, and what is wrong with files that are none."""
    places = review_places(run, record)
    results = list(record.grader_results)
    problems: list[str] = []
    for number, result in enumerate(results):
        place = places.get((result.turn, result.grader))
        if place is not None:
            results[number], faults = answered(result, place, redactor)
            problems += [redactor.text(fault.text) for fault in faults]
    return tuple(results), tuple(problems)

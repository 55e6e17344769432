"""One attempt's grades once more: what is carried over, what is asked again, and what both amount to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from skillgrade.engine.record_grading import RecordGrading, not_reached, spared, turn_of, was_reached
from skillgrade.engine.regrade_plan import TaskRegrade
from skillgrade.engine.review_intake import reviewed, with_reviews
from skillgrade.judges.base import Judging
from skillgrade.results.folder import RunFolder
from skillgrade.results.records import GraderResult, TrialRecord
from skillgrade.results.redaction import Redactor
from skillgrade.results.regrades import Cause, Regrade
from skillgrade.results.reviews import HUMAN
from skillgrade.stop import Stop
from skillgrade.storage import storing
from skillgrade.suite.model import GraderSpec


@dataclass(frozen=True, slots=True)
class GradedAgain:
    """What came of it.

    Attributes:
        regrade: The attempt's new grades; None where people alone are asked and nothing new came from them.
        problems: What is wrong with reviews that people wrote, one sentence each.
    """

    regrade: Regrade | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GradeAgain:
    """Grades attempts of a run again; safe to call from several threads.

    Attributes:
        run: The run's folder.
        judging: Asks judges.
        variables: `.env` and the shell as one.
        redactor: Takes secrets out of what graders say.
    """

    run: RunFolder
    judging: Judging
    variables: Mapping[str, str]
    redactor: Redactor

    def __call__(self, again: TaskRegrade, record: TrialRecord, stop: Stop) -> GradedAgain:
        """The new grades of an attempt.

        Raises:
            StorageError: What a grader keeps could not be written.
            Cancelled: The stop came.
        """
        results: tuple[GraderResult, ...] = record.grader_results
        problems: tuple[str, ...] = ()
        if any(spec.type == HUMAN for spec in again.asked):
            results, problems = with_reviews(self.run, record, self.redactor)
        judges = [spec for spec in again.asked if spec.type != HUMAN]
        if not judges and results == record.grader_results:
            return GradedAgain(None, problems)
        merged = _weighted(self._judged(judges, again, record, results, stop), again.specs)
        cause = Cause.REGRADE if judges else Cause.REVIEW
        return GradedAgain(reviewed(record, merged, again.info.pass_threshold, cause), problems)

    def _judged(
        self,
        specs: Sequence[GraderSpec],
        again: TaskRegrade,
        record: TrialRecord,
        results: Iterable[GraderResult],
        stop: Stop,
    ) -> Iterable[GraderResult]:
        """The results with fresh ones in the places of those that are asked again; new ones come last.

        Nobody is asked about a trial whose agent ran into its deadline, nor about a turn that was not reached, as in a
        run.
        """
        merged = {result.grader: result for result in results}
        attempt = self.run.attempt_path(record.task, record.trial, record.attempt)
        folder = _fresh_folder(attempt) if specs else attempt
        grading = RecordGrading(again.task, record.trial, attempt, self.variables, self.redactor, self.judging)
        for spec in specs:
            turn = turn_of(spec, again.task)
            if record.agent is not None and record.agent.timed_out:
                merged.setdefault(spec.index, spared(spec, turn))
            elif not was_reached(attempt, turn):
                merged.setdefault(spec.index, not_reached(spec, turn, f"the conversation ended before turn {turn}"))
            else:
                merged[spec.index] = grading.grade(spec, merged.values(), folder, stop)
        return merged.values()


def _fresh_folder(attempt: Path) -> Path:
    """A new folder for what graders leave this time; what they left before stays."""
    for number in count(1):
        folder = attempt / f"regrade-{number}"
        with storing(folder), suppress(FileExistsError):
            folder.mkdir(parents=True)
            return folder
    raise AssertionError("numbers have no end")


def _weighted(results: Iterable[GraderResult], specs: Iterable[GraderSpec]) -> tuple[GraderResult, ...]:
    """The results with the weights that the graders have now."""
    weights = {spec.index: spec.weight for spec in specs}
    return tuple(replace(result, weight=weights[result.grader]) for result in results)

"""Grading on what was kept of a trial: after its workspace is closed, or long after the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from skillgrade.graders import RECORD_GRADERS, WORKSPACE_GRADERS
from skillgrade.graders.base import RecordContext
from skillgrade.judges.base import Judging
from skillgrade.results import evidence
from skillgrade.results.evidence import Evidence
from skillgrade.results.records import GraderResult, GraderStatus
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.model import GraderSpec, Task


@dataclass(frozen=True, slots=True)
class RecordGrading:
    """Runs the record graders of one attempt.

    Attributes:
        task: The task.
        trial: The trial's number, from 0.
        attempt: The attempt's folder, which holds its evidence.
        variables: `.env` and the shell as one.
        redactor: Takes secrets out of what graders say.
        judging: Asks judges.
    """

    task: Task
    trial: int
    attempt: Path
    variables: Mapping[str, str]
    redactor: Redactor
    judging: Judging

    def grade(self, spec: GraderSpec, results: Iterable[GraderResult], folder: Path, stop: Stop) -> GraderResult:
        """What one grader says.

        Args:
            spec: The grader.
            results: What graders have said of the attempt so far; it gets to know those that count as earlier.
            folder: Where it keeps what it leaves.
            stop: Ends it early.

        Raises:
            StorageError: The evidence is gone, or what it keeps could not be written.
            Cancelled: The stop came.
        """
        turn = turn_of(spec, self.task)
        kept = evidence.load(evidence.folder_of(self.attempt, turn))
        if lost := _lost(spec, kept):
            return self._without(lost, spec, kept)
        context = RecordContext(
            task=self.task,
            trial=self.trial,
            evidence=kept,
            earlier=earlier_results(spec, turn, results),
            folder=folder,
            variables=self.variables,
            redactor=self.redactor,
            judging=self.judging,
        )
        return RECORD_GRADERS[spec.type].grade(spec, context, stop)

    def _without(self, lost: str, spec: GraderSpec, kept: Evidence) -> GraderResult:
        reason = f"the run kept no {lost} of this trial, which the grader needs: start a new run"
        return GraderResult(
            grader_type=spec.type,
            grader=spec.index,
            status=GraderStatus.ERROR,
            score=None,
            weight=spec.weight,
            details=self.redactor.text(reason),
            turn=kept.turn,
        )


def turn_of(spec: GraderSpec, task: Task) -> int:
    """The turn after which a grader runs, from 0."""
    return len(task.each_turn) - 1 if spec.turn is None else spec.turn


def was_reached(attempt: Path, turn: int) -> bool:
    """Whether a trial got to a turn; of several turns, each that began has a folder."""
    return turn == 0 or evidence.turn_folder(attempt, turn).is_dir()


def not_reached(spec: GraderSpec, turn: int, why: str) -> GraderResult:
    """The 0 of a grader whose turn never came."""
    details = f"not reached: {why}"
    return GraderResult(spec.type, spec.index, GraderStatus.OK, 0.0, spec.weight, details, turn=turn)


def spared(spec: GraderSpec, turn: int) -> GraderResult:
    """The result of a grader that would cost money or a person's time and could not change the reward."""
    details = "not asked: the agent ran into its deadline, so the reward is 0 whatever this grader says"
    return GraderResult(spec.type, spec.index, GraderStatus.SKIPPED, None, spec.weight, details, turn=turn)


def earlier_results(spec: GraderSpec, turn: int, results: Iterable[GraderResult]) -> tuple[GraderResult, ...]:
    """What a record grader gets to know of the other graders: the same in a run and in every regrade of it.

    All workspace graders until its turn ran before it, wherever the file has them; of the record graders, those that
    stand before it did.
    """
    return tuple(
        result
        for result in sorted(results, key=lambda result: result.grader)
        if result.turn <= turn and (result.grader_type in WORKSPACE_GRADERS or result.grader < spec.index)
    )


def _lost(spec: GraderSpec, kept: Evidence) -> str:
    """What a grader needs and nobody kept, in words."""
    needs = RECORD_GRADERS[spec.type].needs(spec)
    lost = [path for path in needs.artifacts if path not in kept.artifacts]
    if needs.diff and kept.diff is None:
        lost.append("record of what changed in the workspace")
    return ", ".join(lost)

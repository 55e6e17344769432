"""The `judge` grader: judges decide by criteria whether an answer passes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from skillgrade.errors import InfrastructureError, UserError
from skillgrade.graders.base import Needs, RecordContext
from skillgrade.graders.questioning import Questioning, in_words
from skillgrade.judges.base import Reading
from skillgrade.judges.scenario import ScenarioQuestion, scenario_question
from skillgrade.judges.scenario_reply import read_verdict
from skillgrade.judges.votes import count_votes
from skillgrade.results.records import Check, GraderResult, GraderStatus, Sample
from skillgrade.stop import Stop
from skillgrade.suite.model import GraderSpec, JudgeSpec


class JudgeGrader:
    """Asks judges for pass or fail. Several answers must agree, or the trial is ungraded."""

    type = "judge"

    def problem(self, spec: GraderSpec) -> str | None:
        """None: what is missing was refused when the file was read."""
        return None

    def needs(self, spec: GraderSpec) -> Needs:
        """The files that it names."""
        return Needs(artifacts=_of_our_type(spec).artifacts)

    def grade(self, spec: GraderSpec, context: RecordContext, stop: Stop) -> GraderResult:
        """Ask the judges; a blank answer fails without them.

        Raises:
            StorageError: What was asked and answered could not be written.
            Cancelled: The stop came.
        """
        spec = _of_our_type(spec)
        started = time.monotonic()
        result = self._graded(spec, context, stop)
        return replace(
            result,
            details=context.redactor.text(result.details),
            turn=context.evidence.turn,
            duration_ms=round((time.monotonic() - started) * 1000),
        )

    def _graded(self, spec: JudgeSpec, context: RecordContext, stop: Stop) -> GraderResult:
        evidence = context.evidence
        if evidence.answer is None:
            details = "the run kept no answer of this trial, which the grader needs: start a new run"
            return GraderResult(self.type, spec.index, GraderStatus.ERROR, None, spec.weight, details)
        files = {path: evidence.artifacts.get(path) for path in spec.artifacts}
        if not evidence.answer.strip() and not any(text and text.strip() for text in files.values()):
            details = "the answer is blank; no judge was asked"
            return GraderResult(self.type, spec.index, GraderStatus.OK, 0.0, spec.weight, details)
        question = scenario_question(spec, evidence.instruction, evidence.answer, files)
        questioning = Questioning(question.prompt, reader_of(question))
        try:
            answers = questioning.ask(spec, spec.samples, context, stop)
        except (InfrastructureError, UserError) as error:
            return GraderResult(self.type, spec.index, GraderStatus.ERROR, None, spec.weight, str(error))
        finally:
            questioning.keep(spec, context)
        samples = [sample for of_one in answers for sample in of_one]
        verdict = unanimous(samples)
        is_split = verdict is None and all(sample.score is not None for sample in samples)
        return GraderResult(
            self.type,
            spec.index,
            GraderStatus.UNGRADED if verdict is None else GraderStatus.OK,
            verdict,
            spec.weight,
            f"the answers do not agree:\n{in_words(answers)}" if is_split else in_words(answers),
            checks=_checks(spec, samples) if verdict is not None else (),
            judgement=questioning.judgement(answers, count_votes(answers), context),
        )


def reader_of(question: ScenarioQuestion) -> partial[Reading]:
    """What reads the replies to a question."""
    return partial(read_verdict, passing=question.passing, failing=question.failing, quotable=question.quotable)


def unanimous(samples: Sequence[Sample]) -> float | None:
    """The verdict of several answers, 1 or 0; None where they do not agree, or one of them is none."""
    verdicts = {sample.score for sample in samples}
    return verdicts.pop() if len(verdicts) == 1 else None


def _checks(spec: JudgeSpec, samples: Sequence[Sample]) -> tuple[Check, ...]:
    """Each criterion as the first answer saw it: a criterion to fail by is met where it does not hold."""
    texts = (*spec.pass_criteria, *spec.fail_criteria)
    is_passing = (True,) * len(spec.pass_criteria) + (False,) * len(spec.fail_criteria)
    return tuple(
        Check(
            f"{criterion.id}: {' '.join(text.split())}",
            criterion.holds is wanted,
            f"«{criterion.quote}»" if criterion.quote else "",
        )
        for criterion, text, wanted in zip(samples[0].criteria, texts, is_passing, strict=True)
    )


def _of_our_type(spec: GraderSpec) -> JudgeSpec:
    if isinstance(spec, JudgeSpec):
        return spec
    raise TypeError(f"{spec.type} is no judge grader")

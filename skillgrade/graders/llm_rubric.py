"""The `llm_rubric` grader: judges score a trial against a rubric."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from skillgrade.errors import InfrastructureError, MissingKeyError, UserError
from skillgrade.graders.base import Needs, RecordContext
from skillgrade.graders.questioning import Questioning, in_words, missing_key
from skillgrade.judges.prompt import rubric_question
from skillgrade.judges.reply import read_reply
from skillgrade.judges.votes import count_votes
from skillgrade.results.records import Check, GraderResult, GraderStatus
from skillgrade.stop import Stop
from skillgrade.suite.model import GraderSpec, LlmRubricSpec


class LlmRubricGrader:
    """Asks judges, each as often as the grader says, and counts their votes."""

    type = "llm_rubric"

    def problem(self, spec: GraderSpec) -> str | None:
        """It needs a rubric, and a judge to be asked at least once."""
        spec = _of_our_type(spec)
        if not spec.rubric.strip():
            return "the rubric is empty; say what to look at, and for how many points"
        return None if spec.samples >= 1 else f"samples must be at least 1, not {spec.samples}"

    def needs(self, spec: GraderSpec) -> Needs:
        """The files that it names, and what changed."""
        return Needs(artifacts=_of_our_type(spec).artifacts, diff=True)

    def grade(self, spec: GraderSpec, context: RecordContext, stop: Stop) -> GraderResult:
        """Ask the judges and count their votes.

        Raises:
            StorageError: What was asked and answered could not be written.
            Cancelled: The stop came.
        """
        spec = _of_our_type(spec)
        started = time.monotonic()
        if spec.is_optional and (reason := missing_key(spec, context)):
            result = GraderResult(self.type, spec.index, GraderStatus.SKIPPED, None, spec.weight, reason)
        else:
            result = self._asked(spec, context, stop)
        return replace(
            result,
            details=context.redactor.text(result.details),
            turn=context.evidence.turn,
            duration_ms=round((time.monotonic() - started) * 1000),
        )

    def _asked(self, spec: LlmRubricSpec, context: RecordContext, stop: Stop) -> GraderResult:
        question = rubric_question(spec, context.task.expected, context.evidence, context.earlier)
        questioning = Questioning(question.prompt, partial(read_reply, tag=question.tag, sections=question.sections))
        try:
            answers = questioning.ask(spec, spec.samples, context, stop)
        except (InfrastructureError, UserError) as error:
            # Who set no key reads a score of 0 here since the first version; the status keeps it out of every rate.
            score = 0.0 if isinstance(error, MissingKeyError) else None
            return GraderResult(self.type, spec.index, GraderStatus.ERROR, score, spec.weight, str(error))
        finally:
            questioning.keep(spec, context)
        vote = count_votes(answers)
        return GraderResult(
            spec.type,
            spec.index,
            GraderStatus.UNGRADED if vote.score is None else GraderStatus.OK,
            vote.score,
            spec.weight,
            in_words(answers),
            tuple(
                Check(section.title, points >= (section.low + section.high) / 2, f"{points:g} of {section.high:g}")
                for section, points in zip(question.sections, vote.points, strict=False)
            ),
            judgement=questioning.judgement(answers, vote, context),
        )


def _of_our_type(spec: GraderSpec) -> LlmRubricSpec:
    if isinstance(spec, LlmRubricSpec):
        return spec
    raise TypeError(f"{spec.type} is no llm_rubric grader")

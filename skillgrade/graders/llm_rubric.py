"""The `llm_rubric` grader: judges score a trial against a rubric."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from skillgrade.errors import InfrastructureError, MissingKeyError, ReplyError, UserError
from skillgrade.graders.base import Needs, RecordContext
from skillgrade.judges.base import Judge, Reading
from skillgrade.judges.choice import judges_of
from skillgrade.judges.prompt import Question, request_digest, rubric_question
from skillgrade.judges.reply import read_reply
from skillgrade.judges.votes import Vote, count_votes, total_cost, total_tokens
from skillgrade.results.records import Check, GraderResult, GraderStatus, Judgement, Sample
from skillgrade.stop import Stop
from skillgrade.storage import storing
from skillgrade.suite.model import GraderSpec, LlmRubricSpec

_LONGEST_REASONING = 600
"""Characters of a judge's words that a result's details have; all of them are in its samples."""


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
        question = rubric_question(spec, context.task.expected, context.evidence, context.earlier)
        log = _Log(question)
        try:
            result = _graded(spec, question, _ask(spec, log, context, stop), context)
        except (InfrastructureError, UserError) as error:
            # Who set no key reads a score of 0 here since the first version; the status keeps it out of every rate.
            score = 0.0 if isinstance(error, MissingKeyError) else None
            result = GraderResult(self.type, spec.index, GraderStatus.ERROR, score, spec.weight, str(error))
        finally:
            _keep(context.folder / f"grader-{spec.index}.judge.json", context.redactor.value(log.document()))
        return replace(
            result,
            details=context.redactor.text(result.details),
            turn=context.evidence.turn,
            duration_ms=round((time.monotonic() - started) * 1000),
        )


@dataclass(frozen=True, slots=True)
class _Log:
    """What was asked and what came back, for whoever wants to know why."""

    question: Question
    replies: list[Mapping[str, object]] = field(default_factory=list)

    def read(self, judge: Judge, text: str) -> Reading:
        """Read a reply, and note it."""
        noted = {"provider": judge.provider, "model": judge.model, "reply": text}
        try:
            reading = read_reply(text, self.question.tag, self.question.sections)
        except ReplyError as error:
            self.replies.append({**noted, "problem": str(error)})
            raise
        self.replies.append({**noted, "problem": None})
        return reading

    def document(self) -> Mapping[str, object]:
        prompt = self.question.prompt
        return {
            "request": request_digest(prompt),
            "prompt_version": prompt.version,
            "system": prompt.system,
            "user": prompt.user,
            "schema": prompt.schema,
            "replies": self.replies,
        }


def _ask(spec: LlmRubricSpec, log: _Log, context: RecordContext, stop: Stop) -> Sequence[Sequence[Sample]]:
    """The answers of each judge."""
    task, prompt = context.task.name, log.question.prompt
    answers = []
    for judge in judges_of(spec, context.task):

        def read(text: str, judge: Judge = judge) -> Reading:
            return log.read(judge, text)

        samples = context.judging.samples(task, prompt, judge, spec.samples, read, context.variables, stop)
        answers.append([replace(one, reasoning=context.redactor.text(one.reasoning)) for one in samples])
    return answers


def _graded(
    spec: LlmRubricSpec, question: Question, answers: Sequence[Sequence[Sample]], context: RecordContext
) -> GraderResult:
    vote = count_votes(answers)
    return GraderResult(
        spec.type,
        spec.index,
        GraderStatus.UNGRADED if vote.score is None else GraderStatus.OK,
        vote.score,
        spec.weight,
        _details(answers),
        tuple(
            Check(section.title, points >= (section.low + section.high) / 2, f"{points:g} of {section.high:g}")
            for section, points in zip(question.sections, vote.points, strict=False)
        ),
        judgement=_judgement(question, answers, vote, context),
    )


def _judgement(
    question: Question, answers: Sequence[Sequence[Sample]], vote: Vote, context: RecordContext
) -> Judgement:
    samples = tuple(sample for of_one in answers for sample in of_one)
    return Judgement(
        prompt_version=question.prompt.version,
        request=request_digest(question.prompt),
        source=context.judging.settings.verdicts.value,
        samples=samples,
        spread=vote.spread,
        agreement=vote.agreement,
        tokens=total_tokens(samples),
        cost_usd=total_cost(samples),
    )


def _details(answers: Sequence[Sequence[Sample]]) -> str:
    """Why the score is what it is: the judge's words; of several answers, who gave which score and why."""
    samples = [sample for of_one in answers for sample in of_one]
    unread = [sample for sample in samples if sample.score is None]
    if unread:
        share = "" if len(samples) == 1 else f"{len(unread)} of {len(samples)} answers are no verdict; "
        return f"{share}{_short(unread[0].reasoning)}"
    if len(samples) == 1:
        return _short(samples[0].reasoning)
    return "\n".join(f"{one.provider} {one.answered_by}: {one.score:g}: {_short(one.reasoning)}" for one in samples)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_REASONING else f"{text[:_LONGEST_REASONING]} [...]"


def _keep(path: Path, document: Mapping[str, object]) -> None:
    text = json.dumps(document, ensure_ascii=False, indent=2)
    with storing(path):
        path.write_bytes(text.encode("utf-8", "backslashreplace") + b"\n")


def _of_our_type(spec: GraderSpec) -> LlmRubricSpec:
    if isinstance(spec, LlmRubricSpec):
        return spec
    raise TypeError(f"{spec.type} is no llm_rubric grader")

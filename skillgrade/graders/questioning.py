"""What graders that ask judges share: asking each of them, and keeping what was asked and answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from skillgrade.errors import MissingKeyError, ReplyError
from skillgrade.graders.base import RecordContext
from skillgrade.judges.base import Judge, Prompt, Reading, Verdicts
from skillgrade.judges.choice import judges_of
from skillgrade.judges.prompt import request_digest
from skillgrade.judges.votes import Vote, total_cost, total_tokens
from skillgrade.models.endpoint import endpoint
from skillgrade.results.records import Judgement, Sample
from skillgrade.stop import Stop
from skillgrade.storage import storing
from skillgrade.suite.model import GraderSpec

_LONGEST_REASONING = 600
"""Characters of a judge's words that a result's details have; all of them are in its samples."""


@dataclass(frozen=True, slots=True)
class Questioning:
    """A question to judges, and what came of it.

    Attributes:
        prompt: What they are asked.
        read: Reads a reply; raises `ReplyError` for what is no verdict.
        replies: Every reply as it came, for whoever wants to know why.
    """

    prompt: Prompt
    read: Callable[[str], Reading]
    replies: list[Mapping[str, object]] = field(default_factory=list)

    def ask(self, spec: GraderSpec, count: int, context: RecordContext, stop: Stop) -> Sequence[Sequence[Sample]]:
        """The answers of each judge of a grader, secrets taken out of their words.

        Args:
            spec: The grader.
            count: How often each is asked.
            context: The trial.
            stop: Ends it early.

        Raises:
            MissingKeyError: A provider's key is not set.
            ModelError: No reply could be had.
            RecordingError: Replaying, and the recording has no current verdict.
            Cancelled: The stop came.
        """
        answers = []
        for judge in judges_of(spec, context.task):

            def read(text: str, judge: Judge = judge) -> Reading:
                return self._noted(judge, text)

            name = context.task.name
            samples = context.judging.samples(name, self.prompt, judge, count, read, context.variables, stop)
            answers.append([replace(one, reasoning=context.redactor.text(one.reasoning)) for one in samples])
        return answers

    def judgement(self, answers: Sequence[Sequence[Sample]], vote: Vote, context: RecordContext) -> Judgement:
        """What the record keeps of the judges' answers."""
        samples = tuple(sample for of_one in answers for sample in of_one)
        return Judgement(
            prompt_version=self.prompt.version,
            request=request_digest(self.prompt),
            source=context.judging.settings.verdicts.value,
            samples=samples,
            spread=vote.spread,
            agreement=vote.agreement,
            tokens=total_tokens(samples),
            cost_usd=total_cost(samples),
        )

    def keep(self, spec: GraderSpec, context: RecordContext) -> None:
        """Keep what was asked and answered in the run.

        Raises:
            StorageError: It could not be written.
        """
        document = {
            "request": request_digest(self.prompt),
            "prompt_version": self.prompt.version,
            "system": self.prompt.system,
            "user": self.prompt.user,
            "schema": self.prompt.schema,
            "replies": self.replies,
        }
        _write(context.folder / f"grader-{spec.index}.judge.json", context.redactor.value(document))

    def _noted(self, judge: Judge, text: str) -> Reading:
        noted = {"provider": judge.provider, "model": judge.model, "reply": text}
        try:
            reading = self.read(text)
        except ReplyError as error:
            self.replies.append({**noted, "problem": str(error)})
            raise
        self.replies.append({**noted, "problem": None})
        return reading


def missing_key(spec: GraderSpec, context: RecordContext) -> str | None:
    """Why a judge of a grader cannot be asked: its key is not set; None where all can."""
    if context.judging.settings.verdicts is Verdicts.REPLAY:
        return None
    for judge in judges_of(spec, context.task):
        try:
            endpoint(judge.provider, context.variables)
        except MissingKeyError as error:
            return str(error)
    return None


def in_words(answers: Sequence[Sequence[Sample]]) -> str:
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


def _write(path: Path, document: Mapping[str, object]) -> None:
    text = json.dumps(document, ensure_ascii=False, indent=2)
    with storing(path):
        path.write_bytes(text.encode("utf-8", "backslashreplace") + b"\n")

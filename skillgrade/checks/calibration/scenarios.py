"""What is calibrated: the judges of a suite that have answers with known verdicts."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from skillgrade.graders.assertions import Subjects, check_assertions, share
from skillgrade.graders.judge import reader_of
from skillgrade.judges.base import Prompt, Reading
from skillgrade.judges.calibration_recordings import SampleVerdict
from skillgrade.judges.canned import CannedAnswer, Kind, canned_answers
from skillgrade.judges.prompt import PROMPT_VERSION, RUBRIC_TEMPLATES, rubric_question
from skillgrade.judges.reply import read_reply
from skillgrade.judges.scenario import SCENARIO_PROMPT_VERSION, SCENARIO_TEMPLATES, scenario_question
from skillgrade.judges.templates import digest, source
from skillgrade.results.evidence import Evidence
from skillgrade.results.records import AssertionStatus, Sample
from skillgrade.suite.assertion_types import OF_TEXT, SHAPES
from skillgrade.suite.model import (
    Assertion,
    AssertionsSpec,
    Calibration,
    JudgeSpec,
    LlmRubricSpec,
    Subject,
    Suite,
    Task,
)


@dataclass(frozen=True, slots=True)
class Question:
    """What a judge is asked about a canned answer, and what reads the reply."""

    prompt: Prompt
    read: Callable[[str], Reading]


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A judge with answers whose verdicts are known.

    Attributes:
        id: The task's name; with ``#`` and the grader's number behind it where the task has several judges.
        task: The task.
        spec: The grader.
        answers: The canned answers that are put to it.
        seal: The digest of what all its questions have in common.
        missing: What of the calibration is not there, by its keys.
    """

    id: str
    task: Task
    spec: JudgeSpec | LlmRubricSpec
    answers: tuple[CannedAnswer, ...]
    seal: str
    missing: tuple[str, ...] = ()

    @property
    def asked(self) -> tuple[CannedAnswer, ...]:
        """The answers that reach the judge: all but the empty one."""
        return tuple(answer for answer in self.answers if answer.kind is not Kind.EMPTY)

    def request(self, answer: CannedAnswer) -> str:
        """What names the question about an answer: ``sha256:`` over the templates and all that is put into them.

        Not over the prompt, as elsewhere: recordings of thousands of samples are looked at without making a prompt.
        """
        return f"sha256:{digest(self.seal, answer.text)}"

    def question(self, answer: CannedAnswer) -> Question:
        """What the judge is asked about an answer."""
        if isinstance(self.spec, JudgeSpec):
            asked = scenario_question(self.spec, self.task.instruction, answer.text)
            return Question(asked.prompt, reader_of(asked))
        evidence = Evidence(0, self.task.instruction, answer.text, answer=answer.text)
        spec = replace(self.spec, artifacts=())  # a canned answer brings no files
        rubric = rubric_question(spec, self.task.expected, evidence, ())
        read = functools.partial(read_reply, tag=rubric.tag, sections=rubric.sections)
        return Question(rubric.prompt, read)

    def verdict(self, sample: Sample) -> SampleVerdict:
        """What a judge's answer means: with a rubric, whether it reaches the task's `pass_threshold`."""
        if sample.score is None:
            return SampleVerdict(None, "", sample.reasoning)
        if isinstance(self.spec, JudgeSpec):
            return SampleVerdict(sample.score == 1, sample.reasoning)
        return SampleVerdict(sample.score >= self.task.pass_threshold, sample.reasoning, score=sample.score)

    def follow(self, samples: Iterable[SampleVerdict]) -> bool:
        """Whether recorded verdicts are what their scores mean; the threshold is no part of the question."""
        if isinstance(self.spec, JudgeSpec):
            return True
        threshold = self.task.pass_threshold
        return all(
            sample.passes is None or (sample.score is not None and sample.passes is (sample.score >= threshold))
            for sample in samples
        )

    def failed_checks(self, answer: CannedAnswer) -> tuple[str, ...]:
        """The deterministic checks of the task's answer that a canned one does not pass, in words."""
        return tuple(words for spec in self.task.graders for words in _failed(spec, answer.text))


def calibrated_in(suite: Suite) -> tuple[Calibrated, ...]:
    """The judges of a suite that can be tried: every `judge` grader, and each `llm_rubric` with a calibration."""
    return tuple(each for task in suite.tasks for each in _of_task(task))


def _of_task(task: Task) -> Iterator[Calibrated]:
    specs = [
        spec
        for spec in task.graders
        if isinstance(spec, JudgeSpec) or (isinstance(spec, LlmRubricSpec) and spec.calibration is not None)
    ]
    for spec in specs:
        assert isinstance(spec, JudgeSpec | LlmRubricSpec)  # noqa: S101 - that is how they were chosen
        calibration = spec.calibration or Calibration()
        criteria = (*spec.pass_criteria, *spec.fail_criteria) if isinstance(spec, JudgeSpec) else ()
        answers = canned_answers(task.instruction, spec.rubric, criteria, calibration)
        if isinstance(spec, LlmRubricSpec):
            answers = tuple(answer for answer in answers if answer.kind is not Kind.EMPTY)
        missing = tuple(key for key in Calibration.__dataclass_fields__ if not getattr(calibration, key).strip())
        name = task.name if len(specs) == 1 else f"{task.name}#{spec.index}"
        yield Calibrated(name, task, spec, answers, _seal(task, spec), missing if isinstance(spec, JudgeSpec) else ())


def _seal(task: Task, spec: JudgeSpec | LlmRubricSpec) -> str:
    if isinstance(spec, JudgeSpec):
        asked = [*spec.pass_criteria, *spec.fail_criteria, str(len(spec.pass_criteria))]
        return digest(SCENARIO_PROMPT_VERSION, _digest_of(SCENARIO_TEMPLATES), spec.rubric, task.instruction, *asked)
    expected = json.dumps(task.expected, ensure_ascii=False, default=str)
    return digest(PROMPT_VERSION, _digest_of(RUBRIC_TEMPLATES), spec.rubric, task.instruction, expected)


@functools.cache
def _digest_of(templates: tuple[str, ...]) -> str:
    return digest(*map(source, templates))


def _failed(spec: object, text: str) -> Iterator[str]:
    """What of a grader an answer fails: nothing where what holds reaches the grader's own threshold."""
    if not isinstance(spec, AssertionsSpec):
        return
    results = check_assertions(list(_on_answers(spec)), Subjects.of_answer(text))
    if spec.threshold is not None and share(results) >= spec.threshold:
        return
    for each in results:
        if each.status is not AssertionStatus.PASSED:
            yield f"{'not ' if each.negated else ''}{each.type} {each.target}"


def _on_answers(spec: AssertionsSpec) -> Iterator[Assertion]:
    """The assertions of a grader that an answer alone can fulfil."""
    for each in spec.assertions:
        if SHAPES.get(each.type) in OF_TEXT and each.file is None and each.subject is not Subject.TRANSCRIPT:
            yield each

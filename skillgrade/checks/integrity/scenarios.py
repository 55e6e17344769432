"""What the integrity rules look at: tasks whose answers are graded as text, by assertions and judges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skillgrade.graders.assertions import Subjects, check_assertions
from skillgrade.results.records import AssertionStatus
from skillgrade.suite.assertion_types import OF_TEXT, SHAPES
from skillgrade.suite.model import Assertion, AssertionsSpec, JudgeSpec, Subject, Suite, Task

_ANTI_PATTERNS = "anti_patterns"


@dataclass(frozen=True, slots=True)
class Scenario:
    """A task whose answer is graded as text.

    Attributes:
        task: The task.
        judge: Its judge; None where programs alone decide.
        checks: What they check of the answer.
        is_whole: Whether nothing else grades it, so that these alone decide.
    """

    task: Task
    judge: JudgeSpec | None
    checks: tuple[Assertion, ...]
    is_whole: bool

    @property
    def name(self) -> str:
        """The task's name."""
        return self.task.name

    @property
    def place(self) -> tuple[Path, int]:
        """Where it stands."""
        return self.task.file, self.task.line

    @property
    def anti_patterns(self) -> tuple[str, ...]:
        """Literal constructs that a wrong answer shows."""
        if self.judge is not None:
            return self.judge.anti_patterns
        listed = self.task.metadata.get(_ANTI_PATTERNS)
        return tuple(map(str, listed)) if isinstance(listed, list | tuple) else ()

    @property
    def known_wrong(self) -> str:
        """The calibration answer that must fail; empty where there is none."""
        calibration = self.judge.calibration if self.judge is not None else None
        return calibration.known_wrong if calibration is not None else ""

    def passes(self, answer: str) -> bool:
        """Whether an answer passes all checks; without any, none does."""
        results = check_assertions(self.checks, Subjects.of_answer(answer))
        return bool(results) and all(each.status is AssertionStatus.PASSED for each in results)


def scenarios_in(suite: Suite) -> tuple[Scenario, ...]:
    """The scenarios of a suite, in its order."""
    return tuple(scenario for task in suite.tasks if (scenario := _scenario(task)) is not None)


def _scenario(task: Task) -> Scenario | None:
    judges = [spec for spec in task.graders if isinstance(spec, JudgeSpec)]
    checks = tuple(each for spec in task.graders for each in _on_answers(spec))
    if not judges and not checks:
        return None
    asserted = sum(len(spec.assertions) for spec in task.graders if isinstance(spec, AssertionsSpec))
    others = [spec for spec in task.graders if not isinstance(spec, JudgeSpec | AssertionsSpec)]
    return Scenario(task, judges[0] if judges else None, checks, not others and asserted == len(checks))


def _on_answers(spec: object) -> Iterator[Assertion]:
    if isinstance(spec, AssertionsSpec):
        for each in spec.assertions:
            if SHAPES.get(each.type) in OF_TEXT and each.file is None and each.subject is not Subject.TRANSCRIPT:
                yield each

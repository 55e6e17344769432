"""Whether a judge would say today what it is recorded to have said: a random sample of its verdicts, asked again."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from skillgrade.checks.release.build import RAN
from skillgrade.checks.release.document import read_evidence
from skillgrade.checks.release.skills import Release, suite_of
from skillgrade.errors import StorageError
from skillgrade.graders.judge import reader_of
from skillgrade.judges.base import Judge, Judging
from skillgrade.judges.scenario import scenario_question
from skillgrade.results import evidence
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import GraderStatus
from skillgrade.results.statistics import Interval, wilson_interval
from skillgrade.stop import Stop
from skillgrade.suite.model import JudgeSpec, Suite

MOST_DRIFT = 0.2
"""The share of verdicts that may come out otherwise."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A verdict that a judge gave once, and what it was about."""

    skill: str
    scenario: str
    trial: int
    spec: JudgeSpec
    prompt: str
    answer: str
    passed: bool
    files: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Compared:
    """A recorded verdict and the one of today; None where the judge gave none."""

    recorded: Recorded
    passed: bool | None
    reason: str

    @property
    def agrees(self) -> bool:
        """Whether both are the same."""
        return self.passed is self.recorded.passed


@dataclass(frozen=True, slots=True)
class Drift:
    """What came of a sample.

    Attributes:
        eligible: How many verdicts there are.
        compared: Those that were asked again.
    """

    eligible: int
    compared: tuple[Compared, ...]

    @property
    def rate(self) -> float:
        """The share that came out otherwise; 0 of none."""
        different = sum(not each.agrees for each in self.compared)
        return different / len(self.compared) if self.compared else 0.0

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of that share among all verdicts; None of none."""
        return wilson_interval(sum(not each.agrees for each in self.compared), len(self.compared))

    @property
    def is_too_much(self) -> bool:
        """Whether more came out otherwise than may."""
        return self.rate > MOST_DRIFT


def verdicts_of_run(folder: RunFolder, suite: Suite) -> Iterator[Recorded]:
    """The judges' verdicts of a run, on tasks that are still there.

    Args:
        folder: The run.
        suite: Its suite as it is now.

    Raises:
        UserError: The run cannot be read.
    """
    index = JournalIndex(folder.journal)
    skill = ", ".join(each.name for each in index.info.skills)
    specs = {(task.name, spec.index): spec for task in suite.tasks for spec in task.graders}
    for info in index.tasks:
        for attempts in index.attempts(info.task):
            record = attempts[-1]
            for result in record.grader_results:
                spec = specs.get((info.task, result.grader))
                if not isinstance(spec, JudgeSpec) or result.status is not GraderStatus.OK or not result.judgement:
                    continue
                attempt = folder.attempt_path(record.task, record.trial, record.attempt)
                try:
                    kept = evidence.load(evidence.folder_of(attempt, result.turn))
                except StorageError:
                    continue
                yield Recorded(
                    skill, info.task, record.trial, spec, kept.instruction, kept.answer or "", result.score == 1,
                    {path: kept.artifacts.get(path) for path in spec.artifacts},
                )  # fmt: skip


def verdicts_of_release(release: Release) -> Iterator[Recorded]:
    """The judges' verdicts in the evidence of a pack or skill, on scenarios that are still there.

    Raises:
        UserError: The evidence or the evals cannot be read.
    """
    reports = {each.skill_id: each for each in read_evidence(release.folder)}
    for skill in release.skills:
        report = reports.get(release.id_of(skill))
        if report is None:
            continue
        judges = {
            task.name: (task, spec)
            for task in suite_of(skill).tasks
            for spec in task.graders
            if isinstance(spec, JudgeSpec)
        }
        for scenario in report.behavior:
            if scenario.status != RAN or scenario.id not in judges:
                continue
            task, spec = judges[scenario.id]
            for number, trial in enumerate(scenario.trial_records):
                if trial.judge is not None and trial.judge.error is None:
                    passed = trial.judge.verdict == "pass"
                    yield Recorded(report.skill_id, scenario.id, number, spec, task.instruction, trial.output, passed)


def reverified(
    verdicts: Sequence[Recorded],
    sample: int,
    seed: int,
    judge: Judge,
    judging: Judging,
    variables: Mapping[str, str],
    parallel: int,
    tell: Callable[[Compared], None],
    stop: Stop,
) -> Drift:
    """Ask a judge again about a random sample of verdicts.

    Args:
        verdicts: All of them.
        sample: How many to ask about; all where there are fewer.
        seed: Another one draws others.
        judge: Who is asked.
        judging: Asks it.
        variables: `.env` and the shell as one.
        parallel: How many questions are out at a time, >= 1.
        tell: Told what came of each, in order.
        stop: Ends it early.

    Raises:
        ModelError: No reply could be had.
        Cancelled: The stop came.
    """
    drawn = random.Random(seed).sample(range(len(verdicts)), min(sample, len(verdicts)))  # noqa: S311 - no secret

    def ask(number: int) -> Compared:
        each = verdicts[number]
        question = scenario_question(each.spec, each.prompt, each.answer, each.files)
        read = reader_of(question)
        (found,) = judging.samples(each.scenario, question.prompt, judge, 1, read, variables, stop)
        return Compared(each, None if found.score is None else found.score == 1, found.reasoning)

    compared = []
    with ThreadPoolExecutor(parallel, thread_name_prefix="skillgrade-reverify") as executor:
        for one in executor.map(ask, sorted(drawn)):
            compared.append(one)
            tell(one)
    stop.check()
    return Drift(len(verdicts), tuple(compared))


def is_release(path: Path) -> bool:
    """Whether a path is a pack or skill with evidence, and no run."""
    return not RunFolder(path).journal.is_file() and bool(read_evidence(path)) if path.is_dir() else False

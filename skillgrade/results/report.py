"""The report of a run: its numbers, as `report.json` holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from skillgrade.results.comparison import Comparison
from skillgrade.results.encoding import FLAT, STREAMED
from skillgrade.results.records import TrialError, TrialRecord
from skillgrade.results.regrades import Cause, RegradeReport
from skillgrade.results.run_info import RunInfo, TaskInfo
from skillgrade.results.statistics import CONFIDENCE, Interval

REPORT_FORMAT = 1
"""Raised when a field changes its meaning; new fields do not raise it."""


@dataclass(frozen=True, slots=True)
class TrialReport:
    """One trial: its last attempt, and what came before.

    Attributes:
        record: The attempt that counts, with its latest grades.
        attempts: How many attempts were recorded, >= 1.
        earlier_errors: Why the earlier attempts had no verdict, in their order.
        regrades: What grading the attempt again changed, each time that was done.
    """

    record: TrialRecord = field(metadata=FLAT)
    attempts: int = 1
    earlier_errors: tuple[TrialError, ...] = ()
    regrades: tuple[RegradeReport, ...] = ()


@dataclass(frozen=True, slots=True)
class TriggerCounts:
    """In how many trials of a task a skill was used, of those whose agent ran.

    Attributes:
        skill: The skill's name.
        triggered: It was used.
        attempted: The agent asked for it and did not get it.
        not_triggered: It was not used.
        unknown: Nothing shows whether it was.
    """

    skill: str
    triggered: int = 0
    attempted: int = 0
    not_triggered: int = 0
    unknown: int = 0

    @property
    def known(self) -> int:
        """Trials of which it is known."""
        return self.triggered + self.attempted + self.not_triggered


@dataclass(frozen=True, slots=True)
class TaskReport:
    """The numbers of one task. Only graded (passed or failed) trials enter a rate.

    Attributes:
        info: The task as planned.
        graded: Passed and failed trials.
        passed: Trials whose reward reached `info.pass_threshold`.
        failed: Graded trials that did not pass.
        errored: Trials that something other than the agent kept from a verdict.
        ungraded: Trials that a grader could not decide.
        cancelled: Trials that were stopped or never started; with the four above they make up `info.planned`.
        mean_reward: Mean over the graded trials; None when there are none.
        mean_reward_interval: Confidence interval of the mean reward; None below two graded trials.
        mean_reward_bounds: The mean reward if every trial without a verdict had got 0, and if it had got 1.
        pass_rate: Passed of graded; None when none is graded.
        pass_rate_interval: Wilson interval of the pass rate; None when none is graded.
        pass_at_k: By k: the chance that at least one of k trials passes; None where fewer than k are graded.
        pass_pow_k: By k: the chance that all of k trials pass; None where fewer than k are graded.
        images: Digests of the images that its trials ran in.
        judges: Who judged, as ``provider:model``, with the model that says it answered.
        judge_agreement: Mean agreement of the verdicts that several judges came to; None when there are none.
        judge_tokens: Of all its judges' verdicts that count, by kind; None when none knows them.
        judge_cost_usd: Of all its judges' verdicts that count; None unless every one knows it.
        review_agreement: Krippendorff's alpha of the people who reviewed its trials; None where no two reviewed the
            same one, or all gave one and the same score.
        triggers: How often each skill was seen used, in the order of the run's skills.
        trials: Recorded trials in order; iterate as often as needed. They may be read from disk one at a time.
    """

    info: TaskInfo = field(metadata=FLAT)
    graded: int
    passed: int
    failed: int
    errored: int
    ungraded: int
    cancelled: int
    mean_reward: float | None
    mean_reward_interval: Interval | None
    mean_reward_bounds: Interval
    pass_rate: float | None
    pass_rate_interval: Interval | None
    pass_at_k: Mapping[int, float | None]
    pass_pow_k: Mapping[int, float | None]
    images: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    judge_agreement: float | None = None
    judge_tokens: Mapping[str, int] | None = None
    judge_cost_usd: float | None = None
    review_agreement: float | None = None
    triggers: tuple[TriggerCounts, ...] = ()
    trials: Iterable[TrialReport] = field(default=(), compare=False, repr=False, metadata=STREAMED)


@dataclass(frozen=True, slots=True)
class Totals:
    """The whole suite, with tasks as the unit: every task weighs the same, however many trials it has.

    Attributes:
        tasks: Tasks in the run.
        tasks_graded: Tasks with at least one graded trial; only they enter the means.
        planned: Trials planned; the six counts below are sums over the tasks likewise.
        graded: Passed and failed trials.
        passed: Trials that passed.
        failed: Trials that failed.
        errored: Trials without a verdict because of an error.
        ungraded: Trials that a grader could not decide.
        cancelled: Trials that were stopped or never started.
        mean_reward: Mean of the tasks' mean rewards.
        mean_reward_interval: Its confidence interval over tasks; None below two graded tasks.
        mean_reward_bounds: Mean of the tasks' bounds; None without tasks.
        pass_rate: Mean of the tasks' pass rates.
        pass_rate_interval: Its confidence interval over tasks; None below two graded tasks.
        tokens: Summed by kind over all attempts that report them; None when none does.
        cost_usd: Summed over all attempts that report it; None when none does.
        judge_agreement: Mean of the tasks' agreements of judges; None when no verdict had several judges.
        judge_tokens: Of all judges' verdicts that count, by kind; None when none knows them.
        judge_cost_usd: Of all judges' verdicts that count; None unless every one knows it.
        review_agreement: Krippendorff's alpha over the reviews of all tasks' trials, likewise.
    """

    tasks: int
    tasks_graded: int
    planned: int
    graded: int
    passed: int
    failed: int
    errored: int
    ungraded: int
    cancelled: int
    mean_reward: float | None
    mean_reward_interval: Interval | None
    mean_reward_bounds: Interval | None
    pass_rate: float | None
    pass_rate_interval: Interval | None
    tokens: Mapping[str, int] | None = None
    cost_usd: float | None = None
    judge_agreement: float | None = None
    judge_tokens: Mapping[str, int] | None = None
    judge_cost_usd: float | None = None
    review_agreement: float | None = None


@dataclass(frozen=True, slots=True)
class RegradeTotals:
    """For one cause: how many trials were graded again, and in how many of them that changed anything."""

    cause: Cause
    trials: int
    changed: int


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run's report: a pure function of its journal.

    Attributes:
        info: What the run is.
        duration_ms: Time of the run's sessions that ended by themselves; None when none did.
        interrupted: Whether the run was stopped or killed before its end.
        agent: The agent of all tasks; None where they differ (then see each task's), as for the four below.
        agent_version: The version of the agent's CLI.
        model: The agent's model.
        provider: What ran the trials.
        isolation: What kept the agent away from the host.
        images: Digests of the images that trials ran in.
        skipped_lines: Lines of the journal that could not be read and are missing here.
        judges: Who judged, as ``provider:model``, with the model that says it answered.
        regrades: How many trials were graded again, by cause; empty where none was.
        totals: The whole suite.
        tasks: In the order of the suite.
        baseline: The run without the skill that went on at the same time, compared with this one; None without one.
        format: The version of the document's format.
        confidence: The level of every interval.
    """

    info: RunInfo = field(metadata=FLAT)
    duration_ms: int | None
    interrupted: bool
    agent: str | None
    agent_version: str | None
    model: str | None
    provider: str | None
    isolation: str | None
    images: tuple[str, ...]
    skipped_lines: int
    judges: tuple[str, ...]
    regrades: tuple[RegradeTotals, ...]
    totals: Totals
    tasks: tuple[TaskReport, ...] = field(metadata=STREAMED)
    baseline: Comparison | None = None
    format: int = REPORT_FORMAT
    confidence: float = CONFIDENCE

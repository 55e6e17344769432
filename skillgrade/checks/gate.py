"""Whether a run is good enough to release on, and the exit code that says so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from skillgrade.exit_codes import ExitCode
from skillgrade.results.report import RunReport, TaskReport

_ROUNDING = 1e-9
"""Rewards are sums of rounded products, so that 0.7 + 0.1 may fall short of 0.8 by a last digit."""


class Verdict(StrEnum):
    """What the gate says of one task."""

    PASSES = "pass"
    """The mean reward reaches the threshold, and so does the low end of its interval."""

    PASSES_WEAKLY = "pass_weak"
    """The mean reward reaches the threshold, but so few trials could do so by luck."""

    FAILS = "fail"
    UNDECIDED = "undecided"
    """Planned trials are without a verdict."""


@dataclass(frozen=True, slots=True)
class TaskVerdict:
    """What the gate says of one task: the threshold that was asked for, the verdict, and why in one sentence."""

    task: str
    threshold: float
    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class GateResult:
    """What the gate says of a run."""

    tasks: tuple[TaskVerdict, ...]

    @property
    def passed(self) -> bool:
        """Whether there are tasks and every one of them passes, weakly or not."""
        return bool(self.tasks) and all(task.verdict in (Verdict.PASSES, Verdict.PASSES_WEAKLY) for task in self.tasks)


def gate(report: RunReport, threshold: float | None = None) -> GateResult:
    """Ask of each task that all its trials have a verdict and its mean reward reaches the task's threshold.

    Args:
        report: The run.
        threshold: 0..1; wins over the tasks' own.
    """
    return GateResult(
        tuple(_judge(task, task.info.threshold if threshold is None else threshold) for task in report.tasks)
    )


def exit_code(report: RunReport, gate_result: GateResult | None = None) -> ExitCode:
    """The exit code of a run that got as far as a report.

    Args:
        report: The run.
        gate_result: What the gate said, where `--ci` asked it.
    """
    totals = report.totals
    if report.interrupted:
        return ExitCode.INTERRUPTED
    if totals.errored or totals.ungraded or totals.cancelled:
        return ExitCode.ERRORED
    if gate_result is not None and not gate_result.passed:
        return ExitCode.REFUSED
    return ExitCode.OK


def _judge(task: TaskReport, threshold: float) -> TaskVerdict:
    verdict, reason = _verdict(task, threshold)
    return TaskVerdict(task.info.task, threshold, verdict, reason)


def _verdict(task: TaskReport, threshold: float) -> tuple[Verdict, str]:
    planned, reward, interval = task.info.planned, task.mean_reward, task.mean_reward_interval
    if reward is None:
        return Verdict.UNDECIDED, f"none of {planned} planned trials has a verdict"
    if task.graded < planned:
        return Verdict.UNDECIDED, f"only {task.graded} of {planned} planned trials have a verdict"
    if not reward >= threshold - _ROUNDING:
        return Verdict.FAILS, f"mean reward {reward:.3f} is below the threshold {threshold:g}"
    if interval is None:
        return Verdict.PASSES_WEAKLY, f"mean reward {reward:.3f} reaches {threshold:g}, but one trial says little"
    if interval.low >= threshold - _ROUNDING:
        return Verdict.PASSES, f"mean reward {reward:.3f}, and at least {interval.low:.3f} with 95 % confidence"
    doubt = f"{planned} trials leave room for {interval.low:.3f}"
    return Verdict.PASSES_WEAKLY, f"mean reward {reward:.3f} reaches {threshold:g}, but {doubt}"

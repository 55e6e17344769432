"""Whether a run is good enough to release on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from skillgrade.results.report import RunReport, TaskReport

_ROUNDING = 1e-9
"""Rewards are sums of rounded products, so that 0.7 + 0.1 may fall short of 0.8 by a last digit."""


class Decision(StrEnum):
    """What the gate says of one task."""

    PASSES = "pass"
    """The mean reward reaches the threshold, and so does the low end of its interval."""

    PASSES_WEAKLY = "pass_weak"
    """The mean reward reaches the threshold, but so few trials could do so by luck."""

    FAILS = "fail"
    UNDECIDED = "undecided"
    """Planned trials are without a verdict."""


@dataclass(frozen=True, slots=True)
class TaskGate:
    """What the gate says of one task: the threshold that was asked for, the decision, and why in one sentence."""

    task: str
    threshold: float
    decision: Decision
    reason: str


@dataclass(frozen=True, slots=True)
class GateResult:
    """What the gate says of a run."""

    tasks: tuple[TaskGate, ...]

    @property
    def passed(self) -> bool:
        """Whether there are tasks and every one of them passes, weakly or not."""
        return bool(self.tasks) and all(
            task.decision in (Decision.PASSES, Decision.PASSES_WEAKLY) for task in self.tasks
        )


def gate(report: RunReport) -> GateResult:
    """Ask of each task that all its trials have a verdict and its mean reward reaches the task's threshold."""
    return GateResult(tuple(_judge(task, report.confidence) for task in report.tasks))


def _judge(task: TaskReport, confidence: float) -> TaskGate:
    decision, reason = _decide(task, confidence)
    return TaskGate(task.info.task, task.info.threshold, decision, reason)


def _decide(task: TaskReport, confidence: float) -> tuple[Decision, str]:
    planned, threshold = task.info.planned, task.info.threshold
    reward, interval = task.mean_reward, task.mean_reward_interval
    if reward is None:
        return Decision.UNDECIDED, f"none of {planned} planned trials has a verdict"
    if task.graded < planned:
        return Decision.UNDECIDED, f"only {task.graded} of {planned} planned trials have a verdict"
    if not reward >= threshold - _ROUNDING:
        return Decision.FAILS, f"mean reward {reward:.3f} is below the threshold {threshold:g}"
    if interval is None:
        return Decision.PASSES_WEAKLY, f"mean reward {reward:.3f} reaches {threshold:g}, but one trial says little"
    if interval.low >= threshold - _ROUNDING:
        sure = f"at least {interval.low:.3f} with {confidence:.0%} confidence"
        return Decision.PASSES, f"mean reward {reward:.3f}, and {sure}"
    doubt = f"{planned} trials leave room for {interval.low:.3f} (more trials, as with --reliable, narrow it)"
    return Decision.PASSES_WEAKLY, f"mean reward {reward:.3f} reaches {threshold:g}, but {doubt}"

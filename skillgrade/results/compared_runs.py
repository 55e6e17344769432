"""From the journals of two runs of the same tasks to their comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from skillgrade.errors import UsageError
from skillgrade.results.comparison import (
    ArmNumbers,
    ComparedRun,
    Comparison,
    TaskComparison,
    compare_task,
    compare_totals,
    mean_by_kind,
    mean_if_known,
)
from skillgrade.results.fingerprint import conditions_alone, differences, read_fingerprint, tasks_alone
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import GraderResult, GraderStatus, Outcome, TrialRecord
from skillgrade.results.regrades import Cause
from skillgrade.results.run_info import TaskInfo
from skillgrade.results.statistics import mean

_NEARLY_ALL = 0.95
"""Share of the trials of each arm."""

_FEWEST = 3
"""Graded trials per arm below which nothing is said of a check."""

_NAMED = 5
"""Differences that a refusal names one by one."""

SKILLS_DIFFER = "skills"
"""What a comparison says of runs with other skills, or without."""

_DIGEST_SHOWN = len("sha256:") + 8
_GRADED = (Outcome.PASSED, Outcome.FAILED)


def compare_folders(before: RunFolder, after: RunFolder) -> Comparison:
    """Compare two runs as their journals have them now.

    Raises:
        UsageError: It is one run twice, or their tasks differ; the differences are named.
        UserError: A run cannot be read.
    """
    if before.path == after.path:
        raise UsageError(f"{before.path}: a run cannot be compared with itself; name another one")
    entries = read_fingerprint(before), read_fingerprint(after)
    found = list(differences(*map(tasks_alone, entries)))
    if found:
        more = len(found) - _NAMED
        named = "; ".join([*found[:_NAMED], *([f"and {more} more"] if more > 0 else [])])
        raise UsageError(
            f"{before.run_id} and {after.run_id} cannot be compared, their tasks differ: {named}: run both with the "
            "same tasks, graders and files"
        )
    comparison = compare_runs(JournalIndex(before.journal), JournalIndex(after.journal))
    same_settings = conditions_alone(entries[0]) == conditions_alone(entries[1])
    if same_settings or set(comparison.differs) - {SKILLS_DIFFER}:
        return comparison
    return replace(comparison, differs=(*comparison.differs, "agent settings"))


def compare_runs(before: JournalIndex, after: JournalIndex) -> Comparison:
    """Compare the tasks that both runs have, which must be the same tasks.

    Trials without a verdict enter nothing. Where one run has graders that the other lacks, as a run without a skill
    lacks those that ask whether it was used, rewards are over the graders of both: else it would lose by definition.

    Args:
        before: The first run.
        after: The second run, whose order of tasks is kept.
    """
    planned = {info.task: info for info in before.tasks}
    first, second = _ArmReader(before), _ArmReader(after)
    tasks = tuple(
        _compare(info.task, first.read(planned[info.task]), second.read(info))
        for info in after.tasks
        if info.task in planned
    )
    arms = first.arm(), second.arm()
    named = (SKILLS_DIFFER, "agents", "models", "providers")
    return Comparison(
        *arms,
        differs=tuple(name for name in named if getattr(arms[0], name) != getattr(arms[1], name)),
        totals=compare_totals(tasks),
        tasks=tasks,
    )


@dataclass(frozen=True, slots=True)
class _Graded:
    """What is kept of a graded trial: of its record only this, since there may be many."""

    reward: float
    timed_out: bool
    results: tuple[tuple[str, float, float], ...]
    """By grader its name, score and weight, turn by turn."""

    passing: frozenset[str]
    tokens: dict[str, int] | None
    cost_usd: float | None
    duration_ms: int | None


@dataclass(slots=True)
class _TaskArm:
    info: TaskInfo
    trials: list[_Graded] = field(default_factory=list)

    @property
    def graders(self) -> dict[str, None]:
        """Their names, in order."""
        return dict.fromkeys(name for trial in self.trials for name, _, _ in trial.results)

    def numbers(self, left_out: Sequence[str]) -> ArmNumbers:
        rewards = [_reward_without(trial, left_out) for trial in self.trials]
        passed = sum(reward >= self.info.pass_threshold for reward in rewards)
        return ArmNumbers(
            planned=self.info.planned,
            graded=len(rewards),
            passed=passed,
            mean_reward=mean(rewards),
            pass_rate=passed / len(rewards) if rewards else None,
            tokens=mean_by_kind([trial.tokens for trial in self.trials]),
            cost_usd=mean_if_known([trial.cost_usd for trial in self.trials]),
            duration_ms=mean_if_known([trial.duration_ms for trial in self.trials]),
        )

    def nearly_always_passing(self) -> set[str]:
        passing = Counter(name for trial in self.trials for name in trial.passing)
        enough = len(self.trials) >= _FEWEST
        return {name for name, times in passing.items() if enough and times >= _NEARLY_ALL * len(self.trials)}


class _ArmReader:
    """Reads the tasks of one run, and remembers whether it was graded again."""

    def __init__(self, index: JournalIndex) -> None:
        self._index = index
        self._graded_again = False

    def read(self, info: TaskInfo) -> _TaskArm:
        arm = _TaskArm(info)
        for attempts in self._index.histories(info.task):
            last = attempts[-1]
            self._graded_again |= any(regrade.cause is Cause.REGRADE for regrade in last.regrades)
            if last.latest.outcome in _GRADED:
                arm.trials.append(_graded(last.latest))
        return arm

    def arm(self) -> ComparedRun:
        index = self._index
        versions = {task.task: "/".join(index.agent_versions.get(task.task, ())) for task in index.tasks}
        return ComparedRun(
            run_id=index.info.run_id,
            skills=tuple(f"{skill.name} ({skill.digest[:_DIGEST_SHOWN]})" for skill in index.info.skills),
            agents=_distinct(f"{task.agent} {versions[task.task]}".strip() for task in index.tasks),
            models=_distinct(task.model for task in index.tasks if task.model),
            providers=_distinct(task.provider for task in index.tasks),
            graded_again=self._graded_again,
            interrupted=index.interrupted,
        )


def _compare(task: str, before: _TaskArm, after: _TaskArm) -> TaskComparison:
    both_graded = before.trials and after.trials
    left_out = tuple(before.graders.keys() ^ after.graders.keys()) if both_graded else ()
    passing = before.nearly_always_passing() & after.nearly_always_passing()
    return compare_task(
        task,
        before.numbers(left_out),
        after.numbers(left_out),
        graders_left_out=tuple(sorted(left_out)),
        passes_anyway=tuple(sorted(passing)),
    )


def _graded(record: TrialRecord) -> _Graded:
    return _Graded(
        reward=record.reward or 0.0,
        timed_out=record.agent is not None and record.agent.timed_out,
        results=tuple((_name(result), result.score or 0.0, result.weight) for result in record.grader_results),
        passing=frozenset(name for result in record.grader_results for name in _passing(result)),
        tokens=None if record.tokens is None else dict(record.tokens),
        cost_usd=record.cost_usd,
        duration_ms=None if record.agent is None else record.agent.duration_ms,
    )


def _reward_without(trial: _Graded, left_out: Sequence[str]) -> float:
    """The reward over the graders that both arms have; the agent's own deadline makes it 0 as ever."""
    kept = [(score, weight) for name, score, weight in trial.results if name not in left_out]
    total = sum(weight for _, weight in kept)
    if not left_out or trial.timed_out or total <= 0:
        return trial.reward
    return round(sum(score * weight for score, weight in kept) / total, 12)


def _name(result: GraderResult) -> str:
    return f"{result.grader_type} {result.grader}"


def _passing(result: GraderResult) -> Iterable[str]:
    """The checks of a grader that passed; a grader without checks is one itself, with the full score."""
    if result.checks:
        return (f"{_name(result)}: {check.name}" for check in result.checks if check.passed)
    return (_name(result),) if result.status is GraderStatus.OK and result.score == 1 else ()


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(values)))

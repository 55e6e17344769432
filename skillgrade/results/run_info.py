"""What a run is, known when it starts, and how it ended: the first and the last line of its journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from skillgrade.results.encoding import FLAT


@dataclass(frozen=True, slots=True)
class SkillInfo:
    """A skill that agents got: its name and ``sha256:...`` over its files."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """One task as it was planned; its text is redacted before it is made.

    Attributes:
        task: The task's name.
        planned: Trials planned, >= 1.
        threshold: The mean reward that `--ci` asks for, 0..1.
        pass_threshold: The reward at which one trial passes, 0..1.
        agent: The agent's name.
        provider: The provider that was chosen; never ``auto``.
        isolation: ``container``, ``sandbox`` or ``none``.
        agent_version: The resolved version of the agent's CLI, when known.
        model: The agent's model, when it takes one.
        metadata: The task's labels.
    """

    task: str
    planned: int
    threshold: float
    pass_threshold: float
    agent: str
    provider: str
    isolation: str
    agent_version: str | None = None
    model: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a run is.

    Attributes:
        run_id: The run's id, the name of its folder.
        version: The version of skillgrade.
        started_at: ISO 8601, UTC.
        suite_file: The suite's file name.
        suite_digest: ``sha256:...`` over everything that outcomes depend on.
        skills: What agents got; empty without a skill.
        seed: The seed of the run, when it has one.
        selection: The flags that narrowed the tasks, as given.
        grader_filter: The grader types that `--grader` kept; empty without the flag.
        partial: Whether `--grader` took graders out, so that rewards cover less than the suite asks for.
        notes: What the reader should know of the whole run, one sentence each.
        baseline_run: The id of the run beside it that went on at the same time without the skill; None without one.
        baseline_of: The id of the run whose baseline this is; None where it is none.
        tuned: Whether the skill was changed by what runs of these very tasks showed, so that this one proves little.
    """

    run_id: str
    version: str
    started_at: str
    suite_file: str
    suite_digest: str
    skills: tuple[SkillInfo, ...] = ()
    seed: int | None = None
    selection: tuple[str, ...] = ()
    grader_filter: tuple[str, ...] = ()
    partial: bool = False
    notes: tuple[str, ...] = ()
    baseline_run: str | None = None
    baseline_of: str | None = None
    tuned: bool = False


@dataclass(frozen=True, slots=True)
class RunPrepared:
    """What is known once everything that trials share was made.

    Attributes:
        skills: What agents get; empty without a skill.
        notes: What the reader should know of the whole run, one sentence each.
        agent_versions: By task, the version of the agent that works on it, where it has one.
    """

    skills: tuple[SkillInfo, ...]
    notes: tuple[str, ...]
    agent_versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How one session of a run ended: how long it took (monotonic), and whether it was interrupted."""

    duration_ms: int
    interrupted: bool


@dataclass(frozen=True, slots=True)
class RunHeader:
    """The journal's first line: what the run is, and what was planned, in the order of the suite."""

    info: RunInfo = field(metadata=FLAT)
    tasks: tuple[TaskInfo, ...]

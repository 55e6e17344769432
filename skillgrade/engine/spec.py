"""A trial's spec: everything that one attempt at one trial needs, picklable and free of secrets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skillgrade.results.records import Arm, TrialError
from skillgrade.suite.model import Task
from skillgrade.workspace.base import Prepared, SkillSnapshot


@dataclass(frozen=True, slots=True)
class TrialSpec:
    """One attempt at one trial.

    Attributes:
        task: The task, with the selected graders only.
        trial: 0-based index in the task.
        attempt: 0-based.
        agent: A key of `skillgrade.agents.AGENTS`.
        provider: A key of `skillgrade.workspace.PROVIDERS`.
        prepared: What that provider made for the task's environment, or why it could not.
        skills: The run's own copies of the skills.
        env_file: The `.env` that holds the eval's variables; None when there is none.
        withheld: The variables of it that the agent does not get.
        run_folder: The run's folder; its name is the run's id.
        act: Whether the agent acts; without, the graders score the untouched workspace.
        gateway: The folder of the gateway by which the agent reaches its model; None where it has a network of its own.
        arm: Whether the agent has the skill, in a run with a baseline.
    """

    task: Task
    trial: int
    attempt: int
    agent: str
    provider: str
    prepared: Prepared | TrialError
    skills: tuple[SkillSnapshot, ...]
    env_file: Path | None
    withheld: frozenset[str]
    run_folder: Path
    act: bool = True
    gateway: Path | None = None
    arm: Arm | None = None

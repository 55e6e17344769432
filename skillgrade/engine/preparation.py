"""What the trials of a run share, made once before the first of them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from skillgrade.engine.listener import RunListener
from skillgrade.engine.plan import Plan, TaskPlan
from skillgrade.engine.spec import TrialSpec
from skillgrade.errors import InfrastructureError
from skillgrade.results.folder import RunFolder, run_folders
from skillgrade.results.records import TrialError
from skillgrade.stop import Stop
from skillgrade.workspace import provider_named
from skillgrade.workspace.base import EnvironmentSpec, Prepared, SkillSnapshot
from skillgrade.workspace.skills import snapshot_skill
from skillgrade.workspace.tree import remove_tree

_SKILLS = "skills"


@dataclass(frozen=True, slots=True)
class Preparation:
    """What trials share.

    Attributes:
        plan: What will be run.
        folder: The run's folder.
        skills: The run's own copies of the skills.
        environments: What each provider made of each environment, or why it could not.
        notes: What the user should know, once each.
    """

    plan: Plan
    folder: RunFolder
    skills: tuple[SkillSnapshot, ...]
    environments: Mapping[tuple[str, EnvironmentSpec], Prepared | TrialError]
    notes: tuple[str, ...]

    def spec(self, planned: TaskPlan, trial: int, attempt: int, *, act: bool = True) -> TrialSpec:
        """The spec of one attempt."""
        return TrialSpec(
            task=planned.task,
            trial=trial,
            attempt=attempt,
            agent=planned.agent,
            provider=planned.provider,
            prepared=self.environments[planned.provider, planned.environment],
            skills=self.skills,
            env_root=self.plan.suite.root,
            run_folder=self.folder.path,
            act=act,
        )

    def clean_up(self) -> None:
        """Remove what only this run used."""
        shutil.rmtree(self.folder.path / _SKILLS, ignore_errors=True)
        for provider in {planned.provider for planned in self.plan.tasks}:
            provider_named(provider).end_run(self.folder.run_id)


def prepare(plan: Plan, folder: RunFolder, listener: RunListener, stop: Stop) -> Preparation:
    """Copy the skills and build every distinct environment.

    An environment that cannot be built errors its trials and no others.

    Raises:
        StorageError: The copies could not be written.
        Cancelled: The stop came.
    """
    remove_tree(folder.path / _SKILLS)  # of a session of this run that was killed
    skills: list[SkillSnapshot] = []
    notes = [*plan.suite.warnings, *plan.notes]
    # Results may lie in the skill's folder: beside eval.yaml, or where --output says.
    own_files = plan.suite.own_files.union(run_folders(folder.path.parent))
    for skill in plan.suite.skills:
        snapshot, warnings = snapshot_skill(skill, folder.path / _SKILLS / skill.name, own_files)
        skills.append(snapshot)
        notes += warnings
    environments: dict[tuple[str, EnvironmentSpec], Prepared | TrialError] = {}
    for planned in plan.tasks:
        key = (planned.provider, planned.environment)
        if key not in environments:
            listener.preparing(_describe(planned))
            environments[key] = _prepare_one(planned, folder.run_id, stop)
    for made in environments.values():
        notes += made.notes if isinstance(made, Prepared) else ()
    return Preparation(plan, folder, tuple(skills), environments, tuple(dict.fromkeys(notes)))


def _prepare_one(planned: TaskPlan, run: str, stop: Stop) -> Prepared | TrialError:
    try:
        return provider_named(planned.provider).prepare(planned.environment, run, stop)
    except InfrastructureError as error:
        return TrialError(error.stage, str(error))


def _describe(planned: TaskPlan) -> str:
    environment = planned.environment
    parts = [planned.provider]
    if planned.provider == "docker":
        parts.append(environment.docker.base)
    if environment.docker.setup or environment.agent_install or environment.grader_setups:
        parts.append("with its set-up")
    return " ".join(parts)

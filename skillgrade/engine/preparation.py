"""What the trials of a run share, made once before the first of them and removed after the last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from skillgrade.engine.agent_versions import agent_version
from skillgrade.engine.listener import RunListener
from skillgrade.engine.plan import Plan, TaskPlan
from skillgrade.engine.spec import TrialSpec
from skillgrade.errors import InfrastructureError
from skillgrade.results.folder import RunFolder, run_folders
from skillgrade.results.records import TrialError
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.storage import storing
from skillgrade.workspace import provider_named
from skillgrade.workspace.base import EnvironmentSpec, Prepared, SkillSnapshot
from skillgrade.workspace.cleaning import sweep
from skillgrade.workspace.gateway.address import ModelAddress
from skillgrade.workspace.gateway.gateway import Gateway
from skillgrade.workspace.skills import snapshot_skill
from skillgrade.workspace.temporary import make_temporary_folder, remove_temporary_folders


@dataclass(frozen=True, slots=True)
class Preparation:
    """What trials share.

    Attributes:
        plan: What will be run.
        folder: The run's folder.
        skills: The run's own copies of the skills.
        environments: What each provider made of each environment, or why it could not.
        versions: The version of the agent in each, where it has one.
        notes: What the user should know, once each, redacted.
        gateways: The folder of the gateway to each model that agents reach from workspaces without a network.
    """

    plan: Plan
    folder: RunFolder
    skills: tuple[SkillSnapshot, ...]
    environments: Mapping[tuple[str, EnvironmentSpec], Prepared | TrialError]
    versions: Mapping[tuple[str, EnvironmentSpec], str]
    notes: tuple[str, ...]
    gateways: Mapping[ModelAddress, Path]

    def agent_versions(self) -> dict[str, str]:
        """By task, the version of the agent that works on it, where it has one."""
        found = ((plan.task.name, self.versions.get((plan.provider, plan.environment))) for plan in self.plan.tasks)
        return {task: version for task, version in found if version is not None}

    def spec(self, task_plan: TaskPlan, trial: int, attempt: int, *, act: bool = True) -> TrialSpec:
        """The spec of one attempt."""
        return TrialSpec(
            task=task_plan.task,
            trial=trial,
            attempt=attempt,
            agent=task_plan.agent,
            provider=task_plan.provider,
            prepared=self.environments[task_plan.provider, task_plan.environment],
            skills=self.skills,
            env_file=self.plan.suite.env_file,
            withheld=self.plan.withheld,
            run_folder=self.folder.path,
            act=act,
            arm=self.plan.arm,
            gateway=None if task_plan.model is None else self.gateways[task_plan.model],
        )


@contextmanager
def prepared(
    plan: Plan, folder: RunFolder, redactor: Redactor, listener: RunListener, stop: Stop
) -> Iterator[Preparation]:
    """Copy the skills and build every distinct environment; what only this run can use is removed at the end.

    An environment that cannot be built errors its trials and no others.

    Raises:
        ProviderError: A skill cannot be read.
        StorageError: The copies could not be written.
        Cancelled: The stop came.
    """
    providers = {task_plan.provider for task_plan in plan.tasks}
    sweep(providers)
    try:
        with ExitStack() as opened:
            models = dict.fromkeys(task_plan.model for task_plan in plan.tasks if task_plan.model is not None)
            gateways = {model: opened.enter_context(Gateway(model, folder.run_id)).folder for model in models}
            yield _prepare(plan, folder, gateways, redactor, listener, stop)
    finally:
        for name in providers:
            provider_named(name).end_run(folder.run_id)
        remove_temporary_folders(folder.run_id)


def _prepare(
    plan: Plan,
    folder: RunFolder,
    gateways: Mapping[ModelAddress, Path],
    redactor: Redactor,
    listener: RunListener,
    stop: Stop,
) -> Preparation:
    told: dict[str, None] = {}

    def tell(notes: Iterable[str]) -> None:
        for note in map(redactor.text, notes):
            if note not in told:
                told[note] = None
                listener.note(note)

    tell((*plan.suite.warnings, *plan.notes))
    skills, left_out = _copy_skills(plan, folder)
    tell(left_out)
    environments: dict[tuple[str, EnvironmentSpec], Prepared | TrialError] = {}
    versions: dict[tuple[str, EnvironmentSpec], str] = {}
    for task_plan in plan.tasks:
        key = (task_plan.provider, task_plan.environment)
        if key in environments:
            continue
        listener.preparing(_describe(task_plan))
        try:
            made = environments[key] = provider_named(task_plan.provider).prepare(
                task_plan.environment, folder.run_id, stop
            )
            tell(made.notes)
            version = agent_version(task_plan.agent, task_plan.provider, made, folder.run_id, stop)
        except InfrastructureError as error:
            environments[key] = TrialError(error.stage, str(error))
            continue
        if version is not None:
            versions[key] = version
    return Preparation(plan, folder, skills, environments, versions, tuple(told), gateways)


def _copy_skills(plan: Plan, folder: RunFolder) -> tuple[tuple[SkillSnapshot, ...], list[str]]:
    """The copies, and what was left out of them though it is not the eval's."""
    if not plan.suite.skills:
        return (), []
    with storing(folder.path):
        target = make_temporary_folder(folder.run_id, "skills")
    # Results may lie in the skill's folder: beside eval.yaml, or where --output says.
    own_files = plan.suite.own_files.union(run_folders(folder.path.parent))
    skills: list[SkillSnapshot] = []
    notes: list[str] = []
    for skill in plan.suite.skills:
        snapshot, warnings = snapshot_skill(skill, target / skill.name, own_files)
        skills.append(snapshot)
        notes += warnings
    return tuple(skills), notes


def _describe(task_plan: TaskPlan) -> str:
    environment = task_plan.environment
    has_setup = environment.docker.setup or environment.agent_install or environment.grader_setups
    return f"{task_plan.provider} {environment.docker.base}{' with its set-up' if has_setup else ''}"

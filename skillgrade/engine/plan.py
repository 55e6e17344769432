"""What will be run: every choice made and every refusal said before anything starts."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillgrade.agents import AGENTS
from skillgrade.agents.base import Agent
from skillgrade.agents.choose import choose_agent
from skillgrade.agents.home_skills import home_notes
from skillgrade.engine.env_file import effective_variables
from skillgrade.engine.model_access import model_behind_gateway
from skillgrade.engine.variables import agent_variables, judge_key_names
from skillgrade.errors import UsageError
from skillgrade.graders import GRADERS, WORKSPACE_GRADERS
from skillgrade.results.records import Arm
from skillgrade.stop import Stop
from skillgrade.suite.assertion_specs import needs_a_stream
from skillgrade.suite.model import Suite, Task
from skillgrade.transcript import TEXT
from skillgrade.workspace import provider_named
from skillgrade.workspace.base import EnvironmentSpec, Isolation
from skillgrade.workspace.choose import AUTO, choose_provider
from skillgrade.workspace.gateway.address import ModelAddress


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A task with its agent and its place to run.

    Attributes:
        task: The task, with the selected graders.
        agent: A key of `skillgrade.agents.AGENTS`.
        provider: A key of `skillgrade.workspace.PROVIDERS`.
        environment: What all its trials share.
        model: Where its agent reaches its model from a workspace without a network; None where it needs no such way.
    """

    task: Task
    agent: str
    provider: str
    environment: EnvironmentSpec
    model: ModelAddress | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a run will do.

    Attributes:
        suite: The suite, with the selected tasks.
        tasks: One per task of the suite, in its order.
        withheld: The variables of `.env` that agents do not get because judges of the run use them.
        notes: What the user should know before it starts, once each.
        arm: Which side of a run with a baseline it is; None in all others.
    """

    suite: Suite
    tasks: tuple[TaskPlan, ...]
    withheld: frozenset[str]
    notes: tuple[str, ...]
    arm: Arm | None = None

    @property
    def trial_count(self) -> int:
        """How many trials there are, retries not counted."""
        return sum(task_plan.task.trials for task_plan in self.tasks)

    def trials(self) -> Iterator[tuple[TaskPlan, int]]:
        """Every trial, lazily: the first of every task, then the second of every task, and so on."""
        for trial in range(max(task_plan.task.trials for task_plan in self.tasks)):
            for task_plan in self.tasks:
                if trial < task_plan.task.trials:
                    yield task_plan, trial


def make_plan(suite: Suite, env_file: Mapping[str, str], environ: Mapping[str, str], stop: Stop) -> Plan:
    """Choose an agent and a provider for every task, and refuse what cannot run.

    Args:
        suite: The suite with the selected tasks and graders, flags applied.
        env_file: The variables of the eval's `.env`.
        environ: The shell's variables.
        stop: Ends the pull of a base image.

    Raises:
        UsageError: Something that the selected tasks need is wrong, or not part of this version; all of it is named.
        ProviderError: No workspace can be had.
        Cancelled: The stop came.
    """
    problems: list[str] = []
    agents: list[Agent] = []
    variables = effective_variables(env_file, environ)
    for task in suite.tasks:
        problems += [f"{_place_of(task)}: {problem}" for problem in _task_problems(task)]
        try:
            agent = choose_agent(task.agent, variables)
        except UsageError as error:
            problems.append(f"{_place_of(task)}: {error}")
            continue
        if problem := agent.problem(task, variables):
            problems.append(f"{_place_of(task)}: {problem}")
        if agent.output_format(task.agent) == TEXT and any(map(needs_a_stream, task.graders)):
            problems.append(
                f'{_place_of(task)}: the "{agent.name}" agent prints plain text, which does not show what skills and '
                "tools it uses: say with `output_format` what it prints, or take `expect_skill` and assertions on "
                "skills, tools, tokens and costs out"
            )
        agents.append(agent)
    _refuse(problems)
    plan = _place(suite, agents, _agent_notes(suite.tasks, agents, env_file), stop)
    return _with_models(plan, env_file, environ)


def make_validation_plan(suite: Suite, stop: Stop) -> Plan:
    """The plan of `--validate`: each task once, with its reference solution in place of an agent.

    Args:
        suite: The suite with only tasks that have a solution, and only graders that can be validated.
        stop: Ends the pull of a base image.

    Raises:
        UsageError: Something that a task needs is wrong, or not part of this version; all of it is named.
        ProviderError: No workspace can be had.
        Cancelled: The stop came.
    """
    solution = AGENTS["solution"]
    problems = []
    for task in suite.tasks:
        problems += [f"{_place_of(task)}: {problem}" for problem in _task_problems(task)]
        if problem := solution.problem(task, {}):
            problems.append(f"{_place_of(task)}: {problem}")
    _refuse(problems)
    tasks = tuple(replace(task, trials=1) for task in suite.tasks)
    return _place(replace(suite, tasks=tasks), [solution] * len(tasks), (), stop)


def _place_of(task: Task) -> str:
    return f'{task.file}:{task.line}: task "{task.name}"'


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        raise UsageError("\n".join(dict.fromkeys(problems)))


def _place(suite: Suite, agents: Sequence[Agent], notes: Sequence[str], stop: Stop) -> Plan:
    task_plans = []
    gathered = list(notes)
    choose = functools.cache(choose_provider)  # it asks the daemon, and most tasks are alike
    for task, agent in zip(suite.tasks, agents, strict=True):
        choice = choose(task.provider, task.docker, agent.name, agent.is_llm, stop)
        if task.provider == AUTO:
            gathered.append(choice.reason)
        if task.agent.home == "user" and provider_named(choice.provider).isolation is not Isolation.CONTAINER:
            gathered += home_notes(Path.home(), [skill.name for skill in suite.skills])
        task_plans.append(TaskPlan(task, agent.name, choice.provider, environment_of(task, agent)))
    if not suite.skills:
        gathered.append("no skill goes in: none was found beside the file, or --no-skill leaves it out")
    withheld = judge_key_names(suite.tasks)
    return Plan(suite, tuple(task_plans), withheld, tuple(dict.fromkeys(gathered)))


def _with_models(plan: Plan, env_file: Mapping[str, str], environ: Mapping[str, str]) -> Plan:
    """The plan with the ways to models that agents without a network need.

    Raises:
        UsageError: An agent would have no way to its model.
    """
    problems, notes, task_plans = [], list(plan.notes), []
    for task_plan in plan.tasks:
        task, agent = task_plan.task, AGENTS[task_plan.agent]
        env = agent_variables(task, agent, env_file, environ, plan.withheld)
        try:
            model = model_behind_gateway(task, agent, task_plan.provider, env)
        except UsageError as error:
            problems.append(f"{_place_of(task)}: {error}")
            continue
        if model is not None:
            notes.append(f"network: none: the agent {agent.name} reaches {model.authority} and nothing else")
        task_plans.append(replace(task_plan, model=model))
    _refuse(problems)
    return replace(plan, tasks=tuple(task_plans), notes=tuple(dict.fromkeys(notes)))


def environment_of(task: Task, agent: Agent) -> EnvironmentSpec:
    """What the trials of a task share with each other, and with those of every task like it."""
    setups = [
        WORKSPACE_GRADERS[spec.type].setup_commands(spec) for spec in task.graders if spec.type in WORKSPACE_GRADERS
    ]
    return EnvironmentSpec(
        docker=task.docker,
        agent_install=agent.install_commands(task.agent),
        grader_setups=tuple(dict.fromkeys(setup for setup in setups if setup)),
    )


def _task_problems(task: Task) -> Iterator[str]:
    for spec in task.graders:
        if problem := GRADERS[spec.type].problem(spec):
            yield problem
    if not task.graders:
        yield "it has no graders: give some to the task or to one of its turns"
    elif sum(spec.weight for spec in task.graders) <= 0:
        yield "the weights of the selected graders are all 0, so there is no reward"


def _agent_notes(tasks: Sequence[Task], agents: Sequence[Agent], env_file: Mapping[str, str]) -> list[str]:
    notes = []
    judged = judge_key_names(tasks)
    for task, agent in zip(tasks, agents, strict=True):
        if task.agent.model and agent.model(task.agent) is None:
            notes.append(f'the "{agent.name}" agent ignores the model {task.agent.model!r}')
        kept = [name for name in env_file if name in judged and name not in {*task.env_names, *task.env_values}]
        if agent.gets_env_file and kept:
            notes.append(f"{', '.join(kept)} of .env is used by judges and kept from the agent (`env:` would give it)")
    return list(dict.fromkeys(notes))

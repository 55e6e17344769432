"""Which variables agents and graders get.

The agent's environment is an allow-list: what a program needs to work, its own provider's keys, and what the eval
names. Only names travel in a trial's spec; values are read where the trial runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skillgrade.agents.base import Agent
from skillgrade.engine.env_file import effective_variables
from skillgrade.judges.choice import models_in
from skillgrade.models.keys import KEY_NAMES, URL_NAMES
from skillgrade.suite.model import Task

_BASIC_NAMES = ("LANG", "TERM", "TZ")
_PROXY_NAMES = tuple(
    name for upper in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY") for name in (upper, upper.lower())
)
_OF_THE_WORKSPACE = ("PATH", "HOME")


def judge_key_names(tasks: Iterable[Task]) -> frozenset[str]:
    """The variables that hold the API keys of the judges of a run, and of the models that play its users."""
    return frozenset(name for judge in models_in(tasks) for name in KEY_NAMES.get(judge.provider, ()))


def agent_variables(
    task: Task, agent: Agent, env_file: Mapping[str, str], environ: Mapping[str, str], withheld: frozenset[str]
) -> dict[str, str]:
    """The variables of the agent, but for PATH and HOME, which the workspace sets.

    Args:
        task: The task, whose `env` names more of them.
        agent: The agent.
        env_file: The variables of the eval's `.env`.
        environ: The shell's variables.
        withheld: Those of `.env` that the agent does not get unless `env` names them.
    """
    names = [*_BASIC_NAMES, *_PROXY_NAMES, *agent.key_names(task.agent), *task.env_names]
    if agent.gets_env_file:
        names += [name for name in env_file if name not in withheld]
    return {**_pick(names, effective_variables(env_file, environ)), **task.env_values}


def grader_variables(task: Task, env_file: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of deterministic graders, but for PATH, HOME and LANG, which the workspace fixes.

    They are the eval author's own, so they get all of `.env` and the API keys; nothing comes from the agent.
    """
    keys = [name for names in KEY_NAMES.values() for name in names]
    names = ["TZ", *_PROXY_NAMES, *keys, *URL_NAMES.values(), *task.env_names, *env_file]
    return {**_pick(names, effective_variables(env_file, environ)), **task.env_values}


def _pick(names: Iterable[str], variables: Mapping[str, str]) -> dict[str, str]:
    return {name: variables[name] for name in names if name in variables and name not in _OF_THE_WORKSPACE}

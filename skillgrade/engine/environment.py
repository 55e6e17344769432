"""Which variables agents and graders get.

The agent's environment is an allow-list: what a program needs to work, its own provider's keys, and what the eval
names. Only names travel in a trial's spec; values are read where the trial runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from skillgrade.agents.base import Agent
from skillgrade.errors import UsageError
from skillgrade.suite.model import Task

BASIC_NAMES = ("LANG", "TERM", "TZ")
PROXY_NAMES = tuple(
    name for upper in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY") for name in (upper, upper.lower())
)
PROVIDER_KEYS = {
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "openai": ("OPENAI_API_KEY",),
}
"""The variables that hold API keys, by provider."""

_BASE_URL_KEYS = {
    "GOOGLE_GEMINI_BASE_URL": PROVIDER_KEYS["gemini"],
    "ANTHROPIC_BASE_URL": PROVIDER_KEYS["anthropic"],
    "OPENAI_BASE_URL": PROVIDER_KEYS["openai"],
}
_OF_THE_WORKSPACE = ("PATH", "HOME")
_JUDGED_TYPES = ("llm_rubric", "judge")
_DEFAULT_JUDGE = "gemini"


def read_env_file(root: Path) -> dict[str, str]:
    """The variables of the eval's `.env`; empty when there is none.

    References such as ``${HOME}`` are not expanded: a downloaded `.env` could copy a key of the shell into a variable
    that the agent gets.

    Raises:
        UsageError: The file cannot be read.
    """
    file = root / ".env"
    if not file.exists():
        return {}
    from dotenv import dotenv_values

    try:
        values = dotenv_values(file, interpolate=False, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read as UTF-8 text: {error}; mend or remove it") from error
    return {name: value for name, value in values.items() if value is not None}


def effective_variables(env_file: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """`.env` and the shell as one; the shell wins.

    A base URL from `.env` is dropped unless its key comes from there as well: a downloaded eval must not send the
    shell's key to an address of its own.
    """
    merged = {**env_file, **environ}
    for url_name, key_names in _BASE_URL_KEYS.items():
        url_from_file = url_name in env_file and url_name not in environ
        key_from_file = any(name in env_file for name in key_names) and not any(name in environ for name in key_names)
        if url_from_file and not key_from_file:
            del merged[url_name]
    return merged


def withheld_names(task: Task, env_file: Mapping[str, str]) -> tuple[str, ...]:
    """The variables of `.env` that the agent does not get because a judge of this task uses them."""
    judged = {name for provider in _judge_providers(task) for name in PROVIDER_KEYS[provider]}
    named = {*task.env_names, *task.env_values}
    return tuple(sorted(name for name in env_file if name in judged and name not in named))


def agent_environment(
    task: Task, agent: Agent, env_file: Mapping[str, str], environ: Mapping[str, str]
) -> dict[str, str]:
    """The variables of the agent, but for PATH and HOME, which the workspace sets."""
    names = [*BASIC_NAMES, *PROXY_NAMES, *agent.key_names, *task.env_names]
    if agent.name in ("command", "solution"):
        withheld = withheld_names(task, env_file)
        names += [name for name in env_file if name not in withheld]
    return {**_pick(names, effective_variables(env_file, environ)), **task.env_values}


def grader_environment(task: Task, env_file: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of deterministic graders, but for PATH, HOME and LANG, which the workspace fixes.

    They are the eval author's own, so they get all of `.env` and the API keys; nothing comes from the agent.
    """
    keys = [name for names in PROVIDER_KEYS.values() for name in names]
    names = ["TZ", *PROXY_NAMES, *keys, *_BASE_URL_KEYS, *task.env_names, *env_file]
    return {**_pick(names, effective_variables(env_file, environ)), **task.env_values}


def _judge_providers(task: Task) -> set[str]:
    providers: set[str] = set()
    for grader in task.graders:
        if grader.type not in _JUDGED_TYPES:
            continue
        judges = grader.config.get("judges")
        entries = judges if isinstance(judges, list | tuple) and judges else [grader.config]
        for entry in entries:
            named = entry.get("provider") if isinstance(entry, Mapping) else None
            providers.add(str(named or task.grader_provider or _DEFAULT_JUDGE))
    return providers & PROVIDER_KEYS.keys()


def _pick(names: Iterable[str], variables: Mapping[str, str]) -> dict[str, str]:
    return {name: variables[name] for name in names if name in variables and name not in _OF_THE_WORKSPACE}

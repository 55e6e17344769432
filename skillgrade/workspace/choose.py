"""Which provider a task runs in, and why."""

from __future__ import annotations

from dataclasses import dataclass

from skillgrade.errors import ProviderError, Stage, UsageError
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec
from skillgrade.workspace import PROVIDERS
from skillgrade.workspace.bubblewrap.binary import Bubblewrap, find_bubblewrap

AUTO = "auto"
"""What a task's provider is when nothing names one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A provider for a task.

    Attributes:
        provider: A key of `skillgrade.workspace.PROVIDERS`.
        reason: One sentence on why it was chosen.
    """

    provider: str
    reason: str


def choose_provider(requested: str, docker: DockerSpec, agent: str, is_llm: bool, stop: Stop) -> Choice:
    """Choose where a task runs.

    `auto` takes Docker when a daemon answers and the base image is there or can be pulled, and does without an image
    only when the file asks for none: then in a sandbox, or, where this machine allows none, on the bare host for an
    agent whose commands the user wrote.

    Args:
        requested: ``auto`` or a provider's name.
        docker: The image that the task needs.
        agent: The agent's name, for messages.
        is_llm: Whether a model decides what the agent does.
        stop: Ends a pull.

    Raises:
        UsageError: There is no such provider, or `auto` may not put the task where it could run.
        ProviderError: The provider that was asked for cannot be used on this machine.
        Cancelled: The stop came.
    """
    if requested != AUTO:
        return _requested(requested)
    problem = _docker_problem(docker.base, stop)
    if problem is None:
        return Choice("docker", f"auto chose docker: a daemon answers and {docker.base} is there")
    bare = "if you trust it bare on this machine, say so with --provider=local"
    sandbox = find_bubblewrap()
    if docker.required:
        hint = "" if isinstance(sandbox, str) else "to run it without an image, use --provider=bubblewrap; "
        raise UsageError(f"the task asks for Docker with `docker:`, but {problem}; {hint}{bare}")
    if isinstance(sandbox, Bubblewrap):
        return Choice("bubblewrap", f"auto chose bubblewrap, a sandbox: {problem}")
    problem += f", and {sandbox}"
    if is_llm:
        raise UsageError(f"the agent {agent} must not run unguarded unless you say so, but {problem}; {bare}")
    return Choice("local", f"auto chose local, which isolates nothing: {problem}")


def foreseen_provider(requested: str, docker: DockerSpec, agent: str, is_llm: bool, stop: Stop) -> Choice:
    """What `choose_provider` would choose, without a pull.

    Raises:
        UsageError: As there.
        ProviderError: As there.
        Cancelled: The stop came.
    """
    from skillgrade.workspace.docker.client import connect, daemon_problem
    from skillgrade.workspace.docker.images import find_image

    if requested == AUTO and daemon_problem() is None and find_image(connect(), docker.base) is None:
        return Choice("docker", f"auto takes docker if {docker.base} can be pulled: it is not on this machine")
    return choose_provider(requested, docker, agent, is_llm, stop)


def _requested(name: str) -> Choice:
    if name not in PROVIDERS:
        raise UsageError(f"there is no provider {name!r}; choose one of {', '.join((AUTO, *PROVIDERS))}")
    problem = PROVIDERS[name]().check()
    if problem is not None:
        raise ProviderError(problem, Stage.SETUP)
    return Choice(name, f"{name} was asked for")


def _docker_problem(base: str, stop: Stop) -> str | None:
    from skillgrade.workspace.docker.client import connect, daemon_problem
    from skillgrade.workspace.docker.images import ensure_base

    problem = daemon_problem()
    if problem is not None:
        return problem
    try:
        ensure_base(connect(), base, stop)
    except ProviderError as error:
        return str(error)
    return None

"""What the agents have in common that are command-line tools from npm.

Each works headless with every permission, since what keeps it from harm is the workspace. It reads its instruction from
its standard input, which ends there: an argument would be limited in length, and its first characters could be taken
for an option.
"""

from __future__ import annotations

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from skillgrade.agents.base import AgentTurn
from skillgrade.agents.ending import failed, how_it_ended
from skillgrade.capture import OutputSink
from skillgrade.errors import AgentError
from skillgrade.models.keys import KEY_NAMES, OWN_URLS, URL_NAMES
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, Task
from skillgrade.transcript.summary import TranscriptSummary
from skillgrade.workspace.base import Command, CommandResult, StagedFile, Workspace

NO_KEY = "none"
"""What stands for a key where the endpoint needs none, since no tool starts without one."""

_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")
_VERSION_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Access:
    """How an agent reaches its model.

    Attributes:
        keys: The variables that may hold its key, the first of them the one that messages name.
        url: The variable that holds another address.
        own_url: The provider's own address.
        logins: Variables that make it use another service, when a task's `env` names one of them.
    """

    keys: tuple[str, ...]
    url: str
    own_url: str
    logins: tuple[str, ...] = ()

    @classmethod
    def of(cls, provider: str, more_keys: tuple[str, ...] = (), logins: tuple[str, ...] = ()) -> Self:
        """How a provider of `skillgrade.models.keys` is reached."""
        return cls((*KEY_NAMES[provider], *more_keys), URL_NAMES[provider], OWN_URLS[provider], logins)

    def key(self, env: Mapping[str, str]) -> str | None:
        """The key among variables."""
        return next((env[name] for name in self.keys if env.get(name)), None)

    def model_url(self, env: Mapping[str, str]) -> str | None:
        """Where the model is reached with some variables; None where only a login would say that."""
        if any(name in env for name in self.logins):
            return None
        return env.get(self.url) or (self.own_url if self.key(env) else None)

    def problem(self, task: Task, variables: Mapping[str, str], agent: str) -> str | None:
        """Why the agent would be logged out; None where it is not, or where nobody can tell.

        Args:
            task: The task.
            variables: Where keys are looked for.
            agent: The agent's name.
        """
        env = {**variables, **task.env_values}
        named = {*task.env_names, *task.env_values}
        if task.agent.home == "user" or self.key(env) or env.get(self.url) or named.intersection(self.logins):
            return None
        others = f" (or {', '.join(self.keys[1:])})" if self.keys[1:] else ""
        return (
            f'the agent "{agent}" has no key: set {self.keys[0]}{others}, {self.url} for an endpoint that needs none, '
            "or agent_home: user to let it use your own login"
        )


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command line, and the variables that it needs beside those of the turn."""

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)


class NpmAgent(ABC):
    """A command-line tool from npm; see `Agent`.

    Attributes:
        name: See `Agent`; also the name of its program.
        package: Its package.
        tested_version: The version that goes into images unless `agent_version` says another.
        stream_format: What it prints.
    """

    name: str
    package: str
    tested_version: str
    stream_format: str

    is_llm = True
    gets_env_file = False
    has_version = True

    @abstractmethod
    def access(self, spec: AgentSpec) -> Access | None:
        """How it reaches its model; None where that is the eval's business."""

    @abstractmethod
    def invocation(self, task: Task, env: Mapping[str, str], number: int) -> Invocation:
        """How it is started for a turn.

        Args:
            task: The task.
            env: The variables that it gets.
            number: Which message of the trial it reads, from 0.
        """

    def model(self, spec: AgentSpec) -> str | None:
        """See `Agent.model`."""
        return spec.model

    def key_names(self, spec: AgentSpec) -> tuple[str, ...]:
        """See `Agent.key_names`."""
        access = self.access(spec)
        return () if access is None else (*access.keys, access.url)

    def model_url(self, task: Task, env: Mapping[str, str]) -> str | None:
        """By its keys and its address; see `Agent.model_url`."""
        access = self.access(task.agent)
        return None if access is None else access.model_url(env)

    def output_format(self, spec: AgentSpec) -> str:
        """See `Agent.output_format`."""
        return self.stream_format

    def problem(self, task: Task, variables: Mapping[str, str]) -> str | None:
        """Whether it would be logged out; see `Agent.problem`."""
        access = self.access(task.agent)
        return None if access is None else access.problem(task, variables, self.name)

    def package_wanted(self, spec: AgentSpec) -> str:
        """Its package with the version that goes into images, as npm takes it."""
        return f"{self.package}@{spec.version or self.tested_version}"

    def install_commands(self, spec: AgentSpec) -> str | None:
        """See `Agent.install_commands`."""
        what = shlex.quote(self.package_wanted(spec))
        return (
            f"type npm >/dev/null 2>&1 || {{ echo 'the agent {self.name} needs Node.js and npm: choose a docker.base "
            f"that has them, such as node:20-slim'; exit 1; }}\nnpm install --global --no-audit --no-fund {what}"
        )

    def version(self, workspace: Workspace, folder: Path, stop: Stop) -> str | None:
        """What it says of itself; see `Agent.version`."""
        result = workspace.run(
            Command(
                argv=(self.name, "--version"),
                timeout=_VERSION_SECONDS,
                stdout=OutputSink(folder / "version.stdout"),
                stderr=OutputSink(folder / "version.stderr"),
            ),
            stop,
        )
        if result.not_found:
            raise AgentError(self.missing())
        found = _VERSION.search(result.stdout.text())
        if result.exit_code == 0 and found:
            return found[0]
        raise AgentError(f"the agent {self.name} does not start: `{self.name} --version` {how_it_ended(result)}")

    def files(self, task: Task) -> tuple[StagedFile, ...]:
        """Nothing; see `Agent.files`."""
        return ()

    def stdin(self, instruction: str) -> bytes | None:
        """The instruction; see `Agent.stdin`."""
        return instruction.encode()

    def command_line(self, task: Task, env: Mapping[str, str]) -> tuple[str, ...]:
        """See `Agent.command_line`."""
        return tuple(self.invocation(task, env, 0).argv)

    def failure(self, result: CommandResult, summary: TranscriptSummary) -> str | None:
        """What its stream and its end say; see `Agent.failure`."""
        return failed(result, summary)

    def act(self, task: Task, turn: AgentTurn, workspace: Workspace, stop: Stop) -> CommandResult:
        """Run it; see `Agent.act`."""
        invocation = self.invocation(task, turn.env, turn.number)
        result = workspace.run(
            Command(
                argv=tuple(invocation.argv),
                env={**turn.env, **invocation.env},
                timeout=turn.timeout,
                stdin=self.stdin(turn.instruction),
                stdout=turn.stdout,
                stderr=turn.stderr,
            ),
            stop,
        )
        if result.not_found:
            raise AgentError(self.missing())
        return result

    def missing(self) -> str:
        """What to say where it is not installed."""
        return (
            f"the agent {self.name} is not installed where it should work: "
            f"npm install --global {self.package}@{self.tested_version}"
        )


def versioned(url: str, version: str) -> str:
    """An address that ends in the version of its API, such as ``/v1``, whether or not it did."""
    url = url.rstrip("/")
    return url if url.endswith(f"/{version}") else f"{url}/{version}"

"""One agent, looked at where it would work: is it there, which version, has it a key, what would be started."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from skillgrade.agents.base import Agent
from skillgrade.agents.command import program_of
from skillgrade.agents.npm_agent import NpmAgent
from skillgrade.capture import OutputSink
from skillgrade.engine.agent_versions import agent_version
from skillgrade.engine.findings import Finding, good, problem, warning
from skillgrade.engine.model_access import model_behind_gateway
from skillgrade.errors import InfrastructureError, UsageError
from skillgrade.models.keys import URL_NAMES
from skillgrade.stop import Stop
from skillgrade.suite.model import Task
from skillgrade.workspace import provider_named
from skillgrade.workspace.base import Command, EnvironmentSpec, Isolation, Prepared, WorkspaceSpec

_PROBE_SECONDS = 30.0
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_INSTRUCTION = "<INSTRUCTION"


@dataclass(frozen=True, slots=True)
class AgentCheck:
    """What is looked at.

    Attributes:
        agent: The agent.
        task: A task that it would work on.
        provider: Where; a key of `skillgrade.workspace.PROVIDERS`.
        environment: What its trials there would share.
        variables: `.env` and the shell as one.
        agent_env: Those that the agent would get.
        run: An id for what is made meanwhile.
    """

    agent: Agent
    task: Task
    provider: str
    environment: EnvironmentSpec
    variables: Mapping[str, str]
    agent_env: Mapping[str, str]
    run: str

    def findings(self, stop: Stop) -> Iterator[Finding]:
        """Look.

        Raises:
            Cancelled: The stop came.
        """
        yield self._installed(stop)
        refusal = self.agent.problem(self.task, self.variables)
        if refusal is not None:
            yield problem("key", refusal)
        else:
            yield from self._keys()
            yield from self._network()
        yield from self._variables()
        if refusal is None:
            yield good("runs", self._command_line())

    @property
    def _in_container(self) -> bool:
        return provider_named(self.provider).isolation is Isolation.CONTAINER

    def _installed(self, stop: Stop) -> Finding:
        try:
            prepared = self._prepared(stop)
            if prepared is None:
                return self._not_built()
            if self.agent.has_version:
                version = agent_version(self.agent.name, self.provider, prepared, self.run, stop)
                return self._of_version(str(version))
            return self._program(prepared, stop)
        except InfrastructureError as error:
            return problem("installed", str(error))

    def _prepared(self, stop: Stop) -> Prepared | None:
        """What a workspace can be made from now; None where an image would have to be built for that."""
        if not self._in_container:
            # Set-ups take their time, and download: an agent's tool comes from the PATH here.
            bare = EnvironmentSpec(replace(self.environment.docker, setup=None))
            return provider_named(self.provider).prepare(bare, self.run, stop)
        from skillgrade.workspace.docker.client import connect
        from skillgrade.workspace.docker.images import find_built

        image = find_built(connect(), self.environment)
        if image is None:
            return None
        is_root = self.environment.docker.user == "root"
        return Prepared(self.provider, reference=image, digest=image, root_agent=is_root)

    def _not_built(self) -> Finding:
        agent, base = self.agent, self.environment.docker.base
        what = f", with {agent.package_wanted(self.task.agent)} from npm" if isinstance(agent, NpmAgent) else ""
        return good("installed", f"not yet: the first run makes an image from {base}{what}")

    def _of_version(self, version: str) -> Finding:
        asked = self.task.agent.version
        if asked is not None and not self._in_container and asked != version:
            return warning(
                "installed", f"version {version}: in {self.provider}, agent_version: {asked} has no effect; install it"
            )
        tested = self.agent.tested_version if isinstance(self.agent, NpmAgent) else version
        return good("installed", f"version {version}" + ("" if tested == version else f" (tested: {tested})"))

    def _program(self, prepared: Prepared, stop: Stop) -> Finding:
        """Whether the program is there that the user's own command line starts with."""
        line = self.task.agent.acp_command if self.agent.name == "acp" else self.task.agent.command
        program = program_of(line or "")
        if program is None:
            return good("installed", "nobody but bash can tell which program its command line starts")
        if "/" in program or (self.environment.docker.setup and not self._in_container):
            return good("installed", f"{program} is looked for when it starts: the task may bring or install it")
        spec = WorkspaceSpec(run=self.run, trial=f"where is {program}", prepared=prepared)
        workspace = provider_named(self.provider).open(spec, stop)
        with tempfile.TemporaryDirectory() as folder, closing(workspace):
            where = Command(
                argv=("bash", "-c", 'command -v -- "$1"', "bash", program),
                stdout=OutputSink(Path(folder, "stdout")),
                stderr=OutputSink(Path(folder, "stderr")),
                timeout=_PROBE_SECONDS,
            )
            found = workspace.run(where, stop)
        if found.exit_code == 0:
            return good("installed", f"{program} is there")
        return problem(
            "installed",
            f"{program} is not there: install it with `docker.setup`, or on this machine for bubblewrap and local",
        )

    def _keys(self) -> Iterator[Finding]:
        names = self.agent.key_names(self.task.agent)
        found = [name for name in names if self.variables.get(name)]
        addresses = [name for name in found if name in URL_NAMES.values()]
        keys = [name for name in found if name not in addresses]
        if keys:
            yield good("key", f"{' and '.join(keys)} {'are' if len(keys) > 1 else 'is'} set")
        elif self.task.agent.home == "user" and names:
            yield good("key", "your own login is used (agent_home: user); only a run can tell whether it is valid")
        elif addresses:
            yield good("key", "none, which an endpoint of your own may not need")
        for name in addresses:
            yield self._address(name)

    def _address(self, name: str) -> Finding:
        host = _host(self.variables[name])
        if host is None:
            return problem("endpoint", f"{name} is no address such as http://localhost:8000: mend or unset it")
        if self._in_container and self.task.network == "default" and host in _LOOPBACK:
            return problem(
                "endpoint",
                f"{name} is {host}, which in a container is the container: have the endpoint listen at an address that "
                "containers reach, such as that of Docker's bridge",
            )
        return good("endpoint", f"{name} leads to {host}")

    def _network(self) -> Iterator[Finding]:
        """Whether an agent without a network reaches its model."""
        try:
            model = model_behind_gateway(self.task, self.agent, self.provider, self.agent_env)
        except UsageError as error:
            yield problem("network", str(error))
            return
        if model is not None:
            yield good("network", f"none but {model.authority}")

    def _variables(self) -> Iterator[Finding]:
        missing = [name for name in self.task.env_names if name not in self.variables]
        if missing:
            yield warning("env", f"`env` names {', '.join(missing)}, which neither the shell nor .env sets: set it")

    def _command_line(self) -> str:
        line = shlex.join(self.agent.command_line(self.task, self.agent_env))
        return line if self.agent.stdin("") is None else f"{line} {_INSTRUCTION}"


def _host(url: str) -> str | None:
    """The host in an address, which is shown without what else may be in there."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.hostname if parts.scheme in ("http", "https") else None

"""Helpers for tests that use a real Docker engine."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from docker import DockerClient

from skillgrade.capture import OutputSink
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec, Limits
from skillgrade.workspace.base import (
    Command,
    CommandResult,
    EnvironmentSpec,
    Prepared,
    SkillSnapshot,
    StagedFile,
    Workspace,
    WorkspaceSpec,
)
from skillgrade.workspace.docker.client import connect
from skillgrade.workspace.docker.provider import DockerProvider


class DockerRun:
    """A run of its own against the real engine: opens workspaces, runs commands, leaves nothing."""

    def __init__(self, folder: Path) -> None:
        self.provider = DockerProvider()
        self.id = f"test-{uuid.uuid4().hex}"
        self.stop = Stop()
        self._folder = folder
        self._numbers = itertools.count()
        self._opened: list[Workspace] = []

    @property
    def client(self) -> DockerClient:
        return connect()

    def prepare(self, user: str | None = None) -> Prepared:
        return self.provider.prepare(EnvironmentSpec(DockerSpec(user=user)), self.id, self.stop)

    def open(
        self,
        *files: StagedFile,
        user: str | None = None,
        limits: Limits = Limits(cpus=1, memory_mb=256, pids=64),
        network: str = "none",
        stdin: bytes | None = None,
        skills: tuple[SkillSnapshot, ...] = (),
    ) -> Workspace:
        spec = WorkspaceSpec(self.id, "task/0", self.prepare(user), files, skills, limits, network, stdin)
        workspace = self.provider.open(spec, self.stop)
        self._opened.append(workspace)
        return workspace

    def command(
        self,
        *argv: str,
        timeout: float = 30,
        stdin: bytes | None = None,
        env: dict[str, str] | None = None,
        privileged: bool = False,
        cap: int = 1_000_000,
    ) -> Command:
        number = next(self._numbers)
        stdout, stderr = (OutputSink(self._folder / f"{number}.{name}", cap) for name in ("out", "err"))
        return Command(argv, stdout, stderr, timeout, env or {}, stdin, privileged)

    def bash(
        self,
        workspace: Workspace,
        script: str,
        *,
        timeout: float = 30,
        stdin: bytes | None = None,
        env: dict[str, str] | None = None,
        privileged: bool = False,
    ) -> CommandResult:
        command = self.command("bash", "-c", script, timeout=timeout, stdin=stdin, env=env, privileged=privileged)
        return workspace.run(command, self.stop)

    def says(self, workspace: Workspace, script: str, *, privileged: bool = False) -> str:
        """What a script prints; it must succeed."""
        result = self.bash(workspace, script, privileged=privileged)
        assert result.exit_code == 0, result.stderr.text()
        return result.stdout.text()

    def containers(self) -> list[str]:
        """Ids of all containers that the run has now."""
        found = self.client.api.containers(all=True, filters={"label": f"skillgrade.run={self.id}"})
        return [str(container["Id"]) for container in found]

    def close(self) -> None:
        for workspace in self._opened:
            workspace.close()
        self.provider.end_run(self.id)


@contextlib.contextmanager
def after_output(command: Command, text: bytes, act: Callable[[], None]) -> Iterator[None]:
    """Act from another thread as soon as a command has printed something."""

    def wait() -> None:
        deadline = time.monotonic() + 60
        while text not in command.stdout.path.read_bytes():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    yield
    thread.join()


@contextlib.contextmanager
def docker_run(folder: Path) -> Iterator[DockerRun]:
    run = DockerRun(folder)
    try:
        yield run
    finally:
        run.close()

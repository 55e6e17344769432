"""Opening workspaces and running scripts in them, whatever the provider."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skillgrade.capture import OutputSink
from skillgrade.stop import Stop
from skillgrade.workspace.base import (
    Command,
    CommandResult,
    Place,
    Prepared,
    Provider,
    SkillSnapshot,
    StagedFile,
    Workspace,
    WorkspaceSpec,
)


@dataclass(frozen=True)
class Ran:
    """A script that ran: the result, and what it printed."""

    result: CommandResult
    out: str
    err: str

    @property
    def code(self) -> int | None:
        return self.result.exit_code


class Bench:
    """Opens workspaces of one provider and closes them at the end of a test."""

    def __init__(self, provider: Provider, prepared: Prepared, run: str, folder: Path) -> None:
        self.provider = provider
        self.prepared = prepared
        self.run_id = run
        self.folder = folder
        self._opened: list[Workspace] = []
        self._commands = 0

    def open(
        self,
        *files: StagedFile,
        skills: tuple[SkillSnapshot, ...] = (),
        stdin: bytes | None = None,
        agent_home: str = "isolated",
        network: str = "default",
        prepared: Prepared | None = None,
        stop: Stop | None = None,
    ) -> Workspace:
        workspace = self.provider.open(
            WorkspaceSpec(
                run=self.run_id,
                trial="contract 0.0",
                prepared=prepared or self.prepared,
                files=files,
                skills=skills,
                stdin=stdin,
                agent_home=agent_home,
                network=network,
            ),
            stop or Stop(),
        )
        self._opened.append(workspace)
        return workspace

    def run(
        self,
        workspace: Workspace,
        *argv: str,
        env: dict[str, str] | None = None,
        stdin: bytes | None = None,
        timeout: float = 60,
        privileged: bool = False,
        cap: int = 1 << 20,
        stop: Stop | None = None,
    ) -> Ran:
        output = self.next_output
        self._commands += 1
        result = workspace.run(
            Command(
                argv=argv,
                stdout=OutputSink(output, cap),
                stderr=OutputSink(output.with_suffix(".err"), cap),
                timeout=timeout,
                env=env or {},
                stdin=stdin,
                privileged=privileged,
            ),
            stop or Stop(),
        )
        return Ran(result, result.stdout.text(), result.stderr.text())

    def bash(self, workspace: Workspace, script: str, **options: object) -> Ran:
        return self.run(workspace, "bash", "-c", script, **options)  # type: ignore[arg-type] # run checks them by name

    @property
    def next_output(self) -> Path:
        """Where the next command's output goes."""
        return self.folder / f"{self._commands}.out"

    def close(self) -> None:
        for workspace in self._opened:
            workspace.close()


def text(dest: str, content: str = "", place: Place = Place.WORKSPACE, chmod: str | None = None) -> StagedFile:
    """A small file to stage."""
    return StagedFile(dest, place, data=content.encode(), chmod=chmod)

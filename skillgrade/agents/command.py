"""The `command` agent: any command line; the instruction arrives on its stdin."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from skillgrade.agents.base import AgentTurn
from skillgrade.capture import OutputSink
from skillgrade.errors import AgentError
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, Task
from skillgrade.transcript.failure import failure as transcript_failure
from skillgrade.transcript.summary import TranscriptSummary
from skillgrade.workspace.base import Command, CommandResult, StagedFile, Workspace

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_PLAIN_WORD = re.compile(r"[\w./+@%:,~-]+")
_MAYBE_NOT_FOUND = (126, 127)
"""What a shell answers when it cannot run or find a program; programs may answer the same by themselves."""


class CommandAgent:
    """Runs `task.agent.command` with bash in the workspace."""

    name = "command"
    is_llm = False
    gets_env_file = True
    has_version = False

    def model(self, spec: AgentSpec) -> str | None:
        """None: it takes none."""
        return None

    def key_names(self, spec: AgentSpec) -> tuple[str, ...]:
        """None: the eval names what it needs."""
        return ()

    def model_url(self, task: Task, env: Mapping[str, str]) -> str | None:
        """None: whatever it asks is its own business."""
        return None

    def output_format(self, spec: AgentSpec) -> str:
        """What the file says."""
        return spec.output_format

    def problem(self, task: Task, variables: Mapping[str, str]) -> str | None:
        """A command is needed."""
        if task.agent.command and task.agent.command.strip():
            return None
        return 'the "command" agent needs a command: set `command:` in the file, or pass --command="..."'

    def install_commands(self, spec: AgentSpec) -> str | None:
        """Nothing: whoever brings the command installs it with `docker.setup`."""
        return None

    def version(self, workspace: Workspace, folder: Path, stop: Stop) -> str | None:
        """None; see `Agent.version`."""
        return None

    def files(self, task: Task) -> tuple[StagedFile, ...]:
        """Nothing."""
        return ()

    def stdin(self, instruction: str) -> bytes | None:
        """The instruction."""
        return instruction.encode()

    def command_line(self, task: Task, env: Mapping[str, str]) -> tuple[str, ...]:
        """See `Agent.command_line`."""
        return ("bash", "-c", task.agent.command or "")

    def failure(self, result: CommandResult, summary: TranscriptSummary) -> str | None:
        """What its own stream says; its exit code is its own business, and a deadline an end as any other."""
        return None if result.timed_out else transcript_failure(summary)

    def act(self, task: Task, turn: AgentTurn, workspace: Workspace, stop: Stop) -> CommandResult:
        """Run the command.

        Raises:
            AgentError: Its program could not be found or started.
            WorkspaceError: The workspace broke.
            Cancelled: The stop came.
        """
        command_line = task.agent.command or ""
        result = workspace.run(
            Command(
                argv=("bash", "-c", command_line),
                env=turn.env,
                timeout=turn.timeout,
                stdin=self.stdin(turn.instruction),
                stdout=turn.stdout,
                stderr=turn.stderr,
            ),
            stop,
        )
        if result.not_found:
            raise AgentError("bash, which starts the command, was not found in the workspace")
        program = program_of(command_line)
        if program and result.exit_code in _MAYBE_NOT_FOUND and not _can_run(program, turn, workspace, stop):
            raise AgentError(
                f"the command {program!r} cannot be found or started in the workspace: "
                "install it with `docker.setup`, or put it there with `workspace`"
            )
        return result


def program_of(command_line: str) -> str | None:
    """The program that a command line starts with; None where only a shell could tell."""
    try:
        words = shlex.split(command_line, comments=True)
    except ValueError:
        return None
    for word in words:
        if not _ASSIGNMENT.match(word):
            return word if _PLAIN_WORD.fullmatch(word) else None
    return None


def _can_run(program: str, turn: AgentTurn, workspace: Workspace, stop: Stop) -> bool:
    folder = turn.stdout.path.parent
    probe = Command(
        argv=("bash", "-c", 'command -v -- "$1"', "bash", program),
        env=turn.env,
        timeout=30.0,
        stdout=OutputSink(folder / "probe.stdout"),
        stderr=OutputSink(folder / "probe.stderr"),
    )
    result = workspace.run(probe, stop)
    for captured in (result.stdout, result.stderr):
        captured.path.unlink()
    return result.exit_code == 0

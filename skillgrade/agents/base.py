"""What an agent is: whatever works on a task in a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from skillgrade.capture import OutputSink
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, Task
from skillgrade.transcript.summary import TranscriptSummary
from skillgrade.workspace.base import CommandResult, StagedFile, Workspace


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """What an agent is asked to do, once.

    Attributes:
        instruction: What it is told.
        env: The variables that it gets.
        timeout: Seconds until everything it started is killed.
        stdout: Where its output goes.
        stderr: Where its error output goes.
        number: Which message of the trial it is, from 0; later ones go on with the same conversation.
        turn: Which turn of the task it belongs to, from 0; a scripted user may say more than one thing in a turn.
        skills: The folders of the skills that it gets, for an agent that does not look for them in its workspace.
    """

    instruction: str
    env: Mapping[str, str]
    timeout: float
    stdout: OutputSink
    stderr: OutputSink
    number: int = 0
    turn: int = 0
    skills: tuple[Path, ...] = ()


class Agent(Protocol):
    """One kind of agent. Stateless."""

    @property
    def name(self) -> str:
        """Its key in `skillgrade.agents.AGENTS`."""

    @property
    def is_llm(self) -> bool:
        """Whether a model decides what it does; such an agent is never put bare on the host unasked."""

    @property
    def gets_env_file(self) -> bool:
        """Whether it gets the variables of the eval's `.env`, which is for programs that the eval's author wrote."""

    def model(self, spec: AgentSpec) -> str | None:
        """The model that it is told to use; None where it takes none, or is told none."""

    def key_names(self, spec: AgentSpec) -> tuple[str, ...]:
        """The variables that hold its own provider's keys and addresses."""

    def model_url(self, task: Task, env: Mapping[str, str]) -> str | None:
        """Where it reaches its model; None where it has none, or nobody can tell.

        Args:
            task: The task.
            env: The variables that it gets.
        """

    def output_format(self, spec: AgentSpec) -> str:
        """What its standard output is: a name of `skillgrade.transcript`."""

    def problem(self, task: Task, variables: Mapping[str, str]) -> str | None:
        """What keeps it from working on this task, in one sentence; None when nothing does.

        Args:
            task: The task.
            variables: Where its keys are looked for.
        """

    def install_commands(self, spec: AgentSpec) -> str | None:
        """What installs it into an image; None when there is nothing to install."""

    @property
    def has_version(self) -> bool:
        """Whether it is a program of its own, with a version."""

    def version(self, workspace: Workspace, folder: Path, stop: Stop) -> str | None:
        """Its version where it will work; None when it has none.

        Args:
            workspace: A workspace as trials get it.
            folder: Where its output may go.
            stop: Ends it early.

        Raises:
            AgentError: It is not installed there, or does not start.
            WorkspaceError: The workspace broke.
            Cancelled: The stop came.
        """

    def files(self, task: Task) -> tuple[StagedFile, ...]:
        """What it needs in the workspace beside the task's own files."""

    def stdin(self, instruction: str) -> bytes | None:
        """What it reads on its standard input in its first turn."""

    def command_line(self, task: Task, env: Mapping[str, str]) -> tuple[str, ...]:
        """What it is started with in its first turn, for people: without what only wraps it.

        Args:
            task: The task.
            env: The variables that it gets.
        """

    def failure(self, result: CommandResult, summary: TranscriptSummary) -> str | None:
        """Why what it did says nothing about the task, in one sentence; None where it worked on it.

        Args:
            result: How it ended.
            summary: What its standard output came to.
        """

    def act(self, task: Task, turn: AgentTurn, workspace: Workspace, stop: Stop) -> CommandResult:
        """Let it work.

        Raises:
            AgentError: It could not be found or started.
            WorkspaceError: The workspace broke.
            Cancelled: The stop came.
        """

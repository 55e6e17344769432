"""The `solution` agent: the task's reference solution in place of an agent, for `--validate`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from skillgrade.agents.base import AgentTurn
from skillgrade.errors import AgentError, UserError
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, Task
from skillgrade.transcript.summary import TranscriptSummary
from skillgrade.workspace.base import Command, CommandResult, Place, StagedFile, Workspace
from skillgrade.workspace.scripts import script_argv


class SolutionAgent:
    """Runs a turn's solution by its kind, from the control folder, with the workspace as its working directory."""

    name = "solution"
    is_llm = False
    gets_env_file = True
    has_version = False

    def model(self, spec: AgentSpec) -> str | None:
        """None: it takes none."""
        return None

    def key_names(self, spec: AgentSpec) -> tuple[str, ...]:
        """None."""
        return ()

    def model_url(self, task: Task, env: Mapping[str, str]) -> str | None:
        """None: it has none."""
        return None

    def output_format(self, spec: AgentSpec) -> str:
        """Whatever a script prints."""
        return "text"

    def problem(self, task: Task, variables: Mapping[str, str]) -> str | None:
        """A solution is needed, and it must say how it is run."""
        for turn in task.each_turn:
            if turn.solution is None:
                return "a turn has no `solution`" if task.turns else "it has no `solution`"
            try:
                script_argv(turn.solution, turn.solution.name)
            except UserError as error:
                return str(error)
        return None

    def install_commands(self, spec: AgentSpec) -> str | None:
        """Nothing."""
        return None

    def version(self, workspace: Workspace, folder: Path, stop: Stop) -> str | None:
        """None; see `Agent.version`."""
        return None

    def files(self, task: Task) -> tuple[StagedFile, ...]:
        """The scripts, each with its neighbours where it has a folder of its own."""
        return tuple(
            _staged(turn.solution, number, task) for number, turn in enumerate(task.each_turn) if turn.solution
        )

    def stdin(self, instruction: str) -> bytes | None:
        """Nothing."""
        return None

    def command_line(self, task: Task, env: Mapping[str, str]) -> tuple[str, ...]:
        """See `Agent.command_line`."""
        solution = task.each_turn[0].solution
        return () if solution is None else script_argv(solution, solution.name)

    def failure(self, result: CommandResult, summary: TranscriptSummary) -> str | None:
        """None: a script says nothing of itself."""
        return None

    def act(self, task: Task, turn: AgentTurn, workspace: Workspace, stop: Stop) -> CommandResult:
        """Run the solution.

        Raises:
            AgentError: There is none, or what runs it was not found.
            WorkspaceError: The workspace broke.
            Cancelled: The stop came.
        """
        solution = task.each_turn[turn.turn].solution
        if solution is None:
            raise AgentError("the task has no `solution`")
        inside = str(PurePosixPath(workspace.control) / _folder(turn.turn) / solution.name)
        argv = script_argv(solution, inside)
        command = Command(argv=argv, env=turn.env, timeout=turn.timeout, stdout=turn.stdout, stderr=turn.stderr)
        result = workspace.run(command, stop)
        if result.not_found:
            raise AgentError(f"{argv[0]!r}, which runs the solution, was not found in the workspace")
        return result


def _staged(solution: Path, turn: int, task: Task) -> StagedFile:
    if task.file.is_relative_to(solution.parent):
        return StagedFile(f"{_folder(turn)}/{solution.name}", Place.CONTROL, src=solution)
    return StagedFile(_folder(turn), Place.CONTROL, src=solution.parent)


def _folder(turn: int) -> str:
    """Where the solution of a turn lies in the control folder."""
    return f"solution-{turn}"

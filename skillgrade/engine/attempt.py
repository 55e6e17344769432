"""The steps of one attempt: open, act, end, swap the graders in, grade, close."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePosixPath

from skillgrade.agents import AGENTS
from skillgrade.agents.base import AgentTurn
from skillgrade.capture import OutputSink
from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.variables import agent_variables, grader_variables
from skillgrade.engine.verdict import TrialVerdict, weigh
from skillgrade.engine.workspaces import Workspaces
from skillgrade.errors import AgentError, Stage
from skillgrade.graders import WORKSPACE_GRADERS
from skillgrade.graders.base import GraderContext
from skillgrade.results.folder import RunFolder
from skillgrade.results.records import AgentRun, GraderResult
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.grader_input import grader_input
from skillgrade.workspace.base import CommandResult, Place, Prepared, StagedFile, Workspace

TRANSCRIPT = "transcript.txt"
"""What the agent printed, for graders and people, in the control folder and in the attempt's."""


class Attempt:
    """One attempt while it goes on.

    Attributes:
        stage: What it is at.
        agent_run: How the agent ended, once it did.
        grader_results: What graders said so far.
        notes: What the reader of the record should know.

    All of them hold what is known at any moment, so they outlast whatever ends the attempt.
    """

    def __init__(
        self, spec: TrialSpec, workspaces: Workspaces, env_file: Mapping[str, str], redactor: Redactor, stop: Stop
    ) -> None:
        self.stage = Stage.SETUP
        self.agent_run: AgentRun | None = None
        self.grader_results: list[GraderResult] = []
        self.notes: list[str] = []
        self._spec = spec
        self._workspaces = workspaces
        self._env_file = env_file
        self._redactor = redactor
        self._stop = stop
        self._agent = AGENTS[spec.agent]
        self._run = RunFolder(spec.run_folder)
        self._folder = self._run.attempt_folder(spec.task.name, spec.trial, spec.attempt)

    def files(self) -> dict[str, str]:
        """What it has left in its folder: by name, the path relative to the run's folder."""
        return {path.name: path.relative_to(self._run.path).as_posix() for path in sorted(self._folder.iterdir())}

    def run(self) -> TrialVerdict:
        """Take every step.

        Raises:
            InfrastructureError: Something that is not the agent's doing went wrong.
            StorageError: Output could not be written.
            Cancelled: The stop came.
        """
        transcript = b""
        with self._open() as workspace:
            if self._spec.act:
                self.stage = Stage.AGENT
                transcript = self._act(workspace)
            self.stage = Stage.COLLECT
            workspace.end_processes()
            grading = workspace.for_graders(fresh=self._needs_fresh_workspace())
            self.stage = Stage.GRADE
            self._grade(grading, transcript)
        timed_out = self.agent_run is not None and self.agent_run.timed_out
        return weigh(self.grader_results, self._spec.task.pass_threshold, timed_out)

    @contextmanager
    def _open(self) -> Iterator[Workspace]:
        workspace = self._workspaces.open(self._spec, self._stop)
        try:
            yield workspace
        finally:
            self.notes += self._workspaces.dispose(workspace)

    def _act(self, workspace: Workspace) -> bytes:
        """Let the agent work; gives back what it printed."""
        task = self._spec.task
        turn = AgentTurn(
            instruction=task.instruction,
            env=agent_variables(task, self._agent, self._env_file, os.environ, self._spec.withheld),
            timeout=task.timeout,
            stdout=self._sink("agent.stdout"),
            stderr=self._sink("agent.stderr"),
        )
        result = self._agent.act(task, turn, workspace, self._stop)
        self.agent_run = AgentRun(
            exit_code=result.exit_code,
            timed_out=result.timed_out,
            duration_ms=round(result.duration * 1000),
            out_of_memory=result.out_of_memory,
            output_bytes=result.stdout.size + result.stderr.size,
            output_truncated=result.stdout.truncated or result.stderr.truncated,
        )
        self._judge_memory(result)
        return _transcript(result)

    def _judge_memory(self, result: CommandResult) -> None:
        if not result.out_of_memory:
            return
        limit = f"the workspace ran out of its {self._spec.task.limits.memory_mb} MiB of memory (environment.memory_mb)"
        if result.exit_code != 0:
            raise AgentError(f"{limit} and the agent was killed or lost a process by it")
        self.notes.append(f"{limit}: a process of the agent was killed, the agent went on")

    def _grade(self, workspace: Workspace, transcript: bytes) -> None:
        task = self._spec.task
        graders = [(WORKSPACE_GRADERS[spec.type], spec) for spec in task.graders if spec.type in WORKSPACE_GRADERS]
        files = [file for grader, spec in graders for file in grader.files(spec)]
        files.append(StagedFile(TRANSCRIPT, Place.CONTROL, data=transcript))
        # What the task itself put at such a place had to be in the way.
        in_the_way = [path for path in workspace.put(files) if not any(file.overlaps(path) for file in task.workspace)]
        if in_the_way and self._spec.act:
            self.notes.append(
                f"tampering: at {', '.join(in_the_way)}, where graders belong, the agent had left something; "
                "it was replaced before grading"
            )
        context = GraderContext(
            input=grader_input(
                task, self._spec.trial, turn=0, transcript=str(PurePosixPath(workspace.control) / TRANSCRIPT)
            ),
            env=grader_variables(task, self._env_file, os.environ),
            timeout=task.grader_timeout,
            folder=self._folder,
            redactor=self._redactor,
        )
        for grader, spec in graders:
            self.grader_results.append(grader.grade(spec, context, workspace, self._stop))

    def _needs_fresh_workspace(self) -> bool:
        """A root agent could have replaced the shell that graders need, so they run in a system that it never saw."""
        if self._spec.task.grader_workspace is not None:
            return self._spec.task.grader_workspace == "fresh"
        return isinstance(self._spec.prepared, Prepared) and self._spec.prepared.root_agent

    def _sink(self, name: str) -> OutputSink:
        return OutputSink(self._folder / name, byte_filter=self._redactor.filter())


def _transcript(result: CommandResult) -> bytes:
    stdout = result.stdout.path.read_bytes()
    stderr = result.stderr.path.read_bytes()
    return b"\n[stderr]\n".join(part for part in (stdout, stderr) if part)

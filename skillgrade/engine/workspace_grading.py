"""The graders' turn in a workspace: their files in, one after another run, and nothing of it left for the agent."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from skillgrade.engine.collecting import temporary_folder
from skillgrade.engine.conversation import Conversation
from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.variables import grader_variables
from skillgrade.engine.workspaces import open_copy
from skillgrade.errors import Stage, WorkspaceError
from skillgrade.graders import WORKSPACE_GRADERS
from skillgrade.graders.base import GraderContext
from skillgrade.results.folder import RunFolder
from skillgrade.results.records import GraderResult
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.grader_input import grader_input
from skillgrade.suite.model import GraderSpec
from skillgrade.workspace.base import Place, Prepared, StagedFile, Workspace

COPY_LIMIT = 2**30
"""Bytes of a workspace that are copied for the graders of a turn."""

TRANSCRIPT = "transcript.txt"
"""The conversation so far, for graders, in the control folder."""


class WorkspaceGrading:
    """Runs the workspace graders of an attempt's turns.

    Args:
        spec: The attempt.
        env_file: The variables of the eval's `.env`.
        redactor: Takes secrets out of what graders print.
        notes: Takes what the reader of the record should know.
        stop: Ends it early.
    """

    def __init__(
        self, spec: TrialSpec, env_file: Mapping[str, str], redactor: Redactor, notes: list[str], stop: Stop
    ) -> None:
        self._spec = spec
        self._env_file = env_file
        self._redactor = redactor
        self._notes = notes
        self._stop = stop

    @contextmanager
    def last_place(self, workspace: Workspace) -> Iterator[Workspace]:
        """Where the graders of the last turn run: in the agent's workspace, or in a system that it never saw."""
        yield workspace.for_graders(fresh=self._needs_fresh_workspace())

    @contextmanager
    def copied_place(self, workspace: Workspace, is_needed: bool) -> Iterator[Workspace]:
        """Where the graders of an earlier turn run: in a copy, so that the next turn sees nothing of them.

        Args:
            workspace: The agent's workspace.
            is_needed: Whether there are such graders; without any, nothing is copied.

        Raises:
            WorkspaceError: It cannot be copied as a whole.
            ProviderError: There is no place for the copy.
            Cancelled: The stop came.
        """
        if not is_needed:
            yield workspace
            return
        with temporary_folder(RunFolder(self._spec.run_folder).run_id, "turn") as exported:
            copied = workspace.export(exported, COPY_LIMIT, self._stop)
            self._notes += copied.notes
            if not copied.is_whole:
                # Half of it would be graded as if it were all.
                message = "the workspace cannot be copied as a whole for the graders of a turn before the last"
                raise WorkspaceError(f"{message}: {'; '.join(copied.notes)}", Stage.COLLECT)
            copy = open_copy(self._spec, exported, self._stop)
            try:
                yield copy
            finally:
                copy.close()
                self._notes += [note for note in copy.notes if note not in self._notes]

    def grade(
        self,
        workspace: Workspace,
        turn: int,
        specs: Sequence[GraderSpec],
        conversation: Conversation,
        folder: Path,
    ) -> Iterator[GraderResult]:
        """Put in what the graders of a turn need, and run them one after another.

        Args:
            workspace: Where they run.
            turn: The turn, from 0.
            specs: The graders.
            conversation: What was said so far.
            folder: The turn's folder in the run.

        Raises:
            WorkspaceError: The workspace broke.
            Cancelled: The stop came.
        """
        if not specs:
            return
        task = self._spec.task
        graders = [(WORKSPACE_GRADERS[spec.type], spec) for spec in specs]
        files = [file for grader, spec in graders for file in grader.files(spec)]
        files.append(StagedFile(TRANSCRIPT, Place.CONTROL, data=conversation.text().encode()))
        # What the task itself put at such a place had to be in the way.
        in_the_way = [path for path in workspace.put(files) if not any(file.overlaps(path) for file in task.workspace)]
        if in_the_way and self._spec.act:
            self._notes.append(
                f"tampering: at {', '.join(in_the_way)}, where graders belong, the agent had left something; "
                "it was replaced before grading"
            )
        transcript = str(PurePosixPath(workspace.control) / TRANSCRIPT)
        context = GraderContext(
            input=grader_input(task, self._spec.trial, turn=turn, transcript=transcript),
            env=grader_variables(task, self._env_file, os.environ),
            timeout=task.grader_timeout,
            folder=folder,
            redactor=self._redactor,
        )
        for grader, spec in graders:
            yield replace(grader.grade(spec, context, workspace, self._stop), turn=turn)

    def _needs_fresh_workspace(self) -> bool:
        """A root agent could have replaced the shell that graders need, so they run in a system that it never saw."""
        if self._spec.task.grader_workspace is not None:
            return self._spec.task.grader_workspace == "fresh"
        return isinstance(self._spec.prepared, Prepared) and self._spec.prepared.root_agent

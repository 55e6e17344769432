"""What a grader is: something that scores one trial.

There are two kinds. A *workspace grader* runs in the trial's workspace. A *record grader* works on what was kept of
the trial, after the workspace is closed: no container waits for a judge or a person, and a finished run can be graded
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from skillgrade.judges.base import Judging
from skillgrade.results.evidence import Evidence
from skillgrade.results.records import GraderResult
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.model import GraderSpec, Task
from skillgrade.workspace.base import StagedFile, Workspace


@dataclass(frozen=True, slots=True)
class GraderContext:
    """What a workspace grader may know of the trial that it scores.

    Attributes:
        input: The document for `SKILLGRADE_INPUT`: ``task``, ``trial``, ``turn``, ``expected``, ``metadata`` and
            ``transcript``, the path at which the grader can read what the agent printed, redacted and capped.
        env: The variables it gets.
        timeout: Seconds for one deterministic grader.
        folder: A folder of the run in which it keeps its output.
        redactor: Takes secrets out of its output and of what it says.
    """

    input: Mapping[str, object]
    env: Mapping[str, str]
    timeout: float
    folder: Path
    redactor: Redactor


@dataclass(frozen=True, slots=True)
class Needs:
    """What a record grader wants kept of a trial, beside the transcript.

    Attributes:
        artifacts: Workspace files, by path relative to the workspace.
        diff: Whether it reads what changed in the workspace.
        workspace: Whether it needs all the files themselves.
        created: Whether it reads the text files that the agent made or changed.
    """

    artifacts: tuple[str, ...] = ()
    diff: bool = False
    workspace: bool = False
    created: bool = False


@dataclass(frozen=True, slots=True)
class RecordContext:
    """What a record grader may know of the trial that it scores.

    Attributes:
        task: The task.
        trial: The trial's number, from 0; it must not reach a judge.
        evidence: What was kept of the turn after which the grader stands.
        earlier: What the graders before it said, workspace graders first.
        folder: A folder of the run in which it keeps what it leaves.
        variables: `.env` and the shell as one, as of now.
        redactor: Takes secrets out of what it says and keeps.
        judging: Asks judges.
    """

    task: Task
    trial: int
    evidence: Evidence
    earlier: tuple[GraderResult, ...]
    folder: Path
    variables: Mapping[str, str]
    redactor: Redactor
    judging: Judging


class Grader(Protocol):
    """One type of grader. Stateless; every method takes the spec."""

    @property
    def type(self) -> str:
        """Its key in `skillgrade.graders.GRADERS`."""

    def problem(self, spec: GraderSpec) -> str | None:
        """What keeps it from running with this spec, in one sentence; None when nothing does."""


class WorkspaceGrader(Grader, Protocol):
    """A grader that runs in the trial's workspace."""

    def setup_commands(self, spec: GraderSpec) -> str | None:
        """What prepares an environment for it; None when there is nothing to prepare."""

    def files(self, spec: GraderSpec) -> tuple[StagedFile, ...]:
        """What of the eval must be swapped into the workspace before it runs."""

    def grade(self, spec: GraderSpec, context: GraderContext, workspace: Workspace, stop: Stop) -> GraderResult:
        """Score the trial.

        A grader that crashes, runs out of time or answers nonsense does not raise: it returns a result whose status is
        ``error`` and whose details say why.

        Raises:
            WorkspaceError: The workspace broke.
            Cancelled: The stop came.
        """


class RecordGrader(Grader, Protocol):
    """A grader that works on what was kept of a trial."""

    def needs(self, spec: GraderSpec) -> Needs:
        """What must be kept of a trial for it."""

    def grade(self, spec: GraderSpec, context: RecordContext, stop: Stop) -> GraderResult:
        """Score the trial.

        What goes wrong does not raise: it is a result whose status is ``error`` or ``ungraded`` and whose details say
        why.

        Raises:
            StorageError: What it keeps could not be written.
            Cancelled: The stop came.
        """

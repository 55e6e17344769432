"""What a grader is: something that scores one trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from skillgrade.results.records import GraderResult
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.model import GraderSpec
from skillgrade.workspace.base import StagedFile, Workspace


@dataclass(frozen=True, slots=True)
class GraderContext:
    """What a grader may know of the trial that it scores.

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


class Grader(Protocol):
    """One type of grader. Stateless; every method takes the spec."""

    @property
    def type(self) -> str:
        """Its key in `skillgrade.graders.GRADERS`."""

    def problem(self, spec: GraderSpec) -> str | None:
        """What keeps it from running with this spec, in one sentence; None when nothing does."""

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

"""What can go wrong, and who has to act on it.

The tree::

    SkillgradeError
    ├── UserError               the user's files or flags are wrong: exit code 2
    │   ├── SuiteError          eval.yaml (or a file it names); carries every Problem of the file
    │   ├── UnreadableError     a file is not what it should be (skillgrade.reading); whoever knows its name catches it
    │   └── UsageError          a flag or an argument
    ├── InfrastructureError     a trial is errored, never failed: exit code 3; carries the stage
    │   ├── ProviderError       no workspace can be had: no daemon, no image, no permission
    │   ├── WorkspaceError      a workspace broke while a trial used it
    │   ├── AgentError          the agent could not be found or started
    │   ├── GraderError         a grader crashed, timed out or answered nonsense
    │   ├── ReplyError          a judge's reply is no verdict; carries the reply
    │   ├── RecordingError      the recording holds no current verdict for what is asked
    │   └── ModelError          a model provider refused, failed or could not be reached
    │       └── MissingKeyError the variable that would hold its API key is not set
    ├── StorageError            a result could not be written (disk full, read-only folder): exit code 3
    └── Cancelled               the run was interrupted: exit code 130

Every message is one sentence that a user can act on: where, what is wrong, what to do. `FormatError` of
`skillgrade.results.encoding` is no member: whoever decodes says which file it is, with one of these.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import ClassVar


class SkillgradeError(Exception):
    """Base of every error that skillgrade raises on purpose."""


class UserError(SkillgradeError):
    """The user's files or flags are wrong; nothing was run."""


class UsageError(UserError):
    """A flag or an argument is wrong."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong (or suspicious) in a file.

    Attributes:
        message: What is wrong and, where one is near, what was probably meant.
        file: The file that holds it.
        line: 1-based; None where the file as a whole is meant.
        column: 1-based; None where the line as a whole is meant.
        path: The path of keys, such as ``tasks[0].graders[1].weight``.
    """

    message: str
    file: Path | None = None
    line: int | None = None
    column: int | None = None
    path: str = ""

    def __str__(self) -> str:
        """Render as ``file:line:column: path: message``, leaving out what is unknown."""
        place = "" if self.file is None else _shortest(self.file)
        for number in (self.line, self.column):
            place += "" if number is None else f":{number}"
        return ": ".join(part for part in (place, self.path, self.message) if part)


def _shortest(file: Path) -> str:
    """A path as it is, or relative to the current folder where that is shorter."""
    try:
        return min(str(file), os.path.relpath(file), key=len)
    except OSError:  # the current folder was removed
        return str(file)


class SuiteError(UserError):
    """A suite file is wrong; every problem found in it is reported at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class Stage(StrEnum):
    """The part of a trial in which an infrastructure error happened."""

    IMAGE = "image"
    SETUP = "setup"
    AGENT = "agent"
    COLLECT = "collect"
    GRADE = "grade"
    JUDGE = "judge"
    STORE = "store"
    WORKER = "worker"


class InfrastructureError(SkillgradeError):
    """Something that is not the agent's doing kept a trial from a verdict.

    Attributes:
        usual_stage: Where this kind of error happens unless its raiser says otherwise.
        stage: Where this one happened.
    """

    usual_stage: ClassVar[Stage] = Stage.WORKER

    def __init__(self, message: str, stage: Stage | None = None) -> None:
        super().__init__(message)
        self.stage = self.usual_stage if stage is None else stage

    def __reduce__(self) -> tuple[type[InfrastructureError], tuple[str, Stage], dict[str, object]]:
        """Survive pickling, which by default would replay only ``args``; subclasses have more attributes."""
        return type(self), (str(self), self.stage), dict(vars(self))


class ProviderError(InfrastructureError):
    """No workspace can be had from a provider."""

    usual_stage = Stage.SETUP


class WorkspaceError(InfrastructureError):
    """A workspace broke while a trial used it."""

    usual_stage = Stage.SETUP


class AgentError(InfrastructureError):
    """The agent could not be found or started."""

    usual_stage = Stage.AGENT


class GraderError(InfrastructureError):
    """A grader crashed, ran out of time or answered nonsense."""

    usual_stage = Stage.GRADE


class ModelError(InfrastructureError):
    """A model provider refused, failed or could not be reached; the message has its own words and never a key.

    Attributes:
        status: The HTTP status; None where no response came.
        transient: Whether the same request may succeed later.
        retry_after: Seconds that the provider asks to wait; None where it says nothing.
        calls: Requests that were sent until then.
    """

    usual_stage = Stage.JUDGE

    def __init__(
        self,
        message: str,
        stage: Stage | None = None,
        *,
        status: int | None = None,
        transient: bool = False,
        retry_after: float | None = None,
        calls: int = 0,
    ) -> None:
        super().__init__(message, stage)
        self.status = status
        self.transient = transient
        self.retry_after = retry_after
        self.calls = calls


class ReplyError(InfrastructureError):
    """A judge's reply is no verdict; the message quotes it."""

    usual_stage = Stage.JUDGE


class RecordingError(InfrastructureError):
    """The recording of verdicts holds no current one for what is asked; the message has the command that mends it."""

    usual_stage = Stage.JUDGE


class MissingKeyError(ModelError):
    """The variable that would hold a provider's API key is not set; the message names it."""


class StorageError(SkillgradeError):
    """A result could not be written."""


class Cancelled(SkillgradeError):
    """The run was asked to stop while this was going on."""

"""What is kept of a turn for graders that need no workspace: texts, redacted, free of host paths."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skillgrade.errors import StorageError
from skillgrade.reading import reason
from skillgrade.results.encoding import FormatError, decode, dump, encode, load_document
from skillgrade.results.records import Trigger
from skillgrade.storage import replace_file

NUL = "\0"
FILE = "evidence.json"
"""Its file in the folder of an attempt, or of a turn where there are several."""


def turn_folder(attempt: Path, turn: int) -> Path:
    """Where one of several turns leaves what it leaves, in the folder of the attempt."""
    return attempt / f"turn-{turn}"


def folder_of(attempt: Path, turn: int) -> Path:
    """Where the evidence of a turn is: in the folder of the attempt, or of the turn where there are several."""
    folder = turn_folder(attempt, turn)
    return folder if folder.is_dir() else attempt


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool.

    Attributes:
        name: The tool as the agent calls it.
        tool: The same tool's name across agents.
        args: What it was called with.
        status: How it ended: ``pending``, ``ok``, ``error`` or ``denied``.
    """

    name: str
    tool: str
    args: Mapping[str, Any]
    status: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the agent was told, said and did until the end of a turn.

    The workspace's own path stands as ``/workspace`` in every text, so that the same work gives the same evidence
    wherever it ran.

    Attributes:
        turn: The turn, from 0.
        instruction: What the agent was told in this turn.
        transcript: The conversation so far.
        diff: What changed in the workspace since the trial's start, as a unified diff; None when nobody needed it.
        artifacts: The workspace files that graders name, by path; None for a file that was not there.
        triggers: What was observed of each skill of the run, in all turns so far.
        answer: What the agent said last in this turn: its words after its last tool call, or all of its output where
            that shows no calls; None where a run of an earlier version kept none.
        calls: The tool calls in all turns so far, in order; None where its output does not show them.
        created: The text files that the agent made or changed, by path; None when nobody needed them.
        tokens: Used in all turns so far, by kind; None when its output does not say.
        cost_usd: Spent in all turns so far; None when its output does not say.
        agent_ms: How long the agent worked in all turns so far.
    """

    turn: int
    instruction: str
    transcript: str
    diff: str | None = None
    artifacts: Mapping[str, str | None] = field(default_factory=dict)
    triggers: tuple[Trigger, ...] = ()
    answer: str | None = None
    calls: tuple[Call, ...] | None = None
    created: Mapping[str, str] | None = None
    tokens: Mapping[str, int] | None = None
    cost_usd: float | None = None
    agent_ms: int | None = None


def prompt_digest(instructions: Iterable[str]) -> str:
    """What names the instructions of a trial's turns: ``sha256:`` over them, with a NUL between two."""
    return f"sha256:{hashlib.sha256(NUL.join(instructions).encode('utf-8', 'surrogatepass')).hexdigest()}"


def output_digest(answer: str) -> str:
    """What names the last answer of a trial: ``sha256:`` over it."""
    return f"sha256:{hashlib.sha256(answer.encode('utf-8', 'surrogatepass')).hexdigest()}"


def save(evidence: Evidence, folder: Path) -> None:
    """Keep it in a folder of the run.

    Raises:
        StorageError: It could not be written.
    """
    replace_file(folder / FILE, [dump(encode(evidence)), b"\n"])


def load(folder: Path) -> Evidence:
    """Read what was kept in a folder of the run.

    Raises:
        StorageError: It is gone, or was changed into something else.
    """
    path = folder / FILE
    try:
        return decode(Evidence, load_document(path.read_bytes()))
    except OSError as error:
        raise StorageError(f"{path}: cannot be read ({reason(error)}), so the trial cannot be graded again") from error
    except FormatError as error:
        raise StorageError(f"{path}: was changed ({error}), so the trial cannot be graded again") from error

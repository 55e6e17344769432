"""What is kept of a turn for graders that need no workspace: texts, redacted, free of host paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skillgrade.errors import StorageError
from skillgrade.reading import reason
from skillgrade.results.encoding import FormatError, decode, dump, encode, load_document
from skillgrade.results.records import Trigger
from skillgrade.storage import replace_file

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
    """

    turn: int
    instruction: str
    transcript: str
    diff: str | None = None
    artifacts: Mapping[str, str | None] = field(default_factory=dict)
    triggers: tuple[Trigger, ...] = ()


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

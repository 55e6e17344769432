"""The folder of a run: where it is, what it is called, and where in it everything stands.

Layout, below the base (`.skillgrade` beside eval.yaml, or what `--output` names)::

    20261130-142233-5f1c/                  one run; its name is its id
        journal.jsonl                      everything, as it happened
        report.json                        the numbers, made from the journal
        report-1.json                      what they were before the run was first graded again, and so on
        suite.json                         digests of what it runs, for going on with the same
        trials/<task>/<trial>/<attempt>/   what an attempt left: transcripts, grader output
    validations/
        20261130-142402-9b0e/              one `--validate`: `trials/` alone
"""

from __future__ import annotations

import hashlib
import re
import secrets
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from skillgrade.errors import UserError
from skillgrade.own_folder import OWN_FILES, OWN_FOLDER
from skillgrade.storage import storing

VALIDATIONS_NAME = "validations"
"""The folder below a base that holds what validations left."""

_STAMP = "%Y%m%d-%H%M%S"
_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")
_LONGEST_NAME = 60
_HASHED = re.compile(r".*-[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run's folder; its path is absolute."""

    path: Path

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.path.name

    @property
    def journal(self) -> Path:
        """The journal."""
        return self.path / "journal.jsonl"

    @property
    def report(self) -> Path:
        """The report."""
        return self.path / "report.json"

    @property
    def fingerprint(self) -> Path:
        """Digests of what the run runs."""
        return self.path / "suite.json"

    def beside(self, run_id: str) -> RunFolder:
        """The folder of another run in the same place."""
        return RunFolder(self.path.parent / run_id)

    def attempt_path(self, task: str, trial: int, attempt: int) -> Path:
        """Where what one attempt left is, or will be."""
        return self.path / "trials" / safe_name(task) / str(trial) / str(attempt)

    def attempt_folder(self, task: str, trial: int, attempt: int) -> Path:
        """Make the empty folder for what one attempt leaves.

        Raises:
            StorageError: It cannot be made.
        """
        folder = self.attempt_path(task, trial, attempt)
        with storing(folder):
            if folder.exists():  # by a session of the run that was killed before it could record the attempt
                shutil.rmtree(folder)
            folder.mkdir(parents=True)
        return folder


def create_run_folder(base: Path) -> RunFolder:
    """Make the folder of a new run, under a new id that sorts behind those of all earlier runs.

    Raises:
        StorageError: It cannot be made.
    """
    base = base.absolute()
    with storing(base):
        base.mkdir(parents=True, exist_ok=True)
        for folder in (base, base.parent):
            if folder.name == OWN_FOLDER:
                _ignore(folder)
        while True:
            try:
                path = base / _new_run_id(base)
                path.mkdir()
            except FileExistsError:
                continue
            return RunFolder(path)


def find_run_folder(base: Path, reference: str) -> RunFolder:
    """The folder of a finished or unfinished run.

    Args:
        base: Where runs are.
        reference: ``latest``, an id, or the path of a run's folder or of a file in it.

    Raises:
        UserError: There is no such run.
    """
    if reference == "latest":
        ids = [run_id for run_id in _run_ids(base) if RunFolder(base / run_id).journal.is_file()]
        if not ids:
            raise UserError(f"{base}: no run is here yet: start one with `skillgrade`")
        return RunFolder(base.absolute() / max(ids))
    named = Path(reference).absolute()
    places = [named, named.parent]
    if _RUN_ID.fullmatch(reference):
        places.insert(0, base.absolute() / reference)
    for place in places:
        if RunFolder(place).journal.is_file():
            return RunFolder(place)
    raise UserError(f"{reference}: no run has this id or path; `latest` names the newest in {base}")


def run_folders(base: Path) -> list[Path]:
    """The folders of all runs below a base, and of all validations."""
    return [base / VALIDATIONS_NAME, *(base / run_id for run_id in _run_ids(base))]


def safe_name(text: str) -> str:
    """A file name for any text: harmless, at most 70 characters, and different for different texts.

    Texts that are such a name already stay as they are. All others become a readable part and a hash, so that
    neither case-insensitive file systems nor the cutting of long names make two of them one.
    """
    readable = re.sub(r"[^a-z0-9._]+", "-", text.lower())[:_LONGEST_NAME].strip("-.")
    if readable and readable == text and not _HASHED.fullmatch(text):
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{readable or 'task'}-{digest}"


def _run_ids(base: Path) -> list[str]:
    return [entry.name for entry in base.iterdir() if _RUN_ID.fullmatch(entry.name)] if base.is_dir() else []


def _new_run_id(base: Path) -> str:
    """An id with the time, UTC; where the clock stands at or before the newest run's time, one second after that."""
    stamp = datetime.now(UTC).strftime(_STAMP)
    newest = max(_run_ids(base), default="").rpartition("-")[0]
    if stamp <= newest:
        stamp = _second_after(newest)
    return f"{stamp}-{secrets.token_hex(2)}"


def _second_after(stamp: str) -> str:
    try:
        return (datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC) + timedelta(seconds=1)).strftime(_STAMP)
    except (ValueError, OverflowError):
        return stamp  # a folder that only looks like a run


def _ignore(folder: Path) -> None:
    """Keep version control out, as tool caches do; a file that is there already stays."""
    for name, text in OWN_FILES.items():
        with suppress(FileExistsError), (folder / name).open("x") as stream:
            stream.write(text)

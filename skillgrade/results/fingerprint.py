"""`suite.json`: digests of what a run runs, by the names that people know them by.

A run goes on only where all of them are the same. Two runs are of the same tasks, and can be compared, where those are
the same that say nothing of the skill and of who works under which conditions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skillgrade.errors import UserError
from skillgrade.results.encoding import FormatError, dump, load_document
from skillgrade.results.folder import RunFolder
from skillgrade.storage import replace_file

SKILLS = "which skills go in"
"""The entry that names them."""

_CONDITIONS = "who works, and where, on task "
_SKILL_FILE = "skill "


def task_entry(task: str) -> str:
    """The entry of what a task asks and how it is graded."""
    return f'task "{task}"'


def conditions_entry(task: str) -> str:
    """The entry of who works on a task under which conditions."""
    return f'{_CONDITIONS}"{task}"'


def write_fingerprint(folder: RunFolder, entries: Mapping[str, str]) -> None:
    """Keep what a run runs.

    Raises:
        StorageError: It could not be written.
    """
    replace_file(folder.fingerprint, [dump(dict(entries)), b"\n"])


def read_fingerprint(folder: RunFolder) -> Mapping[str, str]:
    """What a run runs.

    Raises:
        UserError: It cannot be read.
    """
    try:
        return load_document(folder.fingerprint.read_bytes())
    except (OSError, FormatError) as error:
        raise UserError(f"{folder.fingerprint}: cannot be read, so what this run runs is not known: {error}") from error


def tasks_alone(entries: Mapping[str, str]) -> Mapping[str, str]:
    """The entries that must be the same where two runs are compared."""
    apart = (_CONDITIONS, _SKILL_FILE, SKILLS)
    return {name: digest for name, digest in entries.items() if not name.startswith(apart)}


def conditions_alone(entries: Mapping[str, str]) -> Mapping[str, str]:
    """The entries of who works on the tasks under which conditions."""
    return {name: digest for name, digest in entries.items() if name.startswith(_CONDITIONS)}


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """What became of entries, for a person."""
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            yield f"{name} is gone"
        elif name not in before:
            yield f"{name} is new"
        elif before[name] != now[name]:
            yield f"{name} changed"

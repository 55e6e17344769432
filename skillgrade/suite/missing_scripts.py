"""Scripts that a grader's `run` names and that are nowhere: a slip that would else be found once the agent was paid."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.model import WorkspaceFile
from skillgrade.suite.references import References, inside_path
from skillgrade.suite.run_words import only_program, script_words
from skillgrade.wording import did_you_mean, shown

_MADE_FOLDERS = frozenset(("node_modules", "dist", "build", "out", "target", "venv"))
"""Folders that builds and installations make."""

_MOST_COMPARED = 1000


def note_missing_scripts(
    cursor: Cursor,
    workspace: Sequence[WorkspaceFile],
    instruction: str,
    folders: Sequence[Path],
    references: References,
) -> None:
    """Note what `run` names and nobody has: an error where nothing else could run, else a warning.

    Args:
        cursor: The `run`.
        workspace: What the task puts into its workspace.
        instruction: What the agent is told; files that it names are the agent's to make.
        folders: Where paths are looked for.
        references: Finds files, and gets the problems.
    """
    run = (cursor.text() or "").strip()
    program = only_program(run)
    for word in dict.fromkeys(script_words(run)):
        dest = inside_path(word)
        if dest is None or dest.startswith(".") or PurePosixPath(dest).name in instruction:
            continue
        if references.files.find(word, folders) or _is_provided(dest, workspace, references):
            continue
        hint = did_you_mean(dest, islice(_names_near(dest, folders, references), _MOST_COMPARED))
        message = f"names {shown(word)}, which neither the eval nor the workspace has{hint}"
        if word == program and not _may_be_made(dest, workspace) and ("/" in dest or hint):
            references.findings.error(cursor.mark, cursor.path, message)
        else:
            references.findings.warn(cursor.mark, cursor.path, f"{message}; only the agent or a set-up could make it")


def _is_provided(dest: str, workspace: Sequence[WorkspaceFile], references: References) -> bool:
    """Whether the workspace has a file from the start; a word without a folder may be a tool on the `PATH`."""
    sources = (file.source_of(dest) for file in workspace)
    return any(source is not None and references.files.find(str(source), [source.parent]) for source in sources) or any(
        file.dest.startswith("/") and PurePosixPath(file.dest).name == dest for file in workspace
    )


def _may_be_made(dest: str, workspace: Sequence[WorkspaceFile]) -> bool:
    return not _MADE_FOLDERS.isdisjoint(PurePosixPath(dest).parts) or any(file.overlaps(dest) for file in workspace)


def _names_near(dest: str, folders: Sequence[Path], references: References) -> Iterator[str]:
    """The files at the top, and those in top folders whose names are like the word's own top folder."""
    top = dest.split("/", 1)[0]
    for folder in folders:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
        names = [entry.name for entry in entries if entry.is_dir()]
        yield from (entry.name for entry in entries if entry.is_file())
        for name in difflib.get_close_matches(top, names):
            for file in references.files.scan(folder / name).files:
                yield file.relative_to(folder).as_posix()

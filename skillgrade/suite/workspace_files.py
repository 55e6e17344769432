"""The `workspace:` of a task: what goes where, checked so that nothing lands outside or on top of something else."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.model import WorkspaceFile
from skillgrade.suite.modes import apply_chmod
from skillgrade.suite.references import GRADING_FOLDERS, TEMPLATE_MARK, References, inside_path
from skillgrade.wording import shown
from skillgrade.yaml_values import Mark

_NO_PLACES = ("/dev", "/proc", "/run/skillgrade", "/sys")
"""What exists only while something runs, made by the kernel or by skillgrade itself: no file can be put there."""


def read_workspace(workspace: Cursor | None, task: Mark, references: References) -> tuple[WorkspaceFile, ...]:
    """What a task puts into its workspace; what cannot be used is noted as an error and left out."""
    taken: dict[str, WorkspaceFile] = {}
    for entry in workspace.items() if workspace else ():
        source = entry if entry.text() is not None else entry.get("src")
        if source is None:
            continue
        src = references.path(source, task)
        if src is None:
            continue
        _note_in_skill(entry, source, src, references)
        references.claim(src)
        for file in _entries(entry, src, references):
            problem = _conflict(file, taken)
            if problem:
                references.findings.error(entry.mark, entry.path, problem)
            else:
                taken[file.dest] = file
    return tuple(taken.values())


def _note_in_skill(entry: Cursor, source: Cursor, src: Path, references: References) -> None:
    """Say once for each file that the skill goes without it, where neither its folder nor its destination says so."""
    skill = references.skill_around(src)
    inside = src.relative_to(skill.folder).parts if skill else ()
    dest = entry.get("dest")
    is_system_file = ((dest.text() or "") if dest else "").startswith("/")
    if not inside or inside[0] in GRADING_FOLDERS or is_system_file or src in references.own:
        return
    name = shown(references.files.shown(src))
    message = f"{name} is a file of the eval here, so the agent's copy of the skill lacks it"
    references.findings.warn(source.mark, source.path, message)


def _entries(entry: Cursor, src: Path, references: References) -> Iterator[WorkspaceFile]:
    """One entry; a folder that goes to the workspace itself becomes one entry per item in it."""
    place = entry.get("dest") or entry
    written = (place.text() or "") if place is not entry else ""
    if TEMPLATE_MARK in written:
        return
    dest = _destination(written, src)
    if dest is None:
        message = f"the destination {shown(written)} leads out of the workspace"
        references.findings.error(place.mark, place.path, message)
        return
    no_place = next((folder for folder in _NO_PLACES if f"{dest}/".startswith(f"{folder}/")), None)
    if no_place is not None:
        message = f"the destination {shown(written)} lies in {no_place}, where no file can be put; choose another"
        references.findings.error(place.mark, place.path, message)
        return
    chmod = _chmod(entry, references)
    if dest != ".":
        yield WorkspaceFile(src, dest, chmod)
        return
    for item in sorted(src.iterdir()):
        yield WorkspaceFile(item, item.name, chmod)


def _destination(written: str, src: Path) -> str | None:
    """Where a source goes: into a destination that is spelt as a folder if it is a file, else to the destination."""
    if not written:
        return src.name
    if not written.isprintable():
        return None
    if written.startswith("/"):
        dest = "/" + posixpath.normpath(written).lstrip("/")
        if not src.is_dir() and (written.endswith("/") or dest == "/"):
            dest = posixpath.join(dest, src.name)
        return None if dest == "/" else dest
    dest = inside_path(written) or ("." if posixpath.normpath(written) == "." else "")
    if not dest:
        return None
    if src.is_dir():
        return dest
    return posixpath.normpath(posixpath.join(dest, src.name)) if written.endswith("/") or dest == "." else dest


def _chmod(entry: Cursor, references: References) -> str | None:
    cursor = entry.get("chmod")
    label = cursor.label() if cursor else None
    if cursor is None or label is None:
        return None
    try:
        apply_chmod(label, 0)
    except ValueError as error:
        references.findings.error(cursor.mark, cursor.path, str(error))
        return None
    return label


def _conflict(file: WorkspaceFile, taken: dict[str, WorkspaceFile]) -> str | None:
    if file.dest in taken:
        return f"the destination {shown(file.dest)} is taken already; give each entry a `dest` of its own"
    for parent in PurePosixPath(file.dest).parents:
        above = taken.get(str(parent))
        if above is not None and not above.src.is_dir():
            return f"the destination {shown(file.dest)} lies below {shown(above.dest)}, which is a file"
    below = next((dest for dest in taken if dest.startswith(f"{file.dest}/")), None)
    if below is not None and not file.src.is_dir():
        return f"the destination {shown(file.dest)} is a file, but {shown(below)} lies below it"
    return None

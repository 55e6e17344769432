"""The run's own copy of a skill: what an agent may see of it, and nothing that grades it.

Made once per run, so that 40 MB of node_modules are read once and every trial sees the same skill, whatever happens to
the original meanwhile.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from skillgrade.errors import ProviderError, StorageError
from skillgrade.skill.contents import is_of_the_skill
from skillgrade.skill.model import Skill
from skillgrade.workspace.base import SkillSnapshot
from skillgrade.workspace.staging import inner_target, special_kind

SKILL_FOLDERS = (".claude/skills", ".agents/skills")
"""Where agents look for skills, relative to the workspace."""

_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Entry:
    path: PurePosixPath
    kind: Literal["file", "folder", "link"]
    mode: int


def snapshot_skill(skill: Skill, target: Path, own_files: frozenset[Path]) -> tuple[SkillSnapshot, tuple[str, ...]]:
    """Copy a skill without the eval's own files.

    Links are kept unless they leave the skill or lead to something that is left out; special files are left out. Modes
    (without set-user-ID bits) and times are kept.

    Args:
        skill: The skill.
        target: The folder to make; its parents are made too.
        own_files: Files and folders of the eval, absolute; whatever of them lies in the skill's folder is left out,
            but for SKILL.md.

    Returns:
        The copy, and one sentence for each thing that was left out though it is not the eval's.

    Raises:
        ProviderError: The skill cannot be read.
        StorageError: The copy cannot be written.
    """
    warnings: list[str] = []
    root = skill.folder.resolve()
    hidden = {target.absolute()} | {variant for path in own_files for variant in (path.resolve(), _real_place(path))}
    try:
        entries = sorted(_walk(root, hidden, warnings), key=lambda entry: entry.path)
        kept = {entry.path for entry in entries}
        links = {entry.path: _link_target(root, entry.path, kept) for entry in entries if entry.kind == "link"}
    except OSError as error:
        raise ProviderError(f"{error.filename}: the skill cannot be read: {error.strerror}") from error
    warnings += [
        f"{root / path}: left out of the skill, the link leads out of what the agent may see"
        for path, text in links.items()
        if text is None
    ]
    digest, size = _copy(root, target, entries, links)
    return SkillSnapshot(skill.name, target, digest, size), tuple(warnings)


def _real_place(path: Path) -> Path:
    return path.parent.resolve() / path.name


def _walk(root: Path, hidden: set[Path], warnings: list[str]) -> Iterator[_Entry]:
    pending = [PurePosixPath()]
    while pending:
        folder = pending.pop()
        with os.scandir(root / folder) as entries:
            for entry in entries:
                path = folder / entry.name
                if not is_of_the_skill(path) or (root / path in hidden and path != PurePosixPath("SKILL.md")):
                    continue
                mode = entry.stat(follow_symlinks=False).st_mode
                special = special_kind(mode)
                if special is not None:
                    warnings.append(f"{root / path}: left out of the skill, it is a {special}")
                elif stat.S_ISDIR(mode):
                    pending.append(path)
                    yield _Entry(path, "folder", stat.S_IMODE(mode) & 0o777)
                else:
                    yield _Entry(path, "link" if stat.S_ISLNK(mode) else "file", stat.S_IMODE(mode) & 0o777)


def _link_target(root: Path, path: PurePosixPath, kept: set[PurePosixPath]) -> str | None:
    text = inner_target(root / path, root)
    if text is None:
        return None
    try:
        end = (root / path).resolve(strict=True)
    except (FileNotFoundError, NotADirectoryError, RuntimeError):  # broken, or a loop: leads to nothing
        return text
    inner = PurePosixPath(end.relative_to(root).as_posix())
    return text if inner in kept or inner == PurePosixPath() else None


def _copy(root: Path, target: Path, entries: list[_Entry], links: dict[PurePosixPath, str | None]) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    try:
        target.mkdir(parents=True)
        for entry in entries:
            source, copy = root / entry.path, target / entry.path
            content = b""
            if entry.kind == "folder":
                copy.mkdir()
            elif entry.kind == "file":
                content, length = _copy_file(source, copy, entry.mode)
                size += length
            else:
                text = links[entry.path]
                if text is None:
                    continue
                copy.symlink_to(text)
                content = os.fsencode(text)
            for part in (entry.kind.encode(), os.fsencode(entry.path.as_posix()), b"%o" % entry.mode, content):
                digest.update(len(part).to_bytes(8, "big") + part)
        for entry in reversed(entries):
            if entry.kind == "folder":
                # The copy's owner must be able to read and remove it, whatever the original says.
                (target / entry.path).chmod(entry.mode | 0o700)
                _copy_times(root / entry.path, target / entry.path)
    except OSError as error:
        raise StorageError(f"{error.filename}: the skill cannot be copied: {error.strerror}") from error
    return f"sha256:{digest.hexdigest()}", size


def _copy_file(source: Path, copy: Path, mode: int) -> tuple[bytes, int]:
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as reader, copy.open("xb") as writer:
        while chunk := reader.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            writer.write(chunk)
    copy.chmod(mode | 0o400)
    _copy_times(source, copy)
    return digest.digest(), size


def _copy_times(source: Path, copy: Path) -> None:
    status = source.stat()
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))

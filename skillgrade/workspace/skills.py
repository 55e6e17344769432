"""The run's own copy of a skill: what an agent may see of it, and nothing that grades it.

Made once per run, so that every trial sees the same skill, whatever happens to the original meanwhile.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from skillgrade.errors import ProviderError, StorageError
from skillgrade.reading import reason
from skillgrade.skill.contents import SkillContents, skill_contents
from skillgrade.skill.model import Skill
from skillgrade.workspace.base import SkillSnapshot

SKILL_FOLDERS = (".claude/skills", ".agents/skills")
"""Where agents look for skills, relative to the workspace."""

_CHUNK = 1024 * 1024


def snapshot_skill(skill: Skill, target: Path, own_files: frozenset[Path]) -> tuple[SkillSnapshot, tuple[str, ...]]:
    """Copy a skill without the eval's own files, as `skill_contents` finds it; modes and times are kept.

    Args:
        skill: The skill.
        target: The folder to make; its parents are made too.
        own_files: Files and folders of the eval, absolute.

    Returns:
        The copy, and one sentence for each thing that was left out though it is not the eval's.

    Raises:
        ProviderError: The skill cannot be read.
        StorageError: The copy cannot be written.
    """
    try:
        contents = skill_contents(skill.folder, {*own_files, target.absolute()})
    except OSError as error:
        raise ProviderError(f"{error.filename}: the skill cannot be read: {reason(error)}") from error
    try:
        digest, size = _copy(contents, target)
    except OSError as error:
        raise StorageError(f"{error.filename}: the skill cannot be copied: {reason(error)}") from error
    return SkillSnapshot(skill.name, target, digest, size), contents.left_out


def _copy(contents: SkillContents, target: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    target.mkdir(parents=True)
    for entry in contents.entries:
        source, copy = contents.root / entry.path, target / entry.path
        content = os.fsencode(entry.target)
        if entry.kind == "folder":
            copy.mkdir()
        elif entry.kind == "file":
            content, length = _copy_file(source, copy, entry.mode)
            size += length
        else:
            copy.symlink_to(entry.target)
        for part in (entry.kind.encode(), os.fsencode(entry.path.as_posix()), b"%o" % entry.mode, content):
            digest.update(len(part).to_bytes(8, "big") + part)
    for entry in reversed(contents.entries):
        if entry.kind == "folder":
            # The copy's owner must be able to read and remove it, whatever the original says.
            (target / entry.path).chmod(entry.mode | 0o700)
            _copy_times(contents.root / entry.path, target / entry.path)
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

"""Large skills that trials on the host share: linked into each workspace instead of copied.

A link lets an agent write to what other trials read, so a shared copy is looked over after each trial: by paths, modes,
sizes and times, not contents, since it is large.
"""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

from skillgrade.errors import Stage, WorkspaceError
from skillgrade.reading import reason
from skillgrade.workspace.base import SkillSnapshot


class SharedSkills:
    """Remembers what shared copies looked like before any trial saw them. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._signatures: dict[Path, bytes] = {}

    def check(self, skill: SkillSnapshot, stage: Stage) -> None:
        """Make sure that a skill is what it was when it was first seen here.

        Raises:
            WorkspaceError: It is not.
        """
        try:
            signature = _signature(skill.folder)
        except OSError as error:
            raise WorkspaceError(f"{error.filename}: cannot be read: {reason(error)}", stage) from error
        with self._lock:
            first = self._signatures.setdefault(skill.folder, signature)
        if signature != first:
            raise WorkspaceError(
                f"the shared copy of the skill {skill.name} was changed by a trial, so what agents read in this run is "
                "no longer the skill: run again, with docker if agents must write to it",
                stage,
            )


def _signature(root: Path) -> bytes:
    digest = hashlib.sha256()
    pending = [str(root)]
    while pending:
        folder = pending.pop()
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                status = entry.stat(follow_symlinks=False)
                target = Path(entry.path).readlink() if entry.is_symlink() else ""
                seen = (entry.path, target, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
                digest.update(repr(seen).encode("utf-8", "surrogateescape"))
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
    return digest.digest()

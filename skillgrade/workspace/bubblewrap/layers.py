"""What sandboxes of a run share: their /etc, what set-ups left, and the layer of the skills below the workspace.

A layer stands for the skills in every trial. Trials never write to it: what a trial changes is copied up into its own
folder first, by the kernel. Its files are hard links to the run's copy of the skill where both lie on one file system.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from skillgrade.stop import Stop
from skillgrade.workspace.base import Exported, SkillSnapshot
from skillgrade.workspace.bubblewrap.system import make_etc
from skillgrade.workspace.export import Export, add_tree
from skillgrade.workspace.prefixes import Prefix
from skillgrade.workspace.skills import SKILL_FOLDERS
from skillgrade.workspace.staging import WORKSPACE_PATH
from skillgrade.workspace.temporary import make_temporary_folder
from skillgrade.workspace.tree import remove_tree

_PREFIX = "skillgrade"


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """What an environment's sandboxes share, on the host.

    Attributes:
        path: The folder.
    """

    path: Path

    @classmethod
    def make(cls, run: str) -> SharedFolder:
        """Make one.

        Raises:
            OSError: It cannot be made.
        """
        shared = cls(make_temporary_folder(run, "shared by sandboxes"))
        shared.etc.mkdir()
        make_etc(shared.etc)
        return shared

    @property
    def etc(self) -> Path:
        """What sandboxes see as /etc; a set-up may write to it."""
        return self.path / "etc"

    @property
    def opt(self) -> Path:
        """What set-ups put into /opt; there only where there was a set-up."""
        return self.path / "opt"

    @property
    def prefix(self) -> Prefix | None:
        """What a set-up installed; None where there was none."""
        prefix = Prefix(self.opt / _PREFIX, Path("/opt", _PREFIX))
        return prefix if prefix.folder.is_dir() else None

    def make_prefix(self) -> Prefix:
        """Make a place for set-ups.

        Raises:
            OSError: It cannot be made.
        """
        (self.opt / _PREFIX).mkdir(parents=True)
        return Prefix(self.opt / _PREFIX, Path("/opt", _PREFIX))

    def places(self) -> dict[str, Path]:
        """The absolute paths inside that it stands for, with what of it is there."""
        found = {"/etc": self.etc}
        if self.opt.is_dir():
            found |= {f"/opt/{entry.name}": entry for entry in sorted(self.opt.iterdir()) if not entry.is_symlink()}
        return found

    def skills_layer(self, skills: Sequence[SkillSnapshot]) -> Path:
        """The layer of some skills; made by the first trial that asks, in whichever process.

        Raises:
            OSError: It cannot be made.
        """
        key = hashlib.sha256(repr([(skill.name, skill.digest) for skill in skills]).encode()).hexdigest()[:16]
        layer = self.path / f"skills-{key}"
        if not layer.is_dir():
            being_made = self.path / f"skills-{key}-{uuid.uuid4().hex}"
            being_made.mkdir()
            for skill in skills:
                for place in SKILL_FOLDERS:
                    target = being_made / place / skill.name
                    shutil.copytree(skill.folder, target, symlinks=True, copy_function=_link_or_copy)
            with suppress(OSError):  # another trial was faster
                being_made.rename(layer)
            remove_tree(being_made)
        return layer


def export_layers(upper: Path, lower: Path, folder: Path, limit: int, stop: Stop) -> Exported:
    """Copy out what a workspace shows that lies on a layer; see `Workspace.export`.

    What was deleted from the lower layer is a character device 0,0 in the upper one, and a folder that was deleted and
    made again says so in an attribute (kernel: filesystems/overlayfs, "whiteouts and opaque directories").

    Args:
        upper: What the trial wrote.
        lower: The layer below.
        folder: An empty folder of ours.
        limit: Bytes of content that are copied.
        stop: Ends it early.

    Raises:
        Cancelled: The stop came.
    """
    export = Export(folder, WORKSPACE_PATH, limit, stop)
    add_tree(export, upper, lambda path: _is_whiteout(upper / path))
    add_tree(export, lower, lambda path: _hides(upper, path))
    return export.finish()


def _hides(upper: Path, path: str) -> bool:
    """Whether the upper layer has something instead of what the lower one has at a path."""
    there = upper / path
    if not os.path.lexists(there):
        return False
    if there.is_symlink() or not there.is_dir():
        return True
    return any(_attribute(there, f"{kind}.overlay.opaque") == b"y" for kind in ("user", "trusted"))


def _attribute(path: Path, name: str) -> bytes | None:
    try:
        return os.getxattr(path, name, follow_symlinks=False)
    except OSError:
        return None


def _is_whiteout(path: Path) -> bool:
    status = path.lstat()
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def _link_or_copy(source: str, target: str) -> str:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
    return target

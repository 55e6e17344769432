"""What sandboxes of a run share below their workspaces: the skills, copied once, in the place where agents look.

A layer stands for the skills in every trial. Trials never write to it: what a trial changes is copied up into its own
folder first, by the kernel. Its files are hard links to the run's copy of the skill where both lie on one file system.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from skillgrade.suite.model import PLAIN_USER_ID
from skillgrade.workspace.base import SkillSnapshot
from skillgrade.workspace.skills import SKILL_FOLDERS
from skillgrade.workspace.temporary import make_temporary_folder
from skillgrade.workspace.tree import remove_tree

HOME = "/home/agent"
"""The agent's home, as it sees it."""

_USER = PLAIN_USER_ID
_ACCOUNTS = {
    "passwd": f"root:x:0:0:root:/root:/bin/bash\nagent:x:{_USER}:{_USER}::{HOME}:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
    "group": f"root:x:0:\nagent:x:{_USER}:\nnogroup:x:65534:\n",
}


def make_shared_folder(run: str) -> Path:
    """Make the folder that an environment's sandboxes share, with the accounts that they see.

    Raises:
        OSError: It cannot be made.
    """
    folder = make_temporary_folder(run, "shared by sandboxes")
    (folder / "etc").mkdir()
    for name, content in _ACCOUNTS.items():
        (folder / "etc" / name).write_text(content, encoding="ascii")
    return folder


def account_options(shared: Path) -> list[str]:
    """The options that show the accounts."""
    return [word for name in _ACCOUNTS for word in ("--ro-bind", str(shared / "etc" / name), f"/etc/{name}")]


def skills_layer(shared: Path, skills: Sequence[SkillSnapshot]) -> Path:
    """The layer of some skills; made by the first trial that asks, in whichever process.

    Raises:
        OSError: It cannot be made.
    """
    key = hashlib.sha256(repr([(skill.name, skill.digest) for skill in skills]).encode()).hexdigest()[:16]
    layer = shared / f"skills-{key}"
    if not layer.is_dir():
        being_made = shared / f"skills-{key}-{uuid.uuid4().hex}"
        being_made.mkdir()
        for skill in skills:
            for place in SKILL_FOLDERS:
                shutil.copytree(
                    skill.folder, being_made / place / skill.name, symlinks=True, copy_function=_link_or_copy
                )
        with suppress(OSError):  # another trial was faster
            being_made.rename(layer)
        remove_tree(being_made)
    return layer


def _link_or_copy(source: str, target: str) -> str:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
    return target

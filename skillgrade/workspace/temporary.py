"""Temporary folders of a run, and who has to remove them.

A label in each says whose it is, so that a later run can remove what a killed one left.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from skillgrade.errors import ProviderError, Stage
from skillgrade.workspace.leftover import Leftover
from skillgrade.workspace.owner import Owner, is_mark_of_the_dead, this_process
from skillgrade.workspace.tree import remove_tree

_LABEL = "label.json"
_NAME = re.compile(r"-(?P<owner>[0-9a-f]{8}\.\d+\.[0-9a-f]{8})-[^-]*$")
_BLOCK = 512
"""Bytes in a unit of `st_blocks`, whatever the file system (inode(7))."""


def make_temporary_folder(run: str, purpose: str) -> Path:
    """Make a private folder.

    Args:
        run: The run's id.
        purpose: What it is for, such as a trial's name; for whoever finds it.

    Raises:
        OSError: It cannot be made.
    """
    folder = Path(tempfile.mkdtemp(prefix=_prefix(run))).resolve()
    label = {"run": run, "purpose": purpose, **dataclasses.asdict(this_process())}
    (folder / _LABEL).write_text(json.dumps(label), encoding="utf-8")
    return folder


def no_folder_error(error: OSError, stage: Stage = Stage.SETUP) -> ProviderError:
    """What to raise where a run's folder cannot be made or written to."""
    place = error.filename or Path(os.environ.get("TMPDIR", "/tmp"))  # noqa: S108 (only named in a message)
    return ProviderError(
        f"{place}: the workspace cannot be written: {error.strerror}; set TMPDIR to another place", stage
    )


def remove_temporary_folders(run: str) -> None:
    """Remove every folder of a run, as far as it can be."""
    for folder, label in _labelled():
        if label.get("run") == run:
            remove_tree(folder)


def dead_folders() -> Iterator[Leftover]:
    """What runs of this host left whose process is gone."""
    for folder, label in _labelled():
        try:
            is_dead = Owner(label["host"], label["pid"], label["started"]).is_gone()
        except (KeyError, TypeError):
            continue
        if is_dead:
            what = f"folder {folder} ({label.get('purpose')} of run {label.get('run')})"
            yield Leftover(what, partial(_size, folder), partial(remove_tree, folder))
    labelled = {folder for folder, _ in _labelled()}
    for folder in _own_folders():
        # Killed before it could label the folder, or while it removed it.
        name = _NAME.search(folder.name)
        if name and folder not in labelled and is_mark_of_the_dead(name["owner"]):
            yield Leftover(f"folder {folder}", partial(_size, folder), partial(remove_tree, folder))


def _size(folder: Path) -> int:
    """Bytes on the disk; what cannot be listed counts nothing."""
    total = 0
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            with suppress(OSError):
                total += (Path(parent) / name).lstat().st_blocks * _BLOCK
    return total


def _prefix(run: str) -> str:
    return f"skillgrade-{re.sub(r'[^A-Za-z0-9._-]', '_', run)[:80]}-{this_process().mark()}-"


def _labelled() -> Iterator[tuple[Path, dict[str, Any]]]:
    """The folders with a label."""
    for folder in _own_folders():
        try:
            label = json.loads((folder / _LABEL).read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(label, dict):
            yield folder, label


def _own_folders() -> Iterator[Path]:
    """The user's own folders; what another user planted is nobody's business here."""
    for folder in Path(tempfile.gettempdir()).glob("skillgrade-*"):
        with suppress(OSError):
            status = folder.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
                yield folder

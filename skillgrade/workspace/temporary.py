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
from pathlib import Path
from typing import Any

from skillgrade.errors import ProviderError, Stage
from skillgrade.workspace.owner import Owner, this_process
from skillgrade.workspace.tree import remove_tree

_LABEL = "label.json"


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


def sweep_dead_runs() -> tuple[Path, ...]:
    """Remove what runs of this host left whose process is gone; the answer is what was removed."""
    removed = []
    for folder, label in _labelled():
        try:
            dead = Owner(label["host"], label["pid"], label["started"]).is_gone()
        except KeyError:
            continue
        if dead and remove_tree(folder) is None:
            removed.append(folder)
    return tuple(removed)


def _prefix(run: str) -> str:
    return f"skillgrade-{re.sub(r'[^A-Za-z0-9._-]', '_', run)[:80]}-"


def _labelled() -> Iterator[tuple[Path, dict[str, Any]]]:
    """The folders with a label; others, and what another user planted, are nobody's business here."""
    for folder in Path(tempfile.gettempdir()).glob("skillgrade-*"):
        try:
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            label = json.loads((folder / _LABEL).read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(label, dict):
            yield folder, label

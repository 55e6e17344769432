"""Writing a refined skill back to where it came from."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Set
from pathlib import Path

from skillgrade.errors import UserError
from skillgrade.storage import storing


def apply(source: Path, changed: Iterable[str], folder: Path, own_files: Set[Path]) -> None:
    """Write files of a refined skill into its own folder; nothing else there is touched.

    All of them are looked at before the first is written.

    Args:
        source: The refined skill.
        changed: The files and links to write, or to remove where the refined skill has them no more.
        folder: The skill's own folder.
        own_files: Files and folders of the eval, absolute, which no refiner may write.

    Raises:
        UserError: A file would go to where the eval has its own, or out of the folder.
        StorageError: A file could not be written; those before it were.
    """
    root = folder.resolve()
    targets = {path: root / path for path in changed}
    for path, target in targets.items():
        if not target.parent.resolve().is_relative_to(root):
            raise UserError(f"{folder / path}: a link leads out of the skill here; copy {source / path} by hand")
        if any(target == own or target.is_relative_to(own) for own in own_files):
            raise UserError(f"{folder / path}: this file is the eval's; compare it with {source / path} by hand")
    for path, target in targets.items():
        with storing(target, "make room, or permit it"):
            target.unlink(missing_ok=True)
            if os.path.lexists(source / path):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source / path, target, follow_symlinks=False)

"""The files that a suite may refer to, and the border that keeps a downloaded eval from reading ``~/.ssh``.

The border is the git root around the eval; where there is none, the folder of the skill whose folder of evals the eval
lies in, or the eval's own folder. What lies outside, by its path
or by a link, is refused unless the user said ``--allow-outside``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillgrade.reading import UnreadableError, read_text, reason
from skillgrade.skill.discover import skill_folder_of

MAX_TEXT = 1024 * 1024
"""Bytes of a file that is read as an instruction, a rubric or a prompt."""

_LONGEST_PATH = 4096


@dataclass(frozen=True, slots=True)
class Scan:
    """What a walk through a referenced file or folder found.

    Attributes:
        fault: Why it may not be used; None when it may.
        files: Every regular file and link, absolute, in a fixed order.
        targets: What links in it point to, absolute and resolved, where that lies inside the border.
    """

    fault: str | None
    files: tuple[Path, ...] = ()
    targets: frozenset[Path] = frozenset()


class EvalFiles:
    """Finds and checks the files of one eval.

    Attributes:
        root: The folder of eval.yaml.
        border: Nothing outside this folder is used.
    """

    def __init__(self, root: Path, *, allow_outside: bool) -> None:
        self.root = root
        self.border = _git_root(root) or (skill_folder_of(root.resolve()) or root).resolve()
        self._allow_outside = allow_outside
        self._scans: dict[Path, Scan] = {}

    def find(self, reference: str, folders: Sequence[Path]) -> Path | None:
        """The first existing path that a reference names, relative to one of some folders; it may lie outside."""
        if not reference or "\n" in reference or len(reference) > _LONGEST_PATH:
            return None
        # Without this, `~/.ssh/id_rsa` would be reported as missing instead of as refused.
        expanded = os.path.expanduser(reference) if reference.startswith("~") else reference  # noqa: PTH111
        for folder in folders:
            path = Path(os.path.normpath(folder / expanded))
            # Both spellings must exist, or `bash graders/../graders/check.sh` as a whole would name a file.
            if _exists(folder / expanded) and _exists(path):
                return path
        return None

    def leaves(self, path: Path) -> bool:
        """Whether a path, with its links followed, lies outside the border."""
        return not self._allow_outside and not Path(os.path.realpath(path)).is_relative_to(self.border)

    def scan(self, path: Path) -> Scan:
        """Look at a file, or at everything in a folder; each path is looked at once."""
        if path not in self._scans:
            self._scans[path] = self._scan(path)
        return self._scans[path]

    def read(self, path: Path) -> str:
        """The text of a file, without white space around it.

        Raises:
            UnreadableError: It cannot be read, or lies outside the border.
        """
        fault = self.scan(path).fault
        if fault:
            raise UnreadableError(fault)
        return read_text(path, MAX_TEXT).strip()

    def shown(self, path: Path) -> str:
        """A path as messages name it: relative to the eval where it lies in it."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    def _scan(self, path: Path) -> Scan:
        files: list[Path] = []
        targets: set[Path] = set()
        for entry in _walk(path):
            fault = self._fault(entry, is_top=entry == path)
            if fault:
                inside = "" if entry == path else f"{entry.relative_to(path).as_posix()} in it "
                return Scan(inside + fault)
            if entry.is_symlink():
                targets.add(Path(os.path.realpath(entry)))
            if entry.is_symlink() or not entry.is_dir():
                files.append(entry)
        return Scan(None, tuple(files), frozenset(targets))

    def _fault(self, path: Path, *, is_top: bool) -> str | None:
        if (is_top or path.is_symlink()) and self.leaves(path):
            return f"lies outside {self.border}; pass --allow-outside if it may be read"
        try:
            mode = path.stat().st_mode
        except OSError as error:
            # Inside a folder links are kept as they are, also those that only lead somewhere in the workspace.
            broken = f"is a link that leads nowhere ({reason(error)})" if path.is_symlink() else reason(error)
            return broken if is_top or not path.is_symlink() else None
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            return "is neither a file nor a folder"
        needed = os.R_OK | os.X_OK if stat.S_ISDIR(mode) else os.R_OK
        return None if os.access(path, needed) else "cannot be read: Permission denied"


def _walk(path: Path) -> Iterator[Path]:
    """A path, and everything below it where it is a folder; links inside are not followed."""
    yield path
    if path.is_dir():
        for folder, folders, files in os.walk(path):
            folders.sort()
            links = [name for name in folders if Path(folder, name).is_symlink()]
            yield from (Path(folder, name) for name in sorted((*folders, *files)) if name not in links)
            yield from (Path(folder, name) for name in links)


def _exists(path: Path) -> bool:
    try:
        path.lstat()
    except (OSError, ValueError):
        return False
    return True


def _git_root(folder: Path) -> Path | None:
    start = folder.resolve()
    return next((parent for parent in (start, *start.parents) if (parent / ".git").exists()), None)

"""The versions of a skill that a refinement has made: each a whole copy, so that any of them can be the best one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

from skillgrade.errors import SuiteError
from skillgrade.skill.contents import skill_contents
from skillgrade.skill.discover import SKILL_FILE
from skillgrade.skill.frontmatter import read_skill
from skillgrade.skill.model import Skill
from skillgrade.storage import storing
from skillgrade.wording import shown
from skillgrade.workspace.skills import snapshot_skill
from skillgrade.workspace.temporary import make_temporary_folder, remove_temporary_folders


class Versions:
    """The versions of one skill, below a folder.

    Args:
        root: The folder; made when the first version is kept.
        name: The skill's name.
    """

    def __init__(self, root: Path, name: str) -> None:
        self._root = root
        self._name = name

    def folder(self, version: int) -> Path:
        """Where a version is."""
        return self._root / str(version) / self._name

    def skill(self, version: int) -> Skill:
        """A version.

        Raises:
            SuiteError: It is not there any more.
        """
        return read_skill(self.folder(version) / SKILL_FILE)

    def keep(self, version: int, folder: Path, own_files: Set[Path] = frozenset()) -> str:
        """Keep a folder as a version, without what does not belong to a skill.

        Args:
            version: Its number.
            folder: The folder of SKILL.md.
            own_files: Files and folders of the eval in it, absolute.

        Returns:
            Its digest.

        Raises:
            ProviderError: The folder cannot be read.
            StorageError: The copy cannot be written.
        """
        target = self.folder(version)
        with storing(target):
            shutil.rmtree(target.parent, ignore_errors=True)  # of a session that was killed while it copied
        snapshot, _ = snapshot_skill(Skill(self._name, "", folder), target, frozenset(own_files))
        return snapshot.digest

    def drop(self, version: int) -> None:
        """Forget a version that nothing came of."""
        shutil.rmtree(self.folder(version).parent, ignore_errors=True)

    @contextmanager
    def working_copy(self, version: int, refinement: str) -> Iterator[Path]:
        """A copy of a version to work on, far from the eval; it is gone afterwards.

        Args:
            version: The version.
            refinement: The refinement's id, by which what a killed one left is found.

        Raises:
            StorageError: It cannot be made.
        """
        with storing(self.folder(version)):
            place = make_temporary_folder(refinement, "a skill that is being refined")
        try:
            snapshot, _ = snapshot_skill(self.skill(version), place / self._name, frozenset())
            yield snapshot.folder
        finally:
            remove_temporary_folders(refinement)

    def fault(self, version: int) -> str | None:
        """Why a version cannot be used as the skill; None where it can."""
        try:
            skill = self.skill(version)
        except SuiteError as error:
            where = str(self.folder(version))
            return "; ".join(str(problem).replace(where, self._name) for problem in error.problems)
        if skill.name != self._name:
            return f"the frontmatter of {SKILL_FILE} calls it {shown(skill.name)}; its name must stay {self._name}"
        return None

    def changed(self, old: int, new: int) -> tuple[str, ...]:
        """The files and links that differ between two versions, by their paths in the skill, sorted."""
        before, after = _files(self.folder(old)), _files(self.folder(new))
        return tuple(sorted(path for path in {*before, *after} if before.get(path) != after.get(path)))


def _files(folder: Path) -> dict[str, tuple[object, ...]]:
    """What the files and links of a skill are, by path."""
    contents = skill_contents(folder, ())
    return {
        entry.path.as_posix(): (entry.kind, entry.mode & 0o111, entry.target)
        if entry.kind == "link"
        else (entry.kind, entry.mode & 0o111, (contents.root / entry.path).read_bytes())
        for entry in contents.entries
        if entry.kind != "folder"
    }

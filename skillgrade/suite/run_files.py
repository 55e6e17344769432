"""Which files of the eval go along with a deterministic grader.

`run` names them as anybody would in a shell: each relative path in it that exists brings its whole top folder (a grader
may load what lies beside it), or itself where it stands at the top. What the task's own workspace provides under such a
path is the agent's work, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.model import GraderFile, WorkspaceFile
from skillgrade.suite.references import GRADING_FOLDERS, References, inside_path
from skillgrade.wording import shown
from skillgrade.yaml_values import Mark

_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_QUOTED = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_BARE = re.compile(r"[^\s'\"`;|&()<>$={},:\\]+")


@dataclass(frozen=True, slots=True)
class RunScope:
    """What `run` is read against.

    Attributes:
        task: Where the task stands.
        workspace: What the task puts into its workspace.
    """

    task: Mark
    workspace: Sequence[WorkspaceFile]


@dataclass(frozen=True, slots=True)
class RunFiles:
    """Collects the files of one grader.

    Attributes:
        scope: What `run` is read against.
        references: Finds the files, and gets the problems.
        files: What was collected, by destination.
    """

    scope: RunScope
    references: References
    files: dict[str, GraderFile] = field(default_factory=dict)

    def add_run(self, cursor: Cursor, text: str) -> None:
        """Bring what a command or script names."""
        folders = self.references.folders(self.scope.task, cursor.mark)
        for token in dict.fromkeys(_tokens(text)):
            dest = inside_path(token)
            if dest is None:
                self._warn_outside(cursor, token, folders)
            elif not self._is_provided(dest):
                folder = next((one for one in folders if self.references.files.find(dest, [one])), None)
                if folder is not None:
                    self._bring(cursor, folder, dest)

    def add_script(self, cursor: Cursor, text: str, path: Path) -> str:
        """Bring the one script that `run` names: at the place that is written, or at the top where that has no place.

        Returns:
            Its place in the workspace.
        """
        dest = inside_path(text)
        if dest is None:
            self._put(cursor, path, path.name)
            self.references.claim(path)
            return path.name
        folders = self.references.folders(self.scope.task, cursor.mark)
        self._bring(cursor, next(one for one in folders if self.references.files.find(dest, [one]) == path), dest)
        return dest

    def add_listed(self, cursor: Cursor) -> None:
        """Bring a path of `files`."""
        text = cursor.text()
        if text is None:
            return
        dest = inside_path(text)
        if dest is None:
            message = (
                f"{shown(text)} must be a path below the eval's folder, because it gets the same place in the workspace"
            )
            self.references.findings.error(cursor.mark, cursor.path, message)
            return
        path = self.references.path(cursor, self.scope.task)
        if path is not None:
            self.references.claim(path)
            self.files.pop(dest, None)
            self.files[dest] = GraderFile(path, dest)

    def _bring(self, cursor: Cursor, folder: Path, dest: str) -> None:
        """Bring the top folder of a path; the path alone where the folder would cover something else."""
        top = dest.split("/", 1)[0]
        source = folder / top
        if top == dest:
            self._put(cursor, source, top)
            self._claim(source, source)
            return
        taken = self.files.get(top)
        covered = next((file.dest for file in self.scope.workspace if _overlap(file.dest, top)), None)
        if covered is not None:
            message = (
                f"names {shown(dest)}; only that goes along, because the workspace has {shown(covered)} in its folder"
            )
            self.references.findings.warn(cursor.mark, cursor.path, message)
        if covered is not None or (taken is not None and taken.src != source):
            self._put(cursor, folder / dest, dest)
            self.references.claim(folder / dest)
            return
        self._put(cursor, source, top)
        self._claim(source, folder / dest)

    def _put(self, cursor: Cursor, source: Path, dest: str) -> None:
        fault = self.references.files.scan(source).fault
        if fault is not None:
            message = f"names {shown(dest)}, but {fault if source.is_dir() else f'it {fault}'}"
            self.references.findings.error(cursor.mark, cursor.path, message)
            return
        self.files.setdefault(dest, GraderFile(source, dest))
        self.references.contents.add(source)

    def _claim(self, top: Path, named: Path) -> None:
        """Count a whole top folder as the eval's own, unless it may well be a part of the skill."""
        refs = self.references
        is_own = not refs.holds_skill(top) and (refs.skill_around(top) is None or top.name in GRADING_FOLDERS)
        refs.claim(top if is_own else named)

    def _is_provided(self, dest: str) -> bool:
        return any(_overlap(file.dest, dest) for file in self.scope.workspace)

    def _warn_outside(self, cursor: Cursor, token: str, folders: Sequence[Path]) -> None:
        if token.startswith("../") and self.references.files.find(token, folders):
            message = (
                f"names {shown(token)}, which has no place in the workspace; write it relative to the eval's folder"
            )
            self.references.findings.warn(cursor.mark, cursor.path, message)


def _tokens(text: str) -> Iterator[str]:
    """What could be a path in a command or script: it has a slash or a dot, and is no option."""
    code = _COMMENT.sub("", text)
    quoted = (first or second for first, second in _QUOTED.findall(code))
    for token in (*quoted, *_BARE.findall(code)):
        if ("/" in token or "." in token) and not token.startswith("-"):
            yield token


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")

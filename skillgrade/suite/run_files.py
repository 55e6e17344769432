"""Which files of the eval go along with a deterministic grader.

`run` names them as anybody would in a shell: each relative path in it that exists brings its whole top folder (a grader
may load what lies beside it), or itself where it stands at the top. What the task's own workspace provides under such a
path is the agent's work, and stays, unless it is the very script that decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.missing_scripts import note_missing_scripts
from skillgrade.suite.model import GraderFile, WorkspaceFile
from skillgrade.suite.references import GRADING_FOLDERS, References, inside_path
from skillgrade.suite.run_words import only_program, path_words, programs
from skillgrade.wording import shown
from skillgrade.yaml_values import Mark

_LOADS_FROM_BESIDE = (".py", ".js", ".mjs", ".cjs", ".ts")
"""Scripts whose interpreters look for modules in the script's own folder."""


@dataclass(frozen=True, slots=True)
class RunScope:
    """What `run` is read against.

    Attributes:
        task: Where the task stands.
        workspace: What the task puts into its workspace.
        instruction: What the agent is told.
    """

    task: Mark
    workspace: Sequence[WorkspaceFile]
    instruction: str


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
        program = only_program(text)
        for token in dict.fromkeys(path_words(text)):
            dest = inside_path(token)
            if dest is None:
                self._warn_outside(cursor, token, folders)
                continue
            folder = next((one for one in folders if self.references.files.find(dest, [one])), None)
            if folder is None:
                continue
            if not any(file.overlaps(dest) for file in self.scope.workspace):
                self._bring(cursor, folder, dest)
            elif token == program:
                self._put_back(cursor, folder / dest, dest)
        self._warn_of_neighbours(cursor, text)
        note_missing_scripts(cursor, self.scope.workspace, self.scope.instruction, folders, self.references)

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
        covered = next((file.dest for file in self.scope.workspace if file.overlaps(top)), None)
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

    def _put_back(self, cursor: Cursor, source: Path, dest: str) -> None:
        """Bring the one script that decides also where the agent was given it; anything else given is its work."""
        given = (file.source_of(dest) for file in self.scope.workspace)
        if not source.is_file() or not any(one is not None and one.exists() and one.samefile(source) for one in given):
            return
        self._put(cursor, source, dest)
        message = (
            f"names {shown(dest)}, which the workspace gives to the agent; the eval's own is put back before grading, "
            "but not what it loads: keep graders in a folder of their own, such as graders/"
        )
        self.references.findings.warn(cursor.mark, cursor.path, message)

    def _warn_of_neighbours(self, cursor: Cursor, text: str) -> None:
        for program in programs(text):
            dest = inside_path(program.path)
            brought = self.files.get(dest or "")
            if brought is None or brought.src.suffix not in _LOADS_FROM_BESIDE or program.isolated:
                continue
            message = (
                f"runs {shown(dest)} where the agent works, and could load modules that the agent puts beside it; "
                "keep it in a folder of its own, such as graders/"
            )
            self.references.findings.warn(cursor.mark, cursor.path, message)

    def _warn_outside(self, cursor: Cursor, token: str, folders: Sequence[Path]) -> None:
        if token.startswith("../") and self.references.files.find(token, folders):
            message = (
                f"names {shown(token)}, which has no place in the workspace; write it relative to the eval's folder"
            )
            self.references.findings.warn(cursor.mark, cursor.path, message)

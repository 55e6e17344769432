"""A trial's folder on the host as a workspace: commands, files in and out.

The folder holds `workspace`, `home`, `tmp`, and, once something goes in, `control` and `root` (the trial's private
stand-in for absolute destinations). Graders get a home and a root of their own, made when they start, which no agent
has seen. Folders are made only when needed: removing them is what a trial's end costs most.
"""

from __future__ import annotations

import os
import posixpath
import secrets
from collections.abc import Sequence
from pathlib import Path

from skillgrade.errors import Stage
from skillgrade.stop import Stop
from skillgrade.workspace.base import (
    Command,
    CommandResult,
    Exported,
    Place,
    SkillSnapshot,
    StagedFile,
    Workspace,
    WorkspaceSpec,
)
from skillgrade.workspace.export import export_tree
from skillgrade.workspace.grader_environment import git_variables
from skillgrade.workspace.local.shared_skills import SharedSkills
from skillgrade.workspace.prefixes import Prefix
from skillgrade.workspace.skills import SKILL_FOLDERS
from skillgrade.workspace.staging import FIXED_TIME, Item, flatten
from skillgrade.workspace.tree import Tree
from skillgrade.workspace.trial_folder import TrialFolder, command_result

_COPIED_SKILL = 1024 * 1024
"""Bytes up to which each trial gets a copy of a skill; a larger one is linked."""

_BIN_NAMES = frozenset({"bin", "sbin"})
_STANDARD_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SHOWN_PATHS = 5


class LocalWorkspace:
    """One trial's folder; see `Workspace`.

    Args:
        folder: Where the trial happens; this workspace's from now on.
        spec: What goes in.
        shared: Watches over skills that are linked.
    """

    def __init__(self, folder: TrialFolder, spec: WorkspaceSpec, shared: SharedSkills) -> None:
        self._folder = folder
        self._spec = spec
        self._shared = shared
        self._linked: list[SkillSnapshot] = []
        self._system_items: list[Item] = []

    @property
    def path(self) -> str:
        """See `Workspace.path`."""
        return str(self._folder.trees[Place.WORKSPACE].root)

    @property
    def control(self) -> str:
        """See `Workspace.control`."""
        return str(self._folder.trees[Place.CONTROL].root)

    @property
    def notes(self) -> Sequence[str]:
        """See `Workspace.notes`."""
        return tuple(self._folder.notes)

    def fill(self, stop: Stop) -> None:
        """Put in what the spec names, before any command runs.

        Raises:
            WorkspaceError: A destination is wrong, or a shared skill was changed.
            OSError: It cannot be written.
            Cancelled: The stop came.
        """
        for name in ("home", "tmp"):
            (self._folder.path / name).mkdir(mode=0o700)
        self._folder.trees[Place.WORKSPACE].restore()
        copied: list[StagedFile] = []
        linked: list[tuple[SkillSnapshot, list[str]]] = []
        for skill in self._spec.skills:
            places = [f"{folder}/{skill.name}" for folder in SKILL_FOLDERS]
            if skill.size <= _COPIED_SKILL or _is_written_to(places, self._spec.files):
                copied += [StagedFile(place, src=skill.folder) for place in places]
            else:
                linked.append((skill, places))
        self._write([*copied, *self._spec.files], stop)
        for skill, places in linked:
            self._link(skill, places, stop)
        if self._spec.network == "none":
            self._folder.notes.append("network: none has no effect in provider local")

    def run(self, command: Command, stop: Stop) -> CommandResult:
        """Run a command; see `Workspace.run`."""
        with self._folder.running(command) as stage:
            env = {**(self._grader_env(stop) if command.privileged else self._agent_env()), **command.env}
            if command.privileged:
                env |= git_variables()
            result = self._folder.slot.run(
                command.argv,
                env=env,
                cwd=self._folder.trees[Place.WORKSPACE].root,
                stdin=command.stdin,
                stdout=command.stdout,
                stderr=command.stderr,
                timeout=command.timeout,
                stop=stop,
                stage=stage,
            )
            if result.start_error is not None:
                command.stderr.feed(os.fsencode(f"{result.start_error}\n"))
            return command_result(command, result)

    def end_processes(self) -> None:
        """Make sure that nothing runs, and that shared skills are whole; see `Workspace.end_processes`."""
        self._folder.end_processes()
        for skill in self._linked:
            self._shared.check(skill, Stage.COLLECT)

    def put(self, files: Sequence[StagedFile]) -> tuple[str, ...]:
        """Put files in over whatever is there; see `Workspace.put`."""
        with self._folder.entered(Stage.GRADE):
            return self._write(files, Stop())

    def read(self, path: str, limit: int) -> bytes | None:
        """Read a file; see `Workspace.read`."""
        return self._folder.trees[Place.WORKSPACE].read(path, limit)

    def export(self, folder: Path, limit: int, stop: Stop) -> Exported:
        """Copy its files out; see `Workspace.export`."""
        root = self._folder.trees[Place.WORKSPACE].root
        linked = {f"{place}/{skill.name}": skill for skill in self._linked for place in SKILL_FOLDERS}

        def is_shared(path: str) -> bool:
            return path in linked and _leads_to(root / path) == _target(linked[path])

        with self._folder.entered(Stage.COLLECT):
            return export_tree(root, self.path, folder, limit, stop, is_shared)

    def for_graders(self, fresh: bool) -> Workspace:
        """This workspace; see `Workspace.for_graders`."""
        return self

    def close(self) -> None:
        """End the trial's processes and remove its folder; see `Workspace.close`."""
        self._folder.close()

    def _write(self, files: Sequence[StagedFile], stop: Stop) -> tuple[str, ...]:
        items = flatten(files, self._folder.notes.append)
        given_way = self._folder.write(items, stop)
        system = [item for item in items if item.place is Place.SYSTEM]
        self._system_items += system
        named = [item.path for item in system if item.named]
        if named:
            more = f" and {len(named) - _SHOWN_PATHS} more" if len(named) > _SHOWN_PATHS else ""
            self._folder.notes.append(
                f"{', '.join(named[:_SHOWN_PATHS])}{more}: put into a private root of the trial, whose bin folders "
                "lead the PATH; nothing is at the absolute path"
            )
        return given_way

    def _link(self, skill: SkillSnapshot, places: Sequence[str], stop: Stop) -> None:
        self._shared.check(skill, Stage.SETUP)
        self._linked.append(skill)
        target = _target(skill)
        links = [Item(place, Place.WORKSPACE, "link", 0o777, FIXED_TIME, target=target, named=True) for place in places]
        self._folder.trees[Place.WORKSPACE].write(links, stop)

    def _agent_env(self) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in ("LANG", "TERM", "TZ") if name in os.environ}
        home = Path.home() if self._spec.agent_home == "user" else self._folder.path / "home"
        return {**inherited, **self._env(home, self._folder.path / "tmp", self._folder.path / "root")}

    def _grader_env(self, stop: Stop) -> dict[str, str]:
        # Names that nobody could know before.
        home, temporary, root = (
            self._folder.path / f"grader-{name}-{secrets.token_hex(8)}" for name in ("home", "tmp", "root")
        )
        for folder in (home, temporary):
            folder.mkdir(mode=0o700)
        if self._system_items:
            tree = Tree(root)
            tree.restore()
            tree.write(self._system_items, stop)
        return {"LANG": "C.UTF-8", **self._env(home, temporary, root)}

    def _env(self, home: Path, temporary: Path, root: Path) -> dict[str, str]:
        folders = dict.fromkeys(
            posixpath.dirname(item.path)
            for item in self._system_items
            if item.kind != "folder" and posixpath.basename(posixpath.dirname(item.path)) in _BIN_NAMES
        )
        lead = [str(root / folder.lstrip("/")) for folder in folders]
        reference = self._spec.prepared.reference
        prefix = Prefix(Path(reference), Path(reference)) if reference else None
        if prefix is not None:
            lead += prefix.bins()
        return {
            **({} if prefix is None else prefix.env()),
            # The runner's own PATH, since no command could have set it, and tools live in many places on a host.
            "PATH": os.pathsep.join([*lead, os.environ.get("PATH", _STANDARD_PATH)]),
            "HOME": str(home),
            "TMPDIR": str(temporary),
        }


def _target(skill: SkillSnapshot) -> str:
    """What the link to a shared skill says."""
    return str(skill.folder.absolute())


def _leads_to(path: Path) -> str | None:
    return str(path.readlink()) if path.is_symlink() else None


def _is_written_to(places: Sequence[str], files: Sequence[StagedFile]) -> bool:
    """Whether a file of the task goes into a skill, or over it: then the skill cannot be a link."""
    paths = [item.path for item in flatten(files, lambda _warning: None) if item.place is Place.WORKSPACE]
    return any(place in paths for place in places)

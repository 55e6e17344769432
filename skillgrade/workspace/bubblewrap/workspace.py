"""A trial's sandbox as a workspace: commands, files in and out, the graders' turn.

Each command gets a sandbox of its own, made of the same folders of the trial: the workspace, a home and a temporary
folder. Below the workspace lies the layer of the skills, and what the trial changes of it goes into the trial's own
folder. Commands of graders see what the agent left, write into a folder of their own on top, and have their own home.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from skillgrade.capture import OutputSink
from skillgrade.errors import Stage, WorkspaceError
from skillgrade.stop import Stop
from skillgrade.workspace.base import Command, CommandResult, Exported, Place, StagedFile, Workspace, WorkspaceSpec
from skillgrade.workspace.bubblewrap.binary import Bubblewrap
from skillgrade.workspace.bubblewrap.command import SandboxedCommand, SandboxedResult, run_sandboxed
from skillgrade.workspace.bubblewrap.destinations import place_options, split_destinations
from skillgrade.workspace.bubblewrap.host_programs import is_of_system
from skillgrade.workspace.bubblewrap.layers import SharedFolder, export_layers
from skillgrade.workspace.bubblewrap.limited_slot import LimitedSlot
from skillgrade.workspace.bubblewrap.programs import ShownPrograms
from skillgrade.workspace.bubblewrap.system import HOME, isolation_options, system_options
from skillgrade.workspace.export import export_tree
from skillgrade.workspace.gateway.address import FOLDER
from skillgrade.workspace.gateway.bridged import bridged
from skillgrade.workspace.grader_environment import git_variables
from skillgrade.workspace.prefixes import CERTIFICATES
from skillgrade.workspace.skills import SKILL_FOLDERS
from skillgrade.workspace.staging import CONTROL_PATH, WORKSPACE_PATH, Item, flatten
from skillgrade.workspace.tree import Tree
from skillgrade.workspace.trial_folder import TrialFolder, command_result

_GRADERS_HOME = "/home/grader"
_READ = Path(__file__).parent.with_name("read-file.sh")
_READ_SECONDS = 60.0
_NO_SUCH_FILE = 3


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a trial's sandboxes share with others.

    Attributes:
        bwrap: The program that makes them.
        shared: The folder of the environment.
        lower: The layer below the workspace: skills, or nothing.
        programs: Finds programs outside of the system's folders.
    """

    bwrap: Bubblewrap
    shared: SharedFolder
    lower: Path
    programs: ShownPrograms


class BubblewrapWorkspace:
    """One trial's sandboxes; see `Workspace`.

    Args:
        folder: Where the trial happens on the host; this workspace's from now on.
        slot: Runs its commands; the folder's own.
        spec: What goes in.
        around: What it shares with others.
    """

    path = WORKSPACE_PATH
    control = CONTROL_PATH

    def __init__(self, folder: TrialFolder, slot: LimitedSlot, spec: WorkspaceSpec, around: Surroundings) -> None:
        self._folder = folder
        self._slot = slot
        self._spec = spec
        self._around = around
        self._system_items: list[Item] = []

    @property
    def notes(self) -> Sequence[str]:
        """See `Workspace.notes`."""
        return tuple(self._folder.notes)

    def fill(self, stop: Stop) -> None:
        """Put in what the spec names, before any command runs.

        Raises:
            WorkspaceError: A destination is wrong or cannot be had.
            OSError: It cannot be written.
            Cancelled: The stop came.
        """
        for name in ("home", "tmp"):
            (self._folder.path / name).mkdir(mode=0o700)
        self._folder.trees[Place.WORKSPACE].restore()
        copied: list[StagedFile] = []
        if self._around.bwrap.has_overlays:
            (self._folder.path / "work").mkdir()
        else:
            places = [(f"{folder}/{skill.name}", skill) for skill in self._spec.skills for folder in SKILL_FOLDERS]
            copied += [StagedFile(place, src=skill.folder) for place, skill in places]
        self._write([*copied, *self._spec.files], stop)
        self._places()  # what cannot be shown must fail now, not with the first command

    def run(self, command: Command, stop: Stop) -> CommandResult:
        """Run a command; see `Workspace.run`."""
        with self._folder.running(command) as stage:
            result = self._sandboxed(command, self._workspace_mount(command.privileged), stop, stage)
            if not result.started:
                self._say_where_it_is(command)
            ended = command_result(command, result.process)
        return CommandResult(
            ended.exit_code,
            ended.timed_out,
            ended.duration,
            ended.stdout,
            ended.stderr,
            result.out_of_memory,
            not result.started,
        )

    def end_processes(self) -> None:
        """Make sure that nothing runs; see `Workspace.end_processes`."""
        self._folder.end_processes()

    def put(self, files: Sequence[StagedFile]) -> tuple[str, ...]:
        """Put files in over whatever is there; see `Workspace.put`."""
        with self._folder.entered(Stage.GRADE):
            return self._write(files, Stop())

    def read(self, path: str, limit: int) -> bytes | None:
        """Read a file; see `Workspace.read`."""
        if "\0" in path:
            return None
        answer = OutputSink(self._folder.path / "read.out", 2 * limit)  # half of what a sink keeps is the beginning
        command = Command(
            ("bash", "-c", _READ.read_text(encoding="utf-8"), "bash", WORKSPACE_PATH, path, str(limit)),
            stdout=answer,
            stderr=OutputSink(self._folder.path / "read.err"),
            timeout=_READ_SECONDS,
            privileged=True,
        )
        with self._folder.running(command):
            result = self._sandboxed(command, self._workspace_mount(privileged=False), Stop(), Stage.COLLECT)
        if result.process.exit_code == _NO_SUCH_FILE:
            return None
        if result.process.exit_code != 0:
            raise WorkspaceError(f"{path}: cannot be read in the workspace", Stage.COLLECT)
        return answer.path.read_bytes()

    def export(self, folder: Path, limit: int, stop: Stop) -> Exported:
        """Copy its files out; see `Workspace.export`."""
        with self._folder.entered(Stage.COLLECT):
            upper = self._folder.trees[Place.WORKSPACE].root
            if not self._around.bwrap.has_overlays:
                return export_tree(upper, WORKSPACE_PATH, folder, limit, stop, lambda _path: False)
            return export_layers(upper, self._around.lower, folder, limit, stop)

    def for_graders(self, fresh: bool) -> Workspace:
        """This workspace, since every command gets a fresh sandbox; see `Workspace.for_graders`."""
        return self

    def close(self) -> None:
        """End the trial's processes and remove its folder; see `Workspace.close`."""
        for work in ("work", "graders/work"):
            with suppress(OSError):  # the kernel leaves a folder that cannot be entered, which would slow the removal
                (self._folder.path / work / "work").chmod(0o700)
        self._folder.close()

    def _write(self, files: Sequence[StagedFile], stop: Stop) -> tuple[str, ...]:
        items, own = split_destinations(flatten(files, self._folder.notes.append))
        given_way = self._folder.write(items, stop)
        for name, inside in own.items():
            Tree(self._folder.path / name).write(inside, stop)
        self._system_items += [item for item in items if item.place is Place.SYSTEM]
        upper = self._folder.trees[Place.WORKSPACE].root
        for item in items:
            replaces = item.place is Place.WORKSPACE and item.kind == "folder" and item.named and item.path
            if replaces and (self._around.lower / item.path).is_dir():
                # What the layer below holds at that path must not show through.
                os.setxattr(upper / item.path, "user.overlay.opaque", b"y")
        return given_way

    def _sandboxed(self, command: Command, mount: Sequence[str], stop: Stop, stage: Stage) -> SandboxedResult:
        shown = self._around.programs.of(command.argv)
        gateway = None if command.privileged else self._spec.gateway
        env = {**self._env(command.privileged, shown), **command.env, **(git_variables() if command.privileged else {})}
        options = [
            *isolation_options(self._spec.network),
            *system_options(),
            *self._places(),
            *self._trial_folders(command.privileged),
            *(word for path in shown for word in ("--ro-bind", str(path), str(path))),
            *_certificates(env),
            *(() if gateway is None else ("--ro-bind", str(gateway), FOLDER)),
            *mount,
            *("--remount-ro", "/", "--chdir", WORKSPACE_PATH),
        ]
        return run_sandboxed(
            self._slot,
            SandboxedCommand(
                bwrap=self._around.bwrap.path,
                options=options,
                env=env,
                argv=command.argv if gateway is None else bridged(command.argv),
                stdin=command.stdin,
                stdout=command.stdout,
                stderr=command.stderr,
                timeout=command.timeout,
                limits=self._spec.limits,
            ),
            stop,
            stage,
        )

    def _trial_folders(self, privileged: bool) -> list[str]:
        folder = self._folder.path
        options = ["--bind", str(folder / "tmp"), "/tmp", "--bind", str(folder / "home"), HOME]  # noqa: S108 - inside
        if privileged:
            graders = folder / "graders"
            for name in ("home", "tmp", "upper", "work"):
                (graders / name).mkdir(parents=True, exist_ok=True)
            options += ["--bind", str(graders / "home"), _GRADERS_HOME, "--bind", str(graders / "tmp"), "/var/tmp"]  # noqa: S108 - inside
        else:
            options += ["--symlink", "/tmp", "/var/tmp"]  # noqa: S108 - inside
            if self._spec.agent_home == "user":
                options += ["--bind", str(Path.home()), str(Path.home())]
        return [*options, "--ro-bind-try", str(folder / "control"), CONTROL_PATH]

    def _places(self) -> list[str]:
        root = self._folder.trees[Place.SYSTEM].root
        shared = self._around.shared.places()
        return list(place_options(self._system_items, root, shared, self._around.bwrap.has_overlays))

    def _workspace_mount(self, privileged: bool) -> list[str]:
        upper = str(self._folder.trees[Place.WORKSPACE].root)
        if not self._around.bwrap.has_overlays:
            return ["--bind", upper, WORKSPACE_PATH]
        below = ["--overlay-src", str(self._around.lower)]
        if not privileged:
            return [*below, "--overlay", upper, str(self._folder.path / "work"), WORKSPACE_PATH]
        graders = self._folder.path / "graders"
        return [
            *below,
            "--overlay-src",
            upper,
            "--overlay",
            str(graders / "upper"),
            str(graders / "work"),
            WORKSPACE_PATH,
        ]

    def _env(self, privileged: bool, shown: Sequence[Path]) -> dict[str, str]:
        prefix = self._around.shared.prefix
        home = str(Path.home()) if self._spec.agent_home == "user" else HOME
        own = {"HOME": _GRADERS_HOME, "TMPDIR": "/var/tmp"} if privileged else {"HOME": home}  # noqa: S108 - inside
        path = self._around.programs.search_path(shown)
        return {
            "LANG": "C.UTF-8",
            **({} if prefix is None else prefix.env()),
            "PATH": os.pathsep.join([*([] if prefix is None else prefix.bins()), path]),
            **own,
        }

    def _say_where_it_is(self, command: Command) -> None:
        """Say it where a program can be called on this machine, but not in the sandbox."""
        shim = self._around.programs.shim(command.argv[0])
        if shim is not None:
            self._folder.notes.append(
                f"{shim} only looks for the real {command.argv[0]}, which the sandbox therefore does not show: put the "
                "folder of the real one on the PATH"
            )


def _certificates(env: dict[str, str]) -> list[str]:
    """The options that show certificate stores which variables name; those of the system are shown anyway."""
    paths = {Path(posixpath.normpath(env[name])) for name in CERTIFICATES if env.get(name, "").startswith("/")}
    outside = [path for path in sorted(paths) if not is_of_system(path) and not path.is_relative_to("/etc")]
    return [word for path in outside if path.is_file() for word in ("--ro-bind", str(path), str(path))]

"""What a workspace is: the protocol that docker, bubblewrap and local satisfy.

A *provider* makes workspaces. `prepare` does once per run and distinct environment what trials share (an image, a
private prefix); its result is picklable, so that a trial's spec can carry it to another process. `open` makes one clean
workspace per trial attempt, filled before anything runs in it.

In every workspace commands see three places: the workspace itself (their working directory), the system (absolute paths
that a task asked for), and a *control folder* outside the workspace, which holds what skillgrade itself hands over
(stdin, the transcript for graders).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO, Protocol

from skillgrade.capture import Captured, OutputSink
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec, Limits


class Isolation(StrEnum):
    """What keeps an agent away from the host."""

    CONTAINER = "container"
    SANDBOX = "sandbox"
    NONE = "none"


class Place(StrEnum):
    """What a staged file's destination is relative to."""

    WORKSPACE = "workspace"
    SYSTEM = "system"
    CONTROL = "control"


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A file, folder or piece of text to put into a workspace.

    Attributes:
        dest: POSIX path, relative to `place`; absolute only for `Place.SYSTEM`.
        place: What `dest` is relative to.
        src: A file, folder or link on the host; exactly one of `src` and `data` is set.
        data: The content itself.
        chmod: A mode as chmod takes it; None keeps the source's own (0644 for `data`).
    """

    dest: str
    place: Place = Place.WORKSPACE
    src: Path | None = None
    data: bytes | None = None
    chmod: str | None = None


@dataclass(frozen=True, slots=True)
class EnvironmentSpec:
    """What trials of one or more tasks share, built once.

    Attributes:
        docker: The base image, its set-up and its user; `setup` also serves the other providers.
        agent_install: Commands that install the agent's CLI; None when there is nothing to install.
        grader_setups: Set-up commands of the graders, without doubles, in order.
    """

    docker: DockerSpec
    agent_install: str | None = None
    grader_setups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillSnapshot:
    """A run's own copy of a skill, without the eval's files.

    Attributes:
        name: The skill's name, and its folder's name in the workspace.
        folder: The copy, absolute; never written to again.
        digest: ``sha256:...`` over paths, modes and contents.
        size: Bytes in it.
    """

    name: str
    folder: Path
    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """What `prepare` made; picklable.

    Attributes:
        provider: The provider's name.
        reference: What `open` starts from: an image's id, a prefix folder; empty when there is nothing.
        digest: Digest of the environment for the report; None where it has no meaning.
        root_agent: Whether commands of the agent run as root in a workspace that can tell.
        notes: What the user should know, one sentence each.
    """

    provider: str
    reference: str = ""
    digest: str | None = None
    root_agent: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkspaceSpec:
    """One clean workspace; picklable.

    Attributes:
        run: The run's id; a label on everything that the provider leaves.
        trial: A readable name of the trial and attempt; a label too.
        prepared: What `prepare` made for this environment.
        files: What goes in before anything runs.
        skills: Put into every folder in which agents look for skills.
        limits: What it may use.
        network: ``default`` or ``none``.
        stdin: What the first command will read; handing it over here spares a call later.
        agent_home: ``isolated`` or ``user``, where a provider runs on the host.
        gateway: The folder of a `skillgrade.workspace.gateway`, which its agent alone gets a way to.
    """

    run: str
    trial: str
    prepared: Prepared
    files: tuple[StagedFile, ...] = ()
    skills: tuple[SkillSnapshot, ...] = ()
    limits: Limits = Limits()
    network: str = "default"
    stdin: bytes | None = None
    agent_home: str = "isolated"
    gateway: Path | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """One command to run in a workspace.

    Attributes:
        argv: Program and arguments; the program is looked up on the PATH that the command gets.
        stdout: Where its output goes.
        stderr: Where its error output goes.
        timeout: Seconds until the whole process tree is killed.
        env: The variables it gets beside the provider's own PATH and HOME (and those of the image); these win.
        stdin: What it reads: the whole of it, or the reading end of a pipe, for as long as that lasts; None is an empty
            stdin.
        privileged: Whether it is the eval's own (a grader): root in Docker, with a fixed PATH, HOME and LANG that
            nothing in the workspace could have set.
    """

    argv: tuple[str, ...]
    stdout: OutputSink
    stderr: OutputSink
    timeout: float
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes | IO[bytes] | None = None
    privileged: bool = False


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended.

    Attributes:
        exit_code: 128 + N for a death by signal N; None when the deadline killed it.
        timed_out: Whether the deadline killed it.
        duration: Seconds, monotonic.
        stdout: What it printed, as kept.
        stderr: What it printed there, as kept.
        out_of_memory: Whether the memory limit killed it or a child of it.
        not_found: Whether the program itself could not be found or started (then nothing ran).
    """

    exit_code: int | None
    timed_out: bool
    duration: float
    stdout: Captured
    stderr: Captured
    out_of_memory: bool = False
    not_found: bool = False


@dataclass(frozen=True, slots=True)
class Exported:
    """What came of copying a workspace's files out.

    Attributes:
        notes: What was left out, in sentences.
        is_whole: Whether every regular file came out; links that lead out and devices never do.
    """

    notes: tuple[str, ...] = ()
    is_whole: bool = True


class Workspace(Protocol):
    """One trial's place to work. Not thread-safe; `close` may be called from any thread and more than once."""

    @property
    def path(self) -> str:
        """The workspace as commands inside see it."""

    @property
    def control(self) -> str:
        """The control folder as commands inside see it."""

    @property
    def notes(self) -> Sequence[str]:
        """What the reader of the record should know, gathered so far."""

    def run(self, command: Command, stop: Stop) -> CommandResult:
        """Run a command in the workspace until it, and everything it started in the foreground, ends.

        Raises:
            WorkspaceError: The workspace broke under it.
            Cancelled: The stop came; nothing of the command is left.
        """

    def end_processes(self) -> None:
        """Kill every process that any command of this workspace left, and make sure of it.

        Raises:
            WorkspaceError: Something outlived it; the workspace was closed and must not be graded.
        """

    def put(self, files: Sequence[StagedFile]) -> tuple[str, ...]:
        """Put files in, replacing whatever is at their destinations, never following a link that is in the way.

        Returns:
            The destinations at which something was in the way.

        Raises:
            WorkspaceError: They could not be written.
        """

    def read(self, path: str, limit: int) -> bytes | None:
        """The first `limit` bytes of a regular file, relative to the workspace; None where there is no such file.

        A link, in any part of the path, is not followed out of the workspace.
        """

    def export(self, folder: Path, limit: int, stop: Stop) -> Exported:
        """Copy its files out, after `end_processes`: regular files, folders, and links that stay inside.

        Args:
            folder: An empty folder on the host; what lands there is the caller's to open and to remove.
            limit: Bytes of content that are copied.
            stop: Ends it early.

        Raises:
            WorkspaceError: It is no folder any more, or cannot be read.
            Cancelled: The stop came.
        """

    def for_graders(self, fresh: bool) -> Workspace:
        """The workspace in which graders run: this one, or a fresh one with the workspace's files carried over.

        It is closed with this one.
        Providers without a system of their own to protect return this one in either case.
        """

    def close(self) -> None:
        """Leave nothing behind: processes, containers, folders.

        Never raises; what it could not remove is in `notes`.
        """


class Provider(Protocol):
    """Makes workspaces of one kind. Thread-safe."""

    @property
    def name(self) -> str:
        """Its key in `skillgrade.workspace.PROVIDERS`."""

    @property
    def isolation(self) -> Isolation:
        """What keeps an agent away from the host."""

    def check(self) -> str | None:
        """Why no workspace can be had on this machine, in one sentence with what to do; None when all is well."""

    def prepare(self, environment: EnvironmentSpec, run: str, stop: Stop) -> Prepared:
        """Build, or find, what trials with this environment share.

        Raises:
            ProviderError: It cannot be had.
            Cancelled: The stop came.
        """

    def open(self, spec: WorkspaceSpec, stop: Stop) -> Workspace:
        """Make one clean workspace and fill it.

        Raises:
            ProviderError: It cannot be had.
            Cancelled: The stop came; nothing is left.
        """

    def end_run(self, run: str) -> None:
        """Remove everything of a run but what other runs can use (images stay). Never raises."""

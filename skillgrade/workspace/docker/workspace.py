"""A trial's container as a workspace: commands, files in and out, the graders' turn."""

from __future__ import annotations

import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

from skillgrade.errors import Cancelled, Stage, WorkspaceError
from skillgrade.stop import Stop
from skillgrade.suite.model import PLAIN_USER_ID
from skillgrade.workspace.base import Command, CommandResult, Exported, Place, StagedFile, Workspace, WorkspaceSpec
from skillgrade.workspace.docker.archive import carry_over
from skillgrade.workspace.docker.container import Container
from skillgrade.workspace.docker.exec import Exec, RunningExec
from skillgrade.workspace.docker.files import place_items
from skillgrade.workspace.docker.root_shell import BASH, ROOT
from skillgrade.workspace.docker.variables import agent_variables, grader_variables
from skillgrade.workspace.export import export_archive
from skillgrade.workspace.gateway.bridged import bridged
from skillgrade.workspace.grader_environment import git_variables
from skillgrade.workspace.staging import CONTROL_PATH, WORKSPACE_PATH

STAGED_STDIN = "stdin-0"
"""The file in the control folder that holds `WorkspaceSpec.stdin`."""

_COMMAND = Path(__file__).with_name("command.sh")
_READ = Path(__file__).parent.with_name("read-file.sh")
_NO_SUCH_FILE = 3
_CARRIED_LIMIT = 2**30
"""Bytes of a root agent's workspace that are carried over into the graders' container."""

_COUNT_OOM_KILLS = (
    "for file in /sys/fs/cgroup/memory/memory.oom_control /sys/fs/cgroup/memory.events; do"
    ' [ -r "$file" ] && while read -r key value; do [ "$key" = oom_kill ] && echo "$value"; done <"$file"; done; :'
)
"""Where cgroup v1 and v2 count what the memory limit killed (kernel: admin-guide/cgroup-v1/memory, cgroup-v2)."""

_PIPE = "-"
"""What stands for a file where a command reads from a pipe."""

_STDERR = 2
_KILLED = 137


class DockerWorkspace:
    """A container, for one trial attempt; see `Workspace`."""

    path = WORKSPACE_PATH
    control = CONTROL_PATH

    def __init__(
        self, container: Container, spec: WorkspaceSpec, variables: Mapping[str, str], notes: list[str], stop: Stop
    ) -> None:
        self._container = container
        self._spec = spec
        self._variables = variables
        self._notes = notes
        self._stop = stop
        self._is_root = spec.prepared.root_agent
        self._inputs = 1
        self._oom_kills = 0
        self._graders: DockerWorkspace | None = None

    @property
    def notes(self) -> Sequence[str]:
        """What the reader of the record should know, gathered so far."""
        return tuple(self._notes)

    def run(self, command: Command, stop: Stop) -> CommandResult:
        """Run a command; see `Workspace.run`."""
        marker = f"skillgrade could not start the program ({secrets.token_hex(16)})".encode()
        errors = _MarkedStream(marker, command.stderr.feed)
        started = time.monotonic()
        try:
            stop.check()
            with stop.waking(self._container.give_up), self._explained(stop):
                code = self._execute(command, marker.decode(), errors)
                out_of_memory = code not in {0, None} and self._was_out_of_memory()
            stop.check()
        except Cancelled:
            self._container.doom()
            raise
        finally:
            duration = time.monotonic() - started
            not_found = errors.end()
            stdout, stderr = command.stdout.close(), command.stderr.close()
        return CommandResult(code, code is None, duration, stdout, stderr, out_of_memory, not_found)

    def _execute(self, command: Command, marker: str, errors: _MarkedStream) -> int | None:
        def feed(stream: int, data: bytes) -> None:
            if stream == _STDERR:
                errors.feed(data)
            else:
                command.stdout.feed(data)

        emptied = True

        def kill() -> None:
            nonlocal emptied
            emptied = self._empty()

        deadline = time.monotonic() + command.timeout
        code = self._start(command, marker).finish(feed, deadline, kill)
        if code == _KILLED:
            self._check_alive()
        if not emptied:
            self._give_up()
        return code

    def _start(self, command: Command, marker: str) -> RunningExec:
        """Start a command; a grader takes over the shell that put its files in."""
        if command.privileged:
            env = {**grader_variables(self._variables), **command.env, **git_variables()}
        else:
            env = {**agent_variables(self._variables), **command.env}
        pipe = None if isinstance(command.stdin, bytes) else command.stdin
        stdin = _PIPE if pipe else self._input(command.stdin)
        shell = self._container.take_shell()
        if shell is not None and command.privileged and not command.stdin:
            return shell.become(command.argv, env, marker)
        if shell is not None:
            shell.close()
        program = command.argv if command.privileged or self._spec.gateway is None else bridged(command.argv)
        argv = (BASH, "-c", _COMMAND.read_text(encoding="utf-8"), "bash", stdin, marker, *program)
        user = ROOT if command.privileged or self._is_root else str(PLAIN_USER_ID)
        return self._container.begin(Exec(argv, user, WORKSPACE_PATH, env), pipe)

    @contextmanager
    def _explained(self, stop: Stop | None = None) -> Iterator[None]:
        """Say what became of the container where that is why something failed."""
        try:
            yield
        except WorkspaceError:
            if stop is not None:
                stop.check()
            self._check_alive()
            raise

    def _input(self, stdin: bytes | IO[bytes] | None) -> str:
        """The file that a command reads: a pipe would block us on a program that does not read."""
        if not isinstance(stdin, bytes) or not stdin:
            return "/dev/null"
        name = STAGED_STDIN
        if stdin != self._spec.stdin:
            name = f"stdin-{self._inputs}"
            self._inputs += 1
            self.put([StagedFile(name, Place.CONTROL, data=stdin)])
        return f"{CONTROL_PATH}/{name}"

    def _check_alive(self) -> None:
        """Raise where the container is not there any more, with the reason."""
        is_running, out_of_memory = self._container.state()
        if out_of_memory and not is_running:
            limit = self._spec.limits.memory_mb
            raise WorkspaceError(f"the memory limit of {limit} MiB ended the container", Stage.AGENT)
        if not is_running:
            raise WorkspaceError("the container was ended or removed while the trial used it", Stage.AGENT)

    def _was_out_of_memory(self) -> bool:
        """Whether the memory limit killed something since it was asked last; False where nobody can tell."""
        try:
            _, output = self._container.ask(_COUNT_OOM_KILLS)
        except WorkspaceError:  # such as when the agent used up the limit of processes: that is no way out of a verdict
            self._check_alive()
            return False
        first = b"".join(output.split()[:1])
        kills = int(first) if first.isdigit() else 0  # a root agent may have replaced the shell
        is_more = kills > self._oom_kills
        self._oom_kills = kills
        return is_more

    def end_processes(self) -> None:
        """Kill what commands left; see `Workspace.end_processes`."""
        if not self._empty():
            self._give_up()

    def _empty(self) -> bool:
        if self._container.end_processes():
            return True
        self._check_alive()  # a container that ended must not be brought back
        if self._is_root:
            # Root can replace the shell that the kill and a restart need.
            return False
        self._oom_kills = 0
        return self._container.restart()

    def _give_up(self) -> None:
        self.close()
        raise WorkspaceError("a process outlived the kill, the workspace was tampered with", Stage.AGENT)

    def put(self, files: Sequence[StagedFile]) -> tuple[str, ...]:
        """Put files in; see `Workspace.put`."""
        placed = place_items(files, self._is_root, self._notes.append)
        with self._explained():
            given_way = self._container.put(placed.ways(), placed.write)
        items = placed.in_the_way()
        return tuple(items[number].path for number in given_way)

    def read(self, path: str, limit: int) -> bytes | None:
        """The beginning of a file; see `Workspace.read`."""
        if "\0" in path:
            return None
        script = _READ.read_text(encoding="utf-8")
        with self._explained():
            code, output = self._container.ask(script, WORKSPACE_PATH, path, str(limit), limit=limit)
        if code == _NO_SUCH_FILE:
            return None
        if code != 0:
            raise WorkspaceError(f"{path}: cannot be read in the workspace", Stage.COLLECT)
        return output

    def export(self, folder: Path, limit: int, stop: Stop) -> Exported:
        """Copy its files out; see `Workspace.export`."""
        with self._explained(stop), tempfile.TemporaryFile() as taken:
            # Beside the contents an archive has headers, and what does not fit is passed over.
            is_whole = self._container.take_up_to(WORKSPACE_PATH, taken, 2 * limit, stop)
            taken.seek(0)
            return export_archive(taken, is_whole, folder, limit, stop)

    def for_graders(self, fresh: bool) -> Workspace:
        """This workspace, or its files in a container that the agent never saw; see `Workspace.for_graders`."""
        if not fresh:
            return self
        if self._graders is None:
            self._graders = self._carried_over()
        return self._graders

    def _carried_over(self) -> DockerWorkspace:
        self._container.kill()  # nothing of the agent's may watch or change what is taken out
        container = Container(self._container.api, replace(self._container.spec, gateway=None))
        workspace = DockerWorkspace(container, self._spec, self._variables, self._notes, self._stop)
        system = [file for file in self._spec.files if file.place is Place.SYSTEM]
        with tempfile.TemporaryFile() as taken:
            self._container.take(WORKSPACE_PATH, taken, _CARRIED_LIMIT, self._stop)
            taken.seek(0)
            container.make(place_items(system, self._is_root, lambda _warning: None).write, self._stop)
            try:
                container.start(self._stop)
                with self._stop.waking(container.give_up), workspace._explained(self._stop):
                    # What the image holds there may have been deleted by the agent.
                    container.put([("/", WORKSPACE_PATH.lstrip("/"))], lambda out: carry_over(taken, out))
            except BaseException:
                container.remove()
                raise
        return workspace

    def close(self) -> None:
        """Remove the container; see `Workspace.close`."""
        if self._graders is not None:
            self._graders.close()
        problem = self._container.remove()
        if problem is not None and problem not in self._notes:
            self._notes.append(problem)


class _MarkedStream:
    """Hands a stream on, but holds back what may be a marker at its end."""

    def __init__(self, marker: bytes, feed: Callable[[bytes], None]) -> None:
        self._marker = marker
        self._feed = feed
        self._held = b""

    def feed(self, data: bytes) -> None:
        """Take a piece."""
        data = self._held + data
        cut = max(0, len(data) - len(self._marker))
        self._held = data[cut:]
        if cut:
            self._feed(data[:cut])

    def end(self) -> bool:
        """Hand on the rest, unless it is the marker; whether it was."""
        is_marked = self._held == self._marker
        if self._held and not is_marked:
            self._feed(self._held)
        self._held = b""
        return is_marked

"""One container: made, filled, started, emptied of processes, removed.

Measured choices: everything goes in before the start, in one archive, which costs no extra round trip; PID 1 is a
shell that reaps, survives ``kill -9 -1`` and ends at once on TERM (``sleep`` and ``tail`` do none of that, and an init
process dies with its only child).
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from skillgrade.errors import InfrastructureError, ProviderError, Stage, WorkspaceError
from skillgrade.stop import Stop
from skillgrade.suite.model import Limits
from skillgrade.workspace.docker.client import connect_hastily, translated
from skillgrade.workspace.docker.exec import Exec, Lines, RunningExec, execute
from skillgrade.workspace.docker.root_shell import BASH, ROOT, RootShell
from skillgrade.workspace.gateway.address import FOLDER

if TYPE_CHECKING:
    from docker import APIClient

_FIRST_PROCESS = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done"
_SLEEP = "sleep 3600"
_MIB = 1024 * 1024
_OWN_EXEC_TIMEOUT = 60.0
_QUIET_TIMEOUT = 3.0
_REMOVAL_TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """What a container is made of.

    Attributes:
        image: An image's id.
        labels: Its labels.
        limits: What it may use; its cpus are no more than the daemon's machine has.
        network: ``default`` or ``none``.
        variables: What every process starts from, in place of the image's own values.
        may_gain_privileges: Whether set-user-ID programs such as sudo work in it.
        gateway: A folder of this machine to show as that of the gateway.
    """

    image: str
    labels: Mapping[str, str]
    limits: Limits
    network: str
    variables: Mapping[str, str]
    may_gain_privileges: bool
    gateway: Path | None = None


class Container:
    """A container that exists from `make` to `remove`. `remove` may be called from any thread, at any time."""

    def __init__(self, api: APIClient, spec: ContainerSpec) -> None:
        self.api = api
        self.spec = spec
        self._lock = threading.Lock()
        self._id: str | None = None
        self._is_gone = False
        self._is_given_up = False
        self._shell: RootShell | None = None
        self._lines = Lines()

    @property
    def id(self) -> str:
        """Its id; only after `make`."""
        if self._id is None:
            raise WorkspaceError("docker: the container was never made")
        return self._id

    def make(self, fill: Callable[[IO[bytes]], None], stop: Stop) -> None:
        """Make it and put an archive into it.

        Args:
            fill: Writes the archive, to be unpacked at ``/``.
            stop: Ends it; then nothing is left.

        Raises:
            ProviderError: The daemon refused; nothing is left.
            Cancelled: The stop came.
        """
        with self._or_nothing(stop), tempfile.TemporaryFile() as archive:
            fill(archive)
            archive.seek(0)
            with translated("making the container", ProviderError, Stage.SETUP):
                made = self.api.create_container(
                    self.spec.image,
                    entrypoint=[BASH, "-c", _FIRST_PROCESS],
                    command=[],
                    environment=dict(self.spec.variables),
                    user=ROOT,
                    working_dir="/",
                    labels=dict(self.spec.labels),
                    host_config=self._host_config(),
                    # A health check of the image would start processes that nobody asked for.
                    healthcheck={"test": ["NONE"]},
                    stop_signal="SIGTERM",
                )
            with self._lock:
                self._id = str(made["Id"])
            stop.check()  # a stop that came before there was an id removed nothing
            with translated("putting files into the container", ProviderError, Stage.SETUP):
                self.api.put_archive(self.id, "/", archive)

    def start(self, stop: Stop) -> None:
        """Start what `make` made.

        Raises:
            ProviderError: The daemon refused; nothing is left.
            Cancelled: The stop came; nothing is left.
        """
        with self._or_nothing(stop), translated("starting the container", ProviderError, Stage.SETUP):
            self.api.start(self.id)

    @contextmanager
    def _or_nothing(self, stop: Stop) -> Iterator[None]:
        try:
            with stop.waking(self.doom):
                try:
                    yield
                except InfrastructureError:
                    stop.check()  # removing it under the daemon's feet is what failed
                    raise
            stop.check()
        except BaseException:
            self.doom()
            raise

    def _host_config(self) -> dict[str, object]:
        limits, gateway = self.spec.limits, self.spec.gateway
        config: dict[str, object] = self.api.create_host_config(
            nano_cpus=int(limits.cpus * 1e9),
            mem_limit=limits.memory_mb * _MIB,
            memswap_limit=limits.memory_mb * _MIB,  # the same: no swap on top
            pids_limit=limits.pids,
            binds=None if gateway is None else {str(gateway): {"bind": FOLDER, "mode": "ro"}},
            network_mode="none" if self.spec.network == "none" else None,
            security_opt=None if self.spec.may_gain_privileges else ["no-new-privileges"],
        )
        return config

    def put(self, ways: Sequence[tuple[str, str]], fill: Callable[[IO[bytes]], None]) -> tuple[int, ...]:
        """Clear the way and put an archive into it, at ``/``.

        Args:
            ways: See `RootShell.clear`.
            fill: Writes the archive.

        Returns:
            The indices of the ways that were not clear.

        Raises:
            WorkspaceError: It could not be put in.
        """
        with tempfile.TemporaryFile() as archive:
            fill(archive)
            shell = self.shell()
            cleared = shell.clear(ways)
            if not shell.unpack(archive):
                archive.seek(0)
                with translated("putting files into the container", WorkspaceError, Stage.SETUP):
                    self.api.put_archive(self.id, "/", archive)
            return cleared

    def shell(self) -> RootShell:
        """Root's shell, started if none waits.

        Raises:
            WorkspaceError: It could not be started.
        """
        if self._shell is None:
            self._shell = RootShell(self.api, self.id, self._lines, kill=False)
        return self._shell

    def take_shell(self) -> RootShell | None:
        """The shell, if one waits; it is the caller's from now on."""
        shell, self._shell = self._shell, None
        return shell

    def close_shell(self) -> None:
        """End the shell, if one waits."""
        shell = self.take_shell()
        if shell is not None:
            shell.close()

    def take(self, path: str, out: IO[bytes], limit: int, stop: Stop) -> None:
        """Write the archive of a folder to `out`; the container may have ended.

        Args:
            path: The folder.
            out: Where to.
            limit: Bytes beyond which it is refused: a file with holes costs its writer nothing.
            stop: Ends it.

        Raises:
            WorkspaceError: It could not be taken out, or is too large.
            Cancelled: The stop came.
        """
        if not self.take_up_to(path, out, limit, stop):
            raise WorkspaceError(
                f"{path} holds more than the {limit // 2**20} MiB that are carried over to graders", Stage.COLLECT
            )

    def take_up_to(self, path: str, out: IO[bytes], limit: int, stop: Stop) -> bool:
        """Write as much of the archive of a folder to `out` as it may have; whether that is all. See `take`."""
        size = 0
        with translated(f"taking {path} out of the container", WorkspaceError, Stage.COLLECT):
            chunks, _ = self.api.get_archive(self.id, path)
            for chunk in chunks:
                stop.check()
                size += len(chunk)
                if size > limit:
                    return False
                out.write(chunk)
        return True

    def ask(self, script: str, *arguments: str, limit: int = _MIB) -> tuple[int, bytes]:
        """Run a short script of ours as root.

        Returns:
            Its exit code and the first `limit` bytes of its output.

        Raises:
            WorkspaceError: It failed to run, or did not end in a minute.
        """
        output = bytearray()

        def feed(stream: int, data: bytes) -> None:
            if stream == 1:
                output.extend(data[: limit - len(output)])

        command = Exec((BASH, "-c", script, "bash", *arguments), ROOT)
        code = execute(self.api, self.id, self._lines, command, feed, _OWN_EXEC_TIMEOUT, self.end_processes)
        if code is None:
            raise WorkspaceError("docker: the container is too busy to run a command of skillgrade")
        return code, bytes(output)

    def end_processes(self) -> bool:
        """Kill everything but PID 1 and a shell that waits from now on; whether that worked."""
        self.close_shell()
        try:
            self._shell = RootShell(self.api, self.id, self._lines, kill=True)
            return self._is_quiet(self._shell)
        except WorkspaceError:  # such as when the agent used up the limit of processes
            return False

    def restart(self) -> bool:
        """End every process by ending the container, keep its files, start it again; whether that worked."""
        try:
            with translated("restarting the container", WorkspaceError, Stage.SETUP):
                self.close_shell()
            self.api.restart(self.id, timeout=0)
            return self._is_quiet()
        except WorkspaceError:
            return False

    def _is_quiet(self, shell: RootShell | None = None) -> bool:
        """Whether only PID 1, its sleep and a shell are left, seen from outside, where nothing inside can lie."""
        deadline = time.monotonic() + _QUIET_TIMEOUT
        while True:
            own = shell.pid() if shell is not None else ""  # in the loop: the daemon learns it after the shell's start
            with translated("looking at the container's processes", WorkspaceError, Stage.SETUP):
                rows = self.api.top(self.id, ps_args="-eo pid,ppid,args")["Processes"] or []
            pids = {pid for pid, _, _ in rows}
            first = [pid for pid, parent, _ in rows if parent not in pids and pid != own]
            others = [(parent, args) for pid, parent, args in rows if pid not in first and pid != own]
            if len(first) == 1 and len(others) <= 1 and all(other == (first[0], _SLEEP) for other in others):
                return True
            if time.monotonic() > deadline:
                return False
            # What was killed needs a moment to vanish; the daemon offers nothing to wait on.
            time.sleep(0.01)

    def kill(self) -> None:
        """End the container, keeping its files. Never raises."""
        try:
            with translated("killing the container", WorkspaceError, Stage.SETUP):
                self.api.kill(self.id)
        except WorkspaceError:  # it has ended already, or `remove` will say what is wrong
            return

    def state(self) -> tuple[bool, bool]:
        """Whether it runs, and whether the memory limit ended it.

        Raises:
            WorkspaceError: The daemon does not answer.
        """
        from docker.errors import NotFound

        with translated("looking at the container", WorkspaceError, Stage.SETUP):
            try:
                state = self.api.inspect_container(self.id)["State"]
            except NotFound:
                return False, False
        # Not `Running`, which stays true until a removal is through.
        return state["Status"] == "running", bool(state["OOMKilled"])

    def begin(self, command: Exec, pipe: IO[bytes] | None = None) -> RunningExec:
        """Start a command.

        Args:
            command: The command.
            pipe: What it reads; None for nothing.

        Raises:
            WorkspaceError: It could not be started.
        """
        return RunningExec(self.api, self.id, self._lines, command, pipe=pipe)

    def give_up(self) -> None:
        """Wake whoever waits for a command of it, and wait for the daemon no longer than a moment; for wakers.

        Never raises and never blocks.
        """
        self._is_given_up = True
        with suppress(InfrastructureError):
            self.api = connect_hastily().api
        self._lines.cut()

    def doom(self) -> None:
        """Give it up and remove it; for wakers. Never raises."""
        self.give_up()
        self.remove()

    def remove(self) -> str | None:
        """Remove it with everything in it; later calls wait for the first.

        Returns:
            What kept it from being removed; None when it is gone.
        """
        from docker.errors import APIError, NotFound

        self.close_shell()
        with self._lock:
            if self._id is None or self._is_gone:
                return None
            try:
                with translated("removing the container", WorkspaceError, Stage.SETUP), suppress(NotFound):
                    self.api.remove_container(self._id, v=True, force=True)
            except WorkspaceError as error:
                # Whoever gave no answer is not asked again after a stop: the next run removes what is left.
                has_answered = isinstance(error.__cause__, APIError)
                self._is_gone = self._is_given_up and not has_answered
                if self._is_gone or not self._vanishes(self._id):
                    return str(error)
            self._is_gone = True
            return None

    def _vanishes(self, container: str) -> bool:
        """Wait for a removal that someone else has begun (the daemon answers 409 to the second)."""
        from docker.errors import DockerException, NotFound

        deadline = time.monotonic() + _REMOVAL_TIMEOUT
        while time.monotonic() < deadline:
            try:
                state = self.api.inspect_container(container)["State"]
            except NotFound:
                return True
            except (DockerException, OSError):
                return False
            if state["Status"] != "removing":
                return False
            time.sleep(0.05)
        return False

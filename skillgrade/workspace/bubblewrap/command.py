"""Running one command in a sandbox, and telling how it ended.

The options reach bubblewrap by a descriptor, not by its command line, which the sandbox can read in ``/proc/1``. Its
environment is empty, for the same reason: variables are set inside only. A second descriptor takes its report (option
``--json-status-fd`` of bwrap(1)): there is an exit code in it exactly when the command started.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from skillgrade.capture import OutputSink
from skillgrade.errors import Stage, WorkspaceError
from skillgrade.process import FIRST_EXTRA, ProcessResult
from skillgrade.stop import Stop
from skillgrade.suite.model import Limits
from skillgrade.workspace.bubblewrap.limited_slot import LimitedSlot

_REPORT_BYTES = 64 * 1024
_CANNOT_START = "bwrap: execvp "


@dataclass(frozen=True, slots=True)
class SandboxedResult:
    """How a command in a sandbox ended.

    Attributes:
        process: How bubblewrap ended, which gives the command's exit code as its own.
        started: Whether the command started.
        out_of_memory: Whether the memory limit killed something of it.
    """

    process: ProcessResult
    started: bool
    out_of_memory: bool


@dataclass(frozen=True, slots=True)
class SandboxedCommand:
    """One command and the sandbox around it.

    Attributes:
        bwrap: The program bubblewrap.
        options: What the sandbox is.
        env: All variables of the command.
        argv: The command.
        stdin: What it reads.
        stdout: Takes its output.
        stderr: Takes its error output.
        timeout: Seconds until it is killed.
        limits: What it may use; None where that is not limited.
    """

    bwrap: str
    options: Sequence[str]
    env: Mapping[str, str]
    argv: Sequence[str]
    stdin: bytes | IO[bytes] | None
    stdout: OutputSink
    stderr: OutputSink
    timeout: float
    limits: Limits | None


def run_sandboxed(slot: LimitedSlot, command: SandboxedCommand, stop: Stop, stage: Stage) -> SandboxedResult:
    """Run a command in a sandbox of its own; the sinks are closed at the end.

    Raises:
        WorkspaceError: The sandbox could not be made, or broke.
        StorageError: A sink could not write.
        Cancelled: The stop came; nothing of the command is left.
    """
    variables = (word for name, value in command.env.items() for word in ("--setenv", name, value))
    options = [*command.options, *variables, "--json-status-fd", str(FIRST_EXTRA + 1)]
    argv: tuple[str, ...] = (command.bwrap, "--args", str(FIRST_EXTRA), "--", *command.argv)
    try:
        if command.limits is not None:
            slot.limit(command.limits)
            argv = slot.bounded(argv, command.limits)
        kills = slot.oom_kills()
        with _options_file(options) as given, _Report() as report:
            try:
                process = slot.run(
                    argv,
                    env={},
                    cwd=Path("/"),
                    stdin=command.stdin,
                    stdout=command.stdout,
                    stderr=command.stderr,
                    timeout=command.timeout,
                    stop=stop,
                    stage=stage,
                    extra=(given, report.writer),
                )
            except WorkspaceError as error:
                if command.limits is not None and slot.oom_kills() > kills:
                    limit = f"the memory limit of {command.limits.memory_mb} MiB ended the sandbox"
                    raise WorkspaceError(limit, stage) from error
                raise
            out_of_memory = slot.oom_kills() > kills
            started = report.has_exit_code()
    except OSError as error:
        raise WorkspaceError(f"bubblewrap: {error.filename or command.bwrap}: {error.strerror}", stage) from error
    result = SandboxedResult(process, started or process.timed_out, out_of_memory)
    if not result.started:
        _explain(command, process, stage)
    return result


def _explain(command: SandboxedCommand, process: ProcessResult, stage: Stage) -> None:
    """Raise unless it is the command itself that could not be started: then only bubblewrap wrote, and said so."""
    said = command.stderr.close().text().strip()
    if said.startswith(_CANNOT_START):
        return
    if process.start_error is not None:
        reason = process.start_error
    else:
        reason = said.splitlines()[-1] if said else f"it ended with {process.exit_code}"
    raise WorkspaceError(f"bubblewrap could not make the sandbox, or was killed: {reason}", stage)


@contextmanager
def _options_file(options: Sequence[str]) -> Iterator[int]:
    descriptor = os.memfd_create("options")
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(b"".join(os.fsencode(option) + b"\0" for option in options))
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


class _Report:
    """A pipe for bubblewrap's report."""

    def __enter__(self) -> _Report:
        self._ends = ExitStack()
        self._reader, self.writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        for end in (self._reader, self.writer):
            self._ends.callback(os.close, end)
        return self

    def __exit__(self, *_error: object) -> None:
        self._ends.close()

    def has_exit_code(self) -> bool:
        """Whether the command ran to an end; asked when bubblewrap is gone."""
        try:
            return b'"exit-code"' in os.read(self._reader, _REPORT_BYTES)
        except BlockingIOError:
            return False

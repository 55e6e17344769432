"""The `deterministic` grader: a command in the workspace that prints its verdict as JSON."""

from __future__ import annotations

import time
from pathlib import Path, PurePosixPath

from skillgrade.capture import DEFAULT_CAP, ByteFilter, OutputSink
from skillgrade.errors import GraderError, UserError
from skillgrade.graders.base import GraderContext
from skillgrade.graders.output import GraderAnswer, read_answer
from skillgrade.results.records import Check, GraderResult, GraderStatus
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.grader_input import grader_input_text
from skillgrade.suite.model import DeterministicSpec, GraderFile, GraderSpec
from skillgrade.workspace.base import Command, CommandResult, Place, StagedFile, Workspace
from skillgrade.workspace.scripts import script_argv, shebang_argv

_STDERR_QUOTE = 400
"""Characters of the end of its error output that an errored grader's details quote."""


class DeterministicGrader:
    """Runs a script of the eval over what the agent left."""

    type = "deterministic"

    def problem(self, spec: GraderSpec) -> str | None:
        """A script must say how it is run."""
        try:
            grader_argv(_of_our_type(spec), control="/")
        except UserError as error:
            return str(error)
        return None

    def setup_commands(self, spec: GraderSpec) -> str | None:
        """Its `setup`."""
        return _of_our_type(spec).setup

    def files(self, spec: GraderSpec) -> tuple[StagedFile, ...]:
        """What `run` and `files` name, and `run` itself where it is a script of many lines."""
        spec = _of_our_type(spec)
        alone = _own_file(spec)
        files = [StagedFile(file.dest, src=file.src) for file in spec.files if file != alone]
        if alone is not None:
            files.append(StagedFile(_staged_script(spec), Place.CONTROL, src=alone.src))
        if "\n" in spec.run:
            text = spec.run if spec.run.endswith("\n") else f"{spec.run}\n"
            files.append(StagedFile(_script_name(spec), Place.CONTROL, data=text.encode(), chmod="755"))
        return tuple(files)

    def grade(self, spec: GraderSpec, context: GraderContext, workspace: Workspace, stop: Stop) -> GraderResult:
        """Run it and read its answer.

        Raises:
            WorkspaceError: The workspace broke.
            Cancelled: The stop came.
        """
        spec = _of_our_type(spec)
        raw = _KeepRaw(context.redactor.filter())
        started = time.monotonic()
        result = workspace.run(
            Command(
                argv=grader_argv(spec, workspace.control),
                env={**context.env, "SKILLGRADE_INPUT": grader_input_text(context.input)},
                timeout=context.timeout,
                stdout=OutputSink(context.folder / f"grader-{spec.index}.stdout", byte_filter=raw),
                stderr=OutputSink(
                    context.folder / f"grader-{spec.index}.stderr", byte_filter=context.redactor.filter()
                ),
                privileged=True,
            ),
            stop,
        )
        duration_ms = round((time.monotonic() - started) * 1000)
        checks: tuple[Check, ...] = ()
        try:
            answer = _answer(result, raw.text(), context.timeout)
        except GraderError as error:
            details, status, score = str(error), GraderStatus.ERROR, None
        else:
            details, status, score, checks = answer.details, GraderStatus.OK, answer.score, answer.checks
        return GraderResult(
            self.type,
            spec.index,
            status,
            score,
            spec.weight,
            context.redactor.text(details),
            tuple(_redacted(check, context.redactor) for check in checks),
            duration_ms=duration_ms,
        )


class _KeepRaw:
    """A filter that also keeps the newest part of what came in.

    The answer is read from that: a value of `.env` such as ``details`` must not make its JSON unreadable.
    """

    def __init__(self, inner: ByteFilter) -> None:
        self._inner = inner
        self._raw = bytearray()

    def feed(self, data: bytes) -> bytes:
        self._raw += data
        del self._raw[: max(0, len(self._raw) - DEFAULT_CAP)]
        return self._inner.feed(data)

    def flush(self) -> bytes:
        return self._inner.flush()

    def text(self) -> str:
        return self._raw.decode("utf-8", errors="replace")


def _redacted(check: Check, redactor: Redactor) -> Check:
    return Check(redactor.text(check.name), check.passed, redactor.text(check.message))


def grader_argv(spec: DeterministicSpec, control: str) -> tuple[str, ...]:
    """The command that runs a grader.

    Args:
        spec: The grader.
        control: The control folder as commands in the workspace see it.

    Raises:
        UserError: It names a script that nothing says how to run.
    """
    if spec.script is not None:
        inside = spec.script if _own_file(spec) is None else str(PurePosixPath(control) / _staged_script(spec))
        return script_argv(_host_file(spec, spec.script), inside)
    if "\n" in spec.run:
        first_line = spec.run.split("\n", 1)[0]
        return (*(shebang_argv(first_line) or ("bash",)), str(PurePosixPath(control) / _script_name(spec)))
    return ("bash", "-c", spec.run)


def _answer(result: CommandResult, stdout: str, timeout: float) -> GraderAnswer:
    if result.timed_out:
        raise GraderError(f"the grader ran into its limit of {timeout:g} s (grader_timeout) and was killed")
    if result.not_found:
        raise GraderError(f"the grader could not be started: {_last_words(result) or 'its program was not found'}")
    try:
        return read_answer(stdout)
    except GraderError as error:
        if result.out_of_memory:
            raise GraderError("the grader was killed because the workspace ran out of memory (memory_mb)") from error
        words = _last_words(result)
        stderr = f", its stderr ends «{words}»" if words else ""
        # The exit code first: where a script was not found or crashed, what it did not print says nothing.
        raise GraderError(f"exit code {result.exit_code}{stderr}; {error}") from error


def _last_words(result: CommandResult) -> str:
    return result.stderr.text().strip()[-_STDERR_QUOTE:]


def _script_name(spec: DeterministicSpec) -> str:
    return f"grader-{spec.index}.sh"


def _own_file(spec: DeterministicSpec) -> GraderFile | None:
    """The script's own entry, where it comes without its folder.

    It would lie beside what the agent made, and interpreters load modules from there (a planted ``json.py``), so it
    runs from the control folder.
    """
    return next((file for file in spec.files if file.dest == spec.script), None)


def _staged_script(spec: DeterministicSpec) -> str:
    return f"grader-{spec.index}/{PurePosixPath(spec.script or '').name}"


def _host_file(spec: DeterministicSpec, inside: str) -> Path:
    """The file of the eval that lands at a path in the workspace."""
    wanted = PurePosixPath(inside)
    for file in spec.files:
        dest = PurePosixPath(file.dest)
        if wanted.is_relative_to(dest):
            return file.src / wanted.relative_to(dest)
    raise AssertionError(f"{inside} is not among the grader's files")


def _of_our_type(spec: GraderSpec) -> DeterministicSpec:
    if isinstance(spec, DeterministicSpec):
        return spec
    raise TypeError(f"{spec.type} is no deterministic grader")

"""The `deterministic` grader: a command in the workspace that prints its verdict as JSON."""

from __future__ import annotations

import time
from pathlib import Path, PurePosixPath

from skillgrade.capture import OutputSink
from skillgrade.errors import GraderError, UserError
from skillgrade.graders.base import GraderContext
from skillgrade.graders.output import GraderAnswer, read_answer
from skillgrade.results.records import GraderResult, GraderStatus
from skillgrade.stop import Stop
from skillgrade.suite.grader_input import grader_input_text
from skillgrade.suite.model import DeterministicSpec, GraderSpec
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
        files = [StagedFile(file.dest, src=file.src) for file in spec.files]
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
        started = time.monotonic()
        result = workspace.run(
            Command(
                argv=grader_argv(spec, workspace.control),
                env={**context.env, "SKILLGRADE_INPUT": grader_input_text(context.input)},
                timeout=context.timeout,
                stdout=OutputSink(context.folder / f"grader-{spec.index}.stdout", byte_filter=context.redaction()),
                stderr=OutputSink(context.folder / f"grader-{spec.index}.stderr", byte_filter=context.redaction()),
                privileged=True,
            ),
            stop,
        )
        duration_ms = round((time.monotonic() - started) * 1000)
        try:
            answer = _answer(result, context.timeout)
        except GraderError as error:
            return GraderResult(
                self.type, spec.index, GraderStatus.ERROR, None, spec.weight, str(error), duration_ms=duration_ms
            )
        return GraderResult(
            self.type,
            spec.index,
            GraderStatus.OK,
            answer.score,
            spec.weight,
            answer.details,
            answer.checks,
            duration_ms=duration_ms,
        )


def grader_argv(spec: DeterministicSpec, control: str) -> tuple[str, ...]:
    """The command that runs a grader.

    Args:
        spec: The grader.
        control: The control folder as commands in the workspace see it.

    Raises:
        UserError: It names a script that nothing says how to run.
    """
    if spec.script is not None:
        return script_argv(_host_file(spec, spec.script), spec.script)
    if "\n" in spec.run:
        first_line = spec.run.split("\n", 1)[0]
        return (*(shebang_argv(first_line) or ("bash",)), str(PurePosixPath(control) / _script_name(spec)))
    return ("bash", "-c", spec.run)


def _answer(result: CommandResult, timeout: float) -> GraderAnswer:
    if result.timed_out:
        raise GraderError(f"the grader ran into its limit of {timeout:g} s (grader_timeout) and was killed")
    if result.not_found:
        raise GraderError(f"the grader could not be started: {_last_words(result) or 'its program was not found'}")
    try:
        return read_answer(result.stdout.text())
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

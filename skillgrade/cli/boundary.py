"""The one place where errors become messages and exit codes; no traceback reaches a user."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import click

from skillgrade import __version__
from skillgrade.cli.exit_codes import ExitCode
from skillgrade.errors import Cancelled, SkillgradeError, UserError
from skillgrade.reports.terminal.text import printable

_OUTPUT_IS_LOST = (errno.ENOSPC, errno.EIO)
"""Everything that skillgrade writes elsewhere raises a `StorageError` for these."""


def guarded(action: Callable[[], int]) -> int:
    """Do it and give its exit code, or that of what went wrong, said in one sentence on stderr."""
    try:
        return action()
    except click.ClickException as error:
        _say(error.format_message())
        return ExitCode.USAGE
    except UserError as error:
        _say(str(error))
        return ExitCode.USAGE
    except (Cancelled, click.Abort, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    except SkillgradeError as error:
        _say(str(error))
        return ExitCode.ERRORED
    except BrokenPipeError:
        _silence_stdout()  # its reader is gone (`| head`)
        return 128 + signal.SIGPIPE
    except OSError as error:
        if error.errno not in _OUTPUT_IS_LOST:
            return _internal(error)
        _silence_stdout()
        _say(f"standard output cannot be written: {error.strerror}")
        return ExitCode.ERRORED
    except Exception as error:  # noqa: BLE001 - the last resort
        return _internal(error)


def _internal(error: Exception) -> int:
    _say(f"internal error: {type(error).__name__}: {error}; {_keep_traceback()}")
    return ExitCode.ERRORED


def _silence_stdout() -> None:
    """Point stdout at nothing, so that flushing it at exit is quiet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(message: str) -> None:
    for line in printable(message).splitlines():
        print(f"skillgrade: error: {line}", file=sys.stderr)  # noqa: T201 - rich may be what failed


def _keep_traceback() -> str:
    """Write the traceback to a file for a bug report; says where."""
    import tempfile
    import traceback

    try:
        handle, name = tempfile.mkstemp(prefix="skillgrade-error-", suffix=".log")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"skillgrade {__version__}, Python {sys.version}\n{traceback.format_exc()}")
    except OSError:
        return "its details could not be written anywhere"
    return f"please report it with {Path(name)}"

"""How a script is run: by its kind.

The kind is read from the script on the host, before it is staged, so that a script nobody can run is refused before any
agent starts.
"""

from __future__ import annotations

import os
import shlex
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath

from skillgrade.errors import UserError

_RUNNERS: dict[str, tuple[str, ...]] = {
    ".sh": ("bash",),
    ".bash": ("bash",),
    ".py": ("python3",),
    ".js": ("node",),
    ".mjs": ("node",),
    ".cjs": ("node",),
}
_TYPESCRIPT = (".ts", ".mts", ".cts")


def script_argv(script: Path, inside: str) -> tuple[str, ...]:
    """The command that runs a script.

    Args:
        script: The script on the host, whose suffix, shebang and executable bit say what it is.
        inside: The same script as commands in the workspace see it; a relative path is taken from the workspace.

    Raises:
        UserError: Nothing says how to run it.
    """
    inside = inside if PurePosixPath(inside).is_absolute() else f"./{inside}"
    if script.suffix in _TYPESCRIPT:
        return ("bash", "-c", _run_typescript(), "bash", inside)
    if runner := _RUNNERS.get(script.suffix):
        return (*runner, inside)
    with script.open("rb") as file:
        first_line = file.readline(256)
    if interpreter := shebang_argv(first_line.decode("utf-8", errors="replace")):
        return (*interpreter, inside)
    if os.access(script, os.X_OK):
        return (inside,)
    raise UserError(
        f"{script}: nothing says how to run this script: give it a known suffix (.sh, .py, .js, .ts), "
        "a #! line or the executable bit"
    )


def shebang_argv(first_line: str) -> tuple[str, ...]:
    """The interpreter that a first line names; empty when it names none."""
    if not first_line.startswith("#!"):
        return ()
    try:
        return tuple(shlex.split(first_line[2:].strip()))
    except ValueError:
        return ()


@cache
def _run_typescript() -> str:
    return resources.files(__package__).joinpath("run-typescript.sh").read_text(encoding="utf-8")

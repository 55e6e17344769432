"""Programs that live outside of the system's folders, and what of the host they need to run.

An interpreter of pyenv, nvm or conda, a virtual environment, a command-line tool in ``~/.local/bin``: a sandbox shows
them by their install prefix, read-only, and nothing beside it. A prefix is shown only when it looks like one, and never
when it holds the user's home or the current folder.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
"""Where a distribution keeps programs and libraries."""

_ALTERNATIVES = "/etc/alternatives"
"""Debian's links between them."""

_SHIMS = "shims"
"""Folders of scripts that look for the real program elsewhere (pyenv, rbenv, asdf): of no use where that is not."""

_BIN_NAMES = frozenset({"bin", "sbin", "Scripts"})
_DEEPEST = 8
"""Links and interpreters of interpreters that are followed."""

_SHEBANG_LENGTH = 256


def search_path(path: str) -> list[str]:
    """The absolute folders of a PATH, in order, without those that hold mere shims."""
    folders = dict.fromkeys(os.path.normpath(folder) for folder in path.split(os.pathsep) if folder.startswith("/"))
    return [folder for folder in folders if Path(folder).name != _SHIMS]


def find_program(name: str, folders: Sequence[str]) -> Path | None:
    """Where a program is, by its name or absolute path; None where it is not."""
    if "/" in name and not name.startswith("/"):
        return None
    found = shutil.which(name, path=os.pathsep.join(folders) or "/nonexistent")
    return Path(os.path.normpath(found)) if found else None


def needed_paths(program: Path, folders: Sequence[str]) -> tuple[Path, ...]:
    """What must be shown for a program to run, beside the system's folders; empty for one of the system.

    Args:
        program: An absolute path.
        folders: Where its interpreter is looked for, when it is a script for ``env``.
    """
    found = dict.fromkeys(_shown(path) for path in _involved(program, folders, _DEEPEST) if not is_of_system(path))
    return tuple(path for path in found if not any(other != path and path.is_relative_to(other) for other in found))


def is_of_system(path: Path) -> bool:
    """Whether a path lies in a folder of the system."""
    return any(path.is_relative_to(folder) for folder in (*SYSTEM_FOLDERS, _ALTERNATIVES))


def _involved(program: Path, folders: Sequence[str], depth: int) -> Iterator[Path]:
    """The program, each link on the way to its file, and the same of its interpreter."""
    if depth == 0:
        return
    yield program
    try:
        if program.is_symlink():
            target = program.parent / program.readlink()
            yield from _involved(Path(os.path.normpath(target)), folders, depth - 1)
            return
        real = program.resolve()
        if real != program:
            yield real
        interpreter = _interpreter(real, folders)
        if interpreter is not None:
            yield from _involved(interpreter, folders, depth - 1)
    except OSError:
        return


def _interpreter(file: Path, folders: Sequence[str]) -> Path | None:
    with file.open("rb") as stream:
        head = stream.read(_SHEBANG_LENGTH)
    if not head.startswith(b"#!"):
        return None
    words = os.fsdecode(head[2:].split(b"\n")[0]).split()
    if not words:
        return None
    if Path(words[0]).name != "env":
        return Path(words[0])
    names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return find_program(names[0], folders) if names else None


def _shown(path: Path) -> Path:
    """The install prefix of a file, or the file alone where that is not safe to show."""
    for prefix in _prefixes(path):
        if _is_installation(prefix):
            return prefix
    return path


def _prefixes(path: Path) -> Iterable[Path]:
    parents = list(path.parents)
    yield from (folder.parent for folder in parents if folder.name in _BIN_NAMES)
    # npm's global packages: PREFIX/lib/node_modules/PACKAGE/...
    yield from (
        folder.parent.parent for folder in parents if folder.name == "node_modules" and folder.parent.name == "lib"
    )


def _is_installation(prefix: Path) -> bool:
    private = {Path.home(), Path.home() / ".local", Path.home() / ".config", Path.cwd()}
    if any(folder == prefix or prefix in folder.parents for folder in private):
        return False
    return not (prefix / ".git").exists() and (
        (prefix / "pyvenv.cfg").is_file() or ((prefix / "bin").is_dir() and (prefix / "lib").is_dir())
    )

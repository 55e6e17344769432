"""Which programs outside of the system's folders a sandbox shows, and the PATH that finds them there."""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

from skillgrade.workspace.bubblewrap.host_programs import find_program, is_of_system, needed_paths, search_path

_STANDARD = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
_ALWAYS = ("bash", "git", "node", "npm", "npx", "python", "python3", "uv")
"""What scripts in a workspace call without the task's saying so."""

_SHELLS = frozenset({"bash", "sh", "dash", "zsh", "env"})
_WORD = re.compile(r"[\w.+-]+")
_READ_LENGTH = 4096
"""Characters of a shell's command line that are searched for programs."""


class ShownPrograms:
    """Finds programs by the runner's own PATH, and remembers what each of them needs. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._needed: dict[tuple[str, str], tuple[Path, ...]] = {}

    def of(self, argv: Sequence[str]) -> tuple[Path, ...]:
        """What must be shown of the host so that a command line finds its programs, and those that scripts call."""
        path = os.environ.get("PATH", "")
        found = dict.fromkeys(place for name in _names(argv) for place in self._of_one(name, path))
        return tuple(place for place in found if not any(other in place.parents for other in found))

    def search_path(self, shown: Iterable[Path]) -> str:
        """The runner's PATH, without the folders that the sandbox lacks."""
        shown = tuple(shown)
        folders = [folder for folder in search_path(os.environ.get("PATH", "")) if _is_there(Path(folder), shown)]
        return os.pathsep.join(dict.fromkeys((*folders, *_STANDARD)))

    def shim(self, name: str) -> str | None:
        """Where a program is that cannot be shown, since only a shim of it is on the PATH; None for any other."""
        if "/" in name or find_program(name, search_path(os.environ.get("PATH", ""))) is not None:
            return None
        return shutil.which(name)

    def _of_one(self, name: str, path: str) -> tuple[Path, ...]:
        with self._lock:
            if (name, path) not in self._needed:
                folders = search_path(path)
                program = find_program(name, folders)
                self._needed[name, path] = () if program is None else needed_paths(program, folders)
            return self._needed[name, path]


def _names(argv: Sequence[str]) -> Iterable[str]:
    names = [*_ALWAYS, argv[0]]
    if posixpath.basename(argv[0]) in _SHELLS:
        names += _WORD.findall(" ".join(argv[1:4])[:_READ_LENGTH])
    return dict.fromkeys(names)


def _is_there(folder: Path, shown: Sequence[Path]) -> bool:
    return is_of_system(folder) or any(place in (folder, *folder.parents) or folder == place.parent for place in shown)

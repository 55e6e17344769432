"""Files by which processes agree on who makes an image.

They lie in the user's own state folder (XDG Base Directory Specification): in a folder that all may write to, somebody
else could put a link in their place.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skillgrade.errors import ProviderError, Stage
from skillgrade.reading import reason
from skillgrade.stop import Stop
from skillgrade.workspace.leftover import Leftover

_SUFFIX = ".lock"


@contextmanager
def image_lock(digest: str, stop: Stop) -> Iterator[None]:
    """Hold what lets one thread of one process make an image at a time.

    Raises:
        ProviderError: The lock's file cannot be made.
        Cancelled: The stop came while waiting.
    """
    from filelock import FileLock, Timeout

    folder = lock_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(folder / f"{digest}{_SUFFIX}")
        while True:
            stop.check()
            try:
                lock.acquire(timeout=0.25, poll_interval=0.05)
                break
            except Timeout:
                continue
    except OSError as error:
        remedy = "permit it, or set XDG_STATE_HOME to another place"
        raise ProviderError(f"{folder}: cannot be used for locks ({reason(error)}): {remedy}", Stage.IMAGE) from error
    try:
        yield
    finally:
        lock.release()


def lock_folder() -> Path:
    """Where the files are."""
    state = os.environ.get("XDG_STATE_HOME", "")
    # The specification: a path that is not absolute does not count.
    return (Path(state) if state.startswith("/") else _home() / ".local" / "state") / "skillgrade" / "locks"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # a user without a home; what cannot be written there is told as such
        return Path("/")


def idle_locks() -> list[Leftover]:
    """The files that no process holds; a process that waits for one that goes away makes its image twice, at worst."""
    return [_leftover(path) for path in sorted(lock_folder().glob(f"*{_SUFFIX}")) if not _is_held(path)]


def _leftover(path: Path) -> Leftover:
    def remove() -> str | None:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            return reason(error)
        return None

    return Leftover(f"lock file {path}", lambda: None, remove)


def _is_held(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False

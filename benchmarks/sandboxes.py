"""A trial under bubblewrap, against the same two sandboxes started by hand."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.local import SHELLS
from benchmarks.measure import Row, Size, Skipped, compare, milliseconds
from benchmarks.suites import trial_milliseconds, write_suite
from skillgrade.workspace import PROVIDERS

TRIALS = 60


def run(size: Size, folder: Path) -> Iterator[Row]:
    bwrap = program()
    trials = size.trials(TRIALS)
    suite = write_suite(folder, 1, trials, "bubblewrap")
    for parallel in (1, 4, 8):
        yield compare(
            "bubblewrap",
            f"{trials} trials of one task, parallel {parallel}",
            partial(by_hand, bwrap, trials, parallel),
            partial(trial_milliseconds, suite, parallel, trials),
            size.rounds,
            1.5,
        )


def program() -> str:
    """The bubblewrap that trials use.

    Raises:
        Skipped: There is none that works.
    """
    if "bubblewrap" not in PROVIDERS:
        raise Skipped("this version has no provider bubblewrap")
    problem = PROVIDERS["bubblewrap"]().check()
    if problem is not None:
        raise Skipped(problem)
    from skillgrade.workspace.bubblewrap.binary import find_bubblewrap

    found = find_bubblewrap()
    if isinstance(found, str):
        raise Skipped(found)
    return found.path


def by_hand(bwrap: str, trials: int, parallel: int) -> float:
    """Milliseconds per trial."""
    system = [word for name in ("/usr", "/bin", "/lib", "/lib64", "/etc") for word in ("--ro-bind-try", name, name)]

    def trial(_number: int) -> None:
        folder = Path(tempfile.mkdtemp())
        for name in ("base", "upper", "work", "home", "tmp"):
            (folder / name).mkdir()
        layers = ("--overlay-src", "base", "--overlay", "upper", "work", "/workspace")
        own = ("--bind", "home", "/home", "--bind", "tmp", "/tmp", "--proc", "/proc", "--dev", "/dev")
        box = (bwrap, *system, *layers, *own, "--unshare-all", "--die-with-parent", "--chdir", "/workspace", "--")
        for _ in range(SHELLS):
            subprocess.run(
                [*box, "bash", "-c", "true"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=True,
            )
        _remove(folder)

    with ThreadPoolExecutor(parallel) as threads:
        return milliseconds(lambda: list(threads.map(trial, range(trials)))) / trials


def _remove(folder: Path) -> None:
    inner = folder / "work" / "work"
    if inner.exists():
        inner.chmod(0o700)  # the kernel makes it without any rights
    shutil.rmtree(folder)

"""A trial on the host, against a folder, two shells and the folder's removal by hand on the same file system."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.machine import file_system
from benchmarks.measure import Row, Size, compare, milliseconds
from benchmarks.suites import trial_milliseconds, write_suite

TRIALS = 100
SHELLS = 2
"""One for the agent, one for the grader."""


def run(size: Size, folder: Path) -> Iterator[Row]:
    trials = size.trials(TRIALS)
    one = write_suite(folder / "one", 1, trials, "local")
    many = write_suite(folder / "many", trials, 1, "local")
    where = file_system(Path(tempfile.gettempdir()))
    for parallel in (1, 4, 8):
        yield compare(
            "local",
            f"{trials} trials of one task, parallel {parallel}",
            partial(by_hand, trials, parallel),
            partial(trial_milliseconds, one, parallel, trials),
            size.rounds,
            2.0,
            note=f"on {where}",
        )
    yield compare(
        "local",
        f"{trials} tasks x 1 trial against 1 task x {trials} trials, parallel 4",
        partial(trial_milliseconds, one, 4, trials),
        partial(trial_milliseconds, many, 4, trials),
        size.rounds,
        1.1,
        note=f"on {where}",
    )


def by_hand(trials: int, parallel: int) -> float:
    """Milliseconds per trial."""
    with ThreadPoolExecutor(parallel) as threads:
        return milliseconds(lambda: list(threads.map(_trial, range(trials)))) / trials


def _trial(_number: int) -> None:
    folder = tempfile.mkdtemp()
    for _ in range(SHELLS):
        subprocess.run(["bash", "-c", "true"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    shutil.rmtree(folder)

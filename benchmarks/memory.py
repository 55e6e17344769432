"""Whether memory grows with the number of trials: the peak of many against that of few."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, Size, compare
from benchmarks.suites import SKILLGRADE, write_suite

FEW, MANY = 100, 2000


def run(size: Size, folder: Path) -> Iterator[Row]:
    few, many = size.trials(FEW), size.trials(MANY)
    small = write_suite(folder / "few", 1, few, "local")
    large = write_suite(folder / "many", 1, many, "local")
    yield compare(
        "memory",
        f"peak of {many} trials against {few}, parallel 4",
        lambda: peak(small),
        lambda: peak(large),
        max(1, size.rounds // 2),
        1.2,
        unit="MB",
    )


def peak(folder: Path) -> float:
    """The highest resident memory of a run, in MB."""
    process = subprocess.Popen(
        [*SKILLGRADE, f"--file={folder}", "--parallel=4"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"the run in {folder} ended with {process.returncode}")
    return usage.ru_maxrss / 1000

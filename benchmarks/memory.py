"""Whether memory grows with the number of trials: the peak of many against that of few."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, Size, compare
from benchmarks.suites import SKILLGRADE, write_suite

FEW, MANY = 100, 2000

# A small process of its own: Linux counts the memory of whoever starts a program to that program's peak.
_LAUNCHER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


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
    """The highest resident memory of a run's largest process, in MB."""
    return peak_of(*SKILLGRADE, f"--file={folder}", "--parallel=4")


def peak_of(*command: str) -> float:
    """The highest resident memory of a command's largest process, in MB."""
    done = subprocess.run(
        [sys.executable, "-c", _LAUNCHER, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return int(done.stdout) / 1000

"""How long the command line takes before it does anything: against an interpreter that does nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measure import Row, Size, compare, milliseconds
from benchmarks.suites import SKILLGRADE, call, write_suite

TASKS = 100


def run(size: Size, folder: Path) -> Iterator[Row]:
    bare = partial(_took, sys.executable, "-c", "pass")
    rounds = size.rounds * 3
    for flag in ("--help", "--version"):
        yield compare("startup", flag, bare, partial(_took, *SKILLGRADE, flag), rounds, 6.0)
    suite = write_suite(folder, size.trials(TASKS), 1, "local")
    yield compare(
        "startup",
        f"--list of {size.trials(TASKS)} tasks",
        bare,
        partial(_took, *SKILLGRADE, f"--file={suite}", "--list"),
        rounds,
        25.0,
    )


def _took(*command: str) -> float:
    return milliseconds(lambda: call(*command))

"""The npm tool of the same name on the same files, beside ours."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measure import Row, Size, Skipped, compare, milliseconds
from benchmarks.suites import call, run_suite, write_suite

PACKAGE = "skillgrade@0.3.0"
TRIALS = 30


def run(size: Size, folder: Path) -> Iterator[Row]:
    theirs = install(folder / "npm")
    trials = size.trials(TRIALS)
    suite = write_suite(folder / "suite", 1, trials, "local", skill_bytes=1000)
    for parallel in (1, 4):
        flags = (f"--trials={trials}", f"--parallel={parallel}", "--provider=local", f"--output={folder / 'theirs'}")
        yield compare(
            "peer",
            f"{trials} trials of one task, provider local, parallel {parallel}: whole command, floor is npm's",
            partial(_theirs, suite, theirs, *flags),
            partial(_ours, suite, folder / "ours", parallel),
            size.rounds,
            None,
            note=PACKAGE,
        )


def install(folder: Path) -> Path:
    """Install it into a scratch folder; gives back its program.

    Raises:
        Skipped: There is no npm, or the registry does not answer.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Skipped("there is no npm on the PATH")
    folder.mkdir(parents=True)
    try:
        call(npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", f"--prefix={folder}", PACKAGE)
    except RuntimeError as error:
        raise Skipped(f"npm could not install {PACKAGE}: {str(error).splitlines()[-1]}") from error
    return folder / "node_modules" / ".bin" / "skillgrade"


def _ours(suite: Path, output: Path, parallel: int) -> float:
    # Results beside the eval would lie in the skill's folder, which the other tool copies whole for each trial.
    return milliseconds(lambda: run_suite(suite, parallel, f"--output={output}"))


def _theirs(suite: Path, program: Path, *flags: str) -> float:
    return milliseconds(lambda: _call_in(suite, str(program), *flags))


def _call_in(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-500:]}")

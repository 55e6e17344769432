"""Suites for benchmarks, and running skillgrade on them as a user does: as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.measure import milliseconds

GRADER = """echo '{"score": 1, "details": "ok"}'"""
SKILLGRADE = (sys.executable, "-m", "skillgrade")


def write_suite(folder: Path, tasks: int, trials: int, provider: str, skill_bytes: int = 0) -> Path:
    """An eval whose agent does nothing and whose one grader is trivial.

    Args:
        folder: Made where it is missing.
        tasks: How many tasks.
        trials: Trials per task.
        provider: Where they run.
        skill_bytes: Size of a file in its skill; 0 for no skill.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        'version: "1"',
        f'defaults: {{agent: command, command: "true", provider: {provider}, trials: {trials}, timeout: 60}}',
        "tasks:",
    ]
    for number in range(tasks):
        lines += [
            f"  - name: task-{number}",
            "    instruction: Do nothing.",
            f'    metadata: {{level: "{number % 5}"}}',
            "    graders:",
            "      - type: deterministic",
            f"        run: {json.dumps(GRADER)}",
        ]
    (folder / "eval.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if skill_bytes:
        (folder / "SKILL.md").write_text("---\nname: big\ndescription: A skill with much in it.\n---\n", "utf-8")
        (folder / "data.bin").write_bytes(os.urandom(skill_bytes))
    return folder


def run_suite(folder: Path, parallel: int, *flags: str) -> None:
    """Run it; every trial must pass."""
    call(*SKILLGRADE, f"--file={folder}", f"--parallel={parallel}", "--ci", "--threshold=1", *flags)


def trial_milliseconds(folder: Path, parallel: int, trials: int) -> float:
    """What each further trial costs: all of them without what a run of one costs (start, loading, one trial)."""
    one = milliseconds(lambda: run_suite(folder, parallel, "--eval=task-0", "--trials=1"))
    return (milliseconds(lambda: run_suite(folder, parallel)) - one) / (trials - 1)


def call(*command: str) -> None:
    """Run a command; what it printed is shown only when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )

"""The command as users start it: a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

EVAL = """\
version: "1"
defaults:
  agent: command
  command: cat > out.txt
  provider: local
  trials: 2
tasks:
  - name: writes
    instruction: write this down
    metadata: {tier: easy, tags: [smoke, fast]}
    graders:
      - type: deterministic
        run: |
          [ -s out.txt ] && s=1 || s=0
          printf '{"score": %s, "details": "out.txt", "checks": [{"name": "written", "passed": %s}]}' \\
            $s "$([ $s = 1 ] && echo true || echo false)"
    solution: solve.sh
  - name: reads
    instruction: read that
    metadata: {tier: hard}
    threshold: 0.3
    graders:
      - type: deterministic
        run: |
          [ -s answer.txt ] && s=1 || s=0.4
          printf '{"score": %s, "details": "no answer", "checks": [{"name": "answered", "passed": false}]}' $s
    solution: solve.sh
"""
SOLVE = "echo done > out.txt; echo done > answer.txt\n"


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


class Shell:
    """Runs `skillgrade` in a folder, with a clean environment."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tmp = root.parent / f"{root.name}-tmp"
        self.tmp.mkdir()

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "DOCKER_HOST") if name in os.environ}
        return {**kept, "TMPDIR": str(self.tmp), **more}

    def argv(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "skillgrade", *arguments]

    def run(self, *arguments: str, env: Mapping[str, str] | None = None, folder: str = ".") -> Outcome:
        done = subprocess.run(
            self.argv(*arguments),
            cwd=self.root / folder,
            env=self.environment(**(env or {})),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=110,
        )
        assert "Traceback" not in done.stderr + done.stdout
        return Outcome(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def start(self, *arguments: str, env: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
        """A `skillgrade` that goes on, in a process group of its own; killed if the test leaves it running."""
        process = subprocess.Popen(
            self.argv(*arguments),
            cwd=self.root,
            env=self.environment(**(env or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        with process:
            try:
                yield process
            finally:
                process.kill()

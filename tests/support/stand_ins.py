"""Programs that stand in for agents' tools: scripts under their names, on the PATH of a test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def stand_in(name: str, script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program first on the PATH: a bash script under a name, in an install prefix as sandboxes show them."""
    (folder / "lib").mkdir(parents=True, exist_ok=True)
    (folder / "bin").mkdir(exist_ok=True)
    program = folder / "bin" / name
    program.write_text(f"#!/bin/bash\n{script}\n")
    program.chmod(0o755)
    path = os.environ["PATH"].split(os.pathsep)
    if str(folder / "bin") not in path:
        monkeypatch.setenv("PATH", os.pathsep.join([str(folder / "bin"), *path]))
    return program

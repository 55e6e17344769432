"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path


def describe() -> dict[str, object]:
    """The machine, the interpreter and the day."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "system": f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}",
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "docker": _docker_version(),
    }


def file_system(path: Path) -> str:
    """The type of file system that holds a path, such as ``ext4``."""
    done = subprocess.run(["df", "--output=fstype", path], capture_output=True, text=True, check=False)
    return done.stdout.split()[-1] if done.returncode == 0 else "a file system of unknown type"


def _docker_version() -> str | None:
    try:
        done = subprocess.run(
            ["docker", "version", "--format", "{{.Server.Version}}"], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return done.stdout.strip() or None

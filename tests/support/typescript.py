"""What runs TypeScript on this machine."""

from __future__ import annotations

import shutil
import subprocess

import pytest


def typescript_runner() -> list[str]:
    """The start of a command line that runs a TypeScript file; skips the test where nothing does."""
    if shutil.which("tsx"):
        return ["tsx"]
    stripping = ["node", "--experimental-strip-types", "--no-warnings"]
    if shutil.which("node") and subprocess.run([*stripping, "-e", ""], capture_output=True).returncode == 0:
        return stripping
    pytest.skip("nothing here runs TypeScript: neither tsx nor Node 22.6 or newer")

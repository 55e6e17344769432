"""The command as users start it: a process of its own, in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.shell import EVAL, SOLVE, Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """An eval with two tasks, of which the first passes and the second fails."""
    made = Shell(tmp_path)
    made.write("eval.yaml", EVAL)
    made.write("solve.sh", SOLVE)
    return made

"""The command that changes the skill."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillgrade.engine.refine.refiner import Refiner
from skillgrade.errors import UserError
from skillgrade.stop import Stop


def run(command: str, tmp_path: Path, timeout: float = 20.0) -> Path:
    folder = tmp_path / "copy"
    folder.mkdir()
    variables = {"PATH": os.environ["PATH"], "PWD": "/eval", "OLDPWD": "/eval", "KEY": "k"}
    Refiner(command, timeout).run(folder, "what is wrong\n", tmp_path / "kept", variables, Stop())
    return folder


def test_it_gets_the_text_and_changes_the_copy(tmp_path: Path) -> None:
    folder = run('cat > told.txt; echo "$PWD $OLDPWD $KEY" > env.txt; echo done', tmp_path)
    assert (folder / "told.txt").read_text() == "what is wrong\n"
    assert (folder / "env.txt").read_text() == f"{folder}  k\n"
    assert (tmp_path / "kept" / "told.txt").read_text() == "what is wrong\n"
    assert (tmp_path / "kept" / "stdout.txt").read_text() == "done\n"


@pytest.mark.parametrize(
    ("command", "timeout", "why"),
    [
        ("echo oops >&2; exit 3", 20.0, "ended with exit code 3: oops"),
        ("sleep 60", 0.2, r"did not end within 0\.2 s; --refiner-timeout gives it more"),
    ],
)
def test_one_that_fails_is_named_with_where_it_said_what(
    tmp_path: Path, command: str, timeout: float, why: str
) -> None:
    with pytest.raises(UserError, match=f"the refiner {why}; what it said is in .*kept; --resume goes on from here"):
        run(command, tmp_path, timeout)

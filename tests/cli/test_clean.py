"""`skillgrade clean` as users start it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.stop import Stop
from skillgrade.workspace.locks import image_lock
from tests.support.containers import DockerRun, docker_run
from tests.support.shell import Shell

MAKE_FOLDER = (
    "from skillgrade.workspace.temporary import make_temporary_folder as make; print(make('r1', 'trial \\x1b[31m'))"
)


@pytest.fixture
def nowhere(shell: Shell) -> dict[str, str]:
    """No daemon, and a state folder for this test alone."""
    return {"DOCKER_HOST": f"unix://{shell.tmp}/nothing.sock", "XDG_STATE_HOME": str(shell.tmp / "state")}


@pytest.fixture
def dead(shell: Shell) -> Path:
    """A temporary folder of a process that is gone, with 3 MB in it."""
    argv = [sys.executable, "-c", MAKE_FOLDER]
    made = subprocess.run(argv, env=shell.environment(), capture_output=True, text=True, check=True).stdout.strip()
    (Path(made) / "workspace").mkdir()
    (Path(made) / "workspace" / "big").write_bytes(bytes(3_000_000))
    return Path(made)


@pytest.fixture
def stubborn(dead: Path) -> Iterator[None]:
    """A mount in it, so that it cannot be removed."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(dead / "workspace")]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a file system needs root")
    yield
    subprocess.run(["umount", dead / "workspace"], check=True)
    shutil.rmtree(dead)


def test_without_a_daemon_it_says_so_and_does_the_rest(shell: Shell, dead: Path, nowhere: dict[str, str]) -> None:
    described = f"folder {dead} (trial \ufffd[31m of run r1), 3.0 MB\n"
    dry = shell.run("clean", "--dry-run", env=nowhere)
    assert dry.code == 0
    assert "containers and images are left out: " in dry.out
    assert "no Docker daemon answers" in dry.out
    assert f"would remove {described}" in dry.out
    assert dead.is_dir()
    done = shell.run("clean", env=nowhere)
    assert done.code == 0
    assert f"removed {described}" in done.out
    assert not dead.exists()
    again = shell.run("clean", env=nowhere)
    assert (again.code, again.out.splitlines()[-1]) == (0, "nothing to remove")


def test_what_a_live_process_uses_stays(shell: Shell, nowhere: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", nowhere["XDG_STATE_HOME"])
    script = f"{MAKE_FOLDER}; import sys; sys.stdout.flush(); sys.stdin.read()"
    live = subprocess.Popen(
        [sys.executable, "-c", script],
        env=shell.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with live, image_lock("held", Stop()):
        assert live.stdout is not None
        folder = Path(live.stdout.readline().strip())
        with image_lock("idle", Stop()):
            pass
        done = shell.run("clean", env=nowhere)
        assert folder.is_dir()
        assert [path.name for path in (shell.tmp / "state/skillgrade/locks").iterdir()] == ["held.lock"]
        live.communicate()
    assert done.out.splitlines()[1:] == [f"removed lock file {shell.tmp}/state/skillgrade/locks/idle.lock"]
    assert shell.run("clean", env=nowhere).code == 0
    assert not folder.exists()


def test_what_cannot_be_removed_is_an_error(shell: Shell, dead: Path, nowhere: dict[str, str], stubborn: None) -> None:
    done = shell.run("clean", env=nowhere)
    assert done.code == 3
    assert f"cannot remove folder {dead} (" in done.err
    assert "cannot be removed: " in done.err
    assert "removed folder" not in done.out


@pytest.mark.docker
def test_containers_of_dead_runs_go_and_those_of_live_ones_stay(shell: Shell, tmp_path: Path) -> None:
    with docker_run(tmp_path) as run:
        run.open()
        (live,) = run.containers()
        dead = _container_of_a_dead_run(run)
        done = shell.run("clean")
        assert done.code == 0
        assert run.containers() == [live]
        assert live[:12] not in done.out
        assert dead[:12] not in shell.run("clean", "--dry-run").out


def _container_of_a_dead_run(run: DockerRun) -> str:
    (live,) = run.containers()
    config = run.client.api.inspect_container(live)["Config"]
    labels = {**config["Labels"], "skillgrade.started": "1"}
    return str(run.client.api.create_container(config["Image"], labels=labels)["Id"])

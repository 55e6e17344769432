"""What a run leaves that is killed outright, at each of its stages, and that the next run or `clean` removes it."""

from __future__ import annotations

import signal
import uuid
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import docker
import pytest

from tests.e2e.test_docker_run import EVAL, containers_of, task
from tests.support.processes import eventually
from tests.support.shell import Shell

PROVIDERS = [
    "local",
    pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
    pytest.param("docker", marks=pytest.mark.docker),
]
HANGS = "sleep 600."
"""Followed by a number that only one test has, so that its process can be told from others."""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def hanging(number: str) -> bool:
    """Whether a process hangs, in a container or not: this machine's table shows all."""
    wanted = f"{HANGS.split()[1]}{number}".encode()
    return any(wanted in _arguments(process) for process in Path("/proc").glob("[0-9]*"))


def _arguments(process: Path) -> list[bytes]:
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []
    return words if words[0].endswith(b"sleep") else []


def journaled(shell: Shell) -> bool:
    return any(b'"kind":"trial"' in path.read_bytes() for path in (shell.root / ".skillgrade").glob("*/journal.jsonl"))


def images_of(shell: Shell) -> list[str]:
    runs = [path.name for path in (shell.root / ".skillgrade").glob("2*")]
    with closing(docker.APIClient()) as api:
        return [image["Id"] for run in runs for image in api.images(filters={"label": f"skillgrade.run={run}"})]


def start_and_kill(shell: Shell, stage: str, provider: str, number: str) -> None:
    hang = f"{HANGS}{number}"
    made = {
        "set-up": task("a", docker={"setup": hang}),
        "agent": task("a", command=hang),
        "grading": task("a", hang),
        "writing": task("a", trials=300),
    }
    shell.write("eval.yaml", EVAL.replace("docker", provider) + made[stage])
    reached: Callable[[], bool] = (lambda: journaled(shell)) if stage == "writing" else (lambda: hanging(number))
    with shell.start("--parallel=2") as process:
        assert eventually(reached, 60)
        process.send_signal(signal.SIGKILL)
    if provider != "docker":
        assert eventually(lambda: not hanging(number)), "processes end with the run, without anybody's help"


@pytest.mark.parametrize("remedy", ["next run", "clean"])
@pytest.mark.parametrize("stage", ["set-up", "agent", "grading", "writing"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_nothing_of_a_killed_run_stays(shell: Shell, provider: str, stage: str, remedy: str) -> None:
    number = str(uuid.uuid4().int)
    start_and_kill(shell, stage, provider, number)
    if remedy == "clean":
        done = shell.run("clean")
    else:
        shell.write("eval.yaml", EVAL.replace("docker", provider) + task("a"))
        done = shell.run()
    assert done.code == 0, done.err
    assert eventually(lambda: not hanging(number))
    assert [path.name for path in shell.tmp.iterdir()] == []
    if provider == "docker":
        assert eventually(lambda: not containers_of(shell)), "another process may have begun to remove them"
        assert images_of(shell) == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_clean_leaves_a_live_run_alone(shell: Shell, provider: str) -> None:
    number = str(uuid.uuid4().int)
    shell.write("eval.yaml", EVAL.replace("docker", provider) + task("a", command=f"{HANGS}{number} || true"))
    with shell.start() as process:
        assert eventually(lambda: hanging(number), 60)
        before = sorted(path.name for path in shell.tmp.iterdir())
        assert shell.run("clean").code == 0
        assert sorted(path.name for path in shell.tmp.iterdir()) == before
        assert hanging(number)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert [path.name for path in shell.tmp.iterdir()] == []

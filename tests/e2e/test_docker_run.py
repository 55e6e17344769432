"""Whole runs in real containers, also when something breaks under them."""

from __future__ import annotations

import json
import os
import re
import signal
from contextlib import closing, suppress
from pathlib import Path

import docker
import pytest

from tests.support.processes import eventually
from tests.support.shell import Shell

PASS = """echo '{"score": 1, "details": "fine"}'"""
EVAL = """\
version: "1"
defaults: {agent: command, command: "true", provider: docker, trials: 1, retries: 0}
tasks:
"""


def task(name: str, run: str = PASS, **keys: object) -> str:
    spec = {"name": name, "instruction": "x", "graders": [{"type": "deterministic", "run": run}], **keys}
    return f"  - {json.dumps(spec)}\n"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def containers_of(shell: Shell) -> list[str]:
    runs = [path.name for path in (shell.root / ".skillgrade").glob("2*")]
    with closing(docker.APIClient()) as api:  # the high-level list inspects each one, which may be gone by then
        return [
            container["Id"]
            for run in runs
            for container in api.containers(all=True, filters={"label": f"skillgrade.run={run}"})
        ]


def busy_containers(shell: Shell) -> list[str]:
    """Those of them in which the agent `sleep 600` is at work."""
    busy = []
    with closing(docker.APIClient()) as api:
        for container in containers_of(shell):
            with suppress(docker.errors.APIError):  # not started yet, or gone
                if any("sleep 600" in " ".join(process) for process in api.top(container)["Processes"]):
                    busy.append(container)
    return busy


@pytest.mark.docker
def test_a_run_leaves_no_container_and_its_image_serves_the_next_run(shell: Shell) -> None:
    shell.write("eval.yaml", EVAL + task("a", trials=3) + task("b"))
    first = json.loads(shell.run("--json").out)
    second = json.loads(shell.run("--json").out)
    assert first["totals"]["passed"] == 4
    assert (first["isolation"], first["provider"]) == ("container", "docker")
    assert first["images"] == second["images"]
    assert len(first["images"]) == 1
    assert containers_of(shell) == []


@pytest.mark.docker
def test_running_out_of_memory_is_an_error_that_says_so(shell: Shell) -> None:
    hungry = "python3 -c 'x = bytearray(300 * 2**20); print(len(x))'"
    shell.write(
        "eval.yaml",
        EVAL
        + task("agent", command=hungry, environment={"memory_mb": 64})
        + task("grader", hungry, environment={"memory_mb": 64}),
    )
    done = shell.run()
    assert done.code == 3
    assert "agent: the workspace ran out of its 64 MiB of memory (environment.memory_mb)" in done.out
    assert "the grader was killed because the workspace ran out of memory (memory_mb)" in done.out
    assert "failed" not in done.out


@pytest.mark.docker
def test_an_image_that_does_not_build_errors_its_trials_and_shows_the_end_of_the_build(shell: Shell) -> None:
    setup = "echo the last words of the build\nexit 9"
    shell.write("eval.yaml", EVAL + task("broken", docker={"setup": setup}, trials=2) + task("sound"))
    done = shell.run()
    assert done.code == 3
    assert "passed    sound #0" in done.out
    assert "2 errored (no verdict; in no rate):" in done.out
    assert "the last words of the build" in done.out


@pytest.mark.docker
def test_an_image_that_is_nowhere_is_one_clear_sentence(shell: Shell) -> None:
    shell.write("eval.yaml", EVAL + task("a", docker={"base": "no-such-image-anywhere:1"}))
    done = shell.run()
    assert done.code == 3
    assert "no-such-image-anywhere:1" in done.out + done.err


def test_without_a_daemon_docker_is_one_clear_sentence(shell: Shell) -> None:
    nowhere = {"DOCKER_HOST": f"unix://{shell.tmp}/nothing.sock"}
    shell.write("eval.yaml", EVAL + task("a"))
    done = shell.run(env=nowhere)
    assert done.code == 3
    assert done.err.count("\n") == 1
    assert "docker" in done.err.lower()


def test_auto_goes_without_a_daemon_but_never_for_a_task_that_asks_for_an_image(shell: Shell) -> None:
    nowhere = {"DOCKER_HOST": f"unix://{shell.tmp}/nothing.sock"}
    auto = EVAL.replace("docker", "auto")
    shell.write("eval.yaml", auto + task("a"))
    done = shell.run(env=nowhere)
    assert done.code == 0
    assert re.search("auto chose (bubblewrap, a sandbox|local, which isolates nothing)", done.out)
    shell.write("eval.yaml", auto + task("a", docker={"base": "node:20-slim"}))
    refused = shell.run(env=nowhere)
    assert refused.code == 2
    assert "--provider=local" in refused.err
    assert shell.run("--provider=local", env=nowhere).code == 0


@pytest.mark.docker
def test_auto_takes_docker_and_says_so(shell: Shell) -> None:
    shell.write("eval.yaml", EVAL.replace("docker", "auto") + task("a"))
    done = shell.run("--json")
    assert json.loads(done.out)["provider"] == "docker"
    assert "auto chose docker" in done.err


@pytest.mark.docker
@pytest.mark.parametrize(("where", "details"), [({}, "made 0"), ({"grader_workspace": "same"}, "planted")])
def test_a_root_agent_s_tricks_do_not_reach_the_graders(shell: Shell, where: dict[str, str], details: str) -> None:
    """It replaces the interpreter that the grader needs; graders run in a container that it never saw."""
    planted = """#!/bin/sh\necho '{"score": 1, "details": "planted"}'\n"""
    shell.write("planted.sh", planted)
    trick = (
        "cp planted.sh /usr/local/bin/python3; chmod +x /usr/local/bin/python3; echo made > made.txt; id -u > id.txt"
    )
    shell.write(
        "graders/check.py",
        "words = [open(name).read().strip() for name in ('made.txt', 'id.txt')]\n"
        """print('{"score": 0.25, "details": "%s %s"}' % tuple(words))\n""",
    )
    honest = "python3 graders/check.py"
    shell.write(
        "eval.yaml", EVAL + task("a", honest, command=trick, docker={"user": "root"}, workspace=["planted.sh"], **where)
    )
    (trial,) = json.loads(shell.run("--json").out)["tasks"][0]["trials"]
    assert trial["grader_results"][0]["details"] == details


@pytest.mark.docker
def test_a_root_agent_s_file_with_holes_does_not_fill_the_disk(shell: Shell) -> None:
    shell.write("eval.yaml", EVAL + task("a", command="truncate -s 100G big", docker={"user": "root"}))
    done = shell.run()
    assert done.code == 3
    assert "collect: /workspace holds more than the 1024 MiB that are carried over to graders" in done.out


@pytest.mark.docker
def test_the_agent_is_a_plain_user_without_a_network_when_the_file_says_so(shell: Shell) -> None:
    look = "id -u > id.txt; ls /sys/class/net | tr '\\n' ' ' > net.txt; "
    look += "touch /usr/x 2>/dev/null || echo refused > root.txt"
    check = """printf '{"score": 1, "details": "%s %s%s"}' "$(cat id.txt)" "$(cat net.txt)" "$(cat root.txt)" """
    shell.write("eval.yaml", EVAL + task("a", check, command=look, network="none"))
    (trial,) = json.loads(shell.run("--json").out)["tasks"][0]["trials"]
    assert trial["grader_results"][0]["details"] == "1000 lo refused"


@pytest.mark.docker
@pytest.mark.parametrize("signals", [[signal.SIGINT], [signal.SIGINT, signal.SIGINT, signal.SIGTERM]])
def test_ctrl_c_leaves_no_container(shell: Shell, signals: list[signal.Signals]) -> None:
    shell.write("eval.yaml", EVAL + task("a", command="trap '' INT TERM; sleep 600", trials=4))
    with shell.start("--parallel=2") as process:
        assert eventually(lambda: len(containers_of(shell)) == 3, 60)  # two at work, one ahead
        for number in signals:
            os.killpg(process.pid, number)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in out
    assert "interrupted: 4 of 4 trials" in out
    assert containers_of(shell) == []

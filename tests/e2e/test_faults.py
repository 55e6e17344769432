"""Faults injected into whole runs with the real thing: kills, a daemon that goes away, a full disk."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.test_docker_run import EVAL, busy_containers, containers_of, task
from tests.support.processes import alive, eventually
from tests.support.shell import Shell
from tests.support.sockets import CuttableProxy

LOCAL = EVAL.replace("docker", "local")
DOCKER_SOCKET = "/var/run/docker.sock"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 512 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("mounting a file system needs root")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_killed_local_run_leaves_no_process_and_the_next_run_sweeps_its_folders(shell: Shell, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    command = f"echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}; setsid sleep 600 & trap '' TERM; sleep 600"
    shell.write("eval.yaml", LOCAL + task("a"))
    with shell.start(f"--command={command}") as process:
        assert eventually(pid_file.exists)
        process.kill()
    pid = int(pid_file.read_text())
    assert eventually(lambda: not alive(pid))
    assert list(shell.tmp.iterdir()) != []
    assert shell.run("--command=true").code == 0
    assert list(shell.tmp.iterdir()) == []


@pytest.mark.docker
def test_a_killed_docker_run_is_swept_by_the_next_one(shell: Shell) -> None:
    shell.write("eval.yaml", EVAL + task("a", trials=2))
    with shell.start("--command=sleep 600", "--parallel=2") as process:
        assert eventually(lambda: len(busy_containers(shell)) == 2, 60)
        process.kill()
    assert shell.run("--command=true").code == 0
    assert containers_of(shell) == []


@pytest.mark.docker
def test_a_daemon_that_goes_away_in_the_middle_errors_the_trials(shell: Shell) -> None:
    shell.write("eval.yaml", EVAL + task("a", trials=3))
    proxy = CuttableProxy(shell.tmp / "d.sock", DOCKER_SOCKET)
    try:
        environment = {"DOCKER_HOST": f"unix://{proxy.path}"}
        with shell.start("--command=sleep 600", "--parallel=2", env=environment) as process:
            assert eventually(lambda: len(busy_containers(shell)) == 2, 60)
            proxy.cut()
            out, _ = process.communicate(timeout=90)
    finally:
        proxy.close()
    assert process.returncode == 3
    assert "Traceback" not in out
    assert "3 errored (no verdict; in no rate):" in out
    assert "failed" not in out
    assert shell.run("--command=true", "--trials=1").code == 0
    assert containers_of(shell) == []


@pytest.mark.docker
def test_an_interrupt_ends_a_run_whose_daemon_hangs(shell: Shell) -> None:
    shell.write("eval.yaml", EVAL + task("a", trials=2))
    proxy = CuttableProxy(shell.tmp / "d.sock", DOCKER_SOCKET)
    try:
        environment = {"DOCKER_HOST": f"unix://{proxy.path}"}
        with shell.start("--command=sleep 600", "--parallel=2", env=environment) as process:
            assert eventually(lambda: len(busy_containers(shell)) == 2, 60)
            proxy.freeze()
            process.send_signal(signal.SIGINT)
            started = time.monotonic()
            out, _ = process.communicate(timeout=90)
            assert time.monotonic() - started < 40
    finally:
        proxy.close()
    assert process.returncode == 130
    assert "Traceback" not in out
    assert shell.run("--command=true", "--trials=1").code == 0
    assert containers_of(shell) == []


@pytest.mark.docker
def test_a_container_that_is_removed_under_a_trial_errors_it(shell: Shell) -> None:
    shell.write("eval.yaml", EVAL + task("a"))
    with shell.start("--command=sleep 600") as process:
        assert eventually(lambda: len(busy_containers(shell)) == 1, 60)
        subprocess.run(["docker", "rm", "--force", *containers_of(shell)], check=True, capture_output=True)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "the container was ended or removed while the trial used it" in out


def test_a_full_disk_is_a_clear_error_and_earlier_results_stand(shell: Shell, small_disk: Path) -> None:
    """The first trials fit; then the agent's output fills the disk on which results are kept."""
    fill = (
        f"[ -e {shell.tmp}/third ] && head -c 2000000 /dev/zero; [ -e {shell.tmp}/second ] && touch {shell.tmp}/third; "
    )
    fill += f"[ -e {shell.tmp}/first ] && touch {shell.tmp}/second; touch {shell.tmp}/first; true"
    shell.write("eval.yaml", LOCAL + task("a", command=fill, trials=9))
    done = shell.run(f"--output={small_disk}", "--parallel=1")
    assert done.code == 3
    assert "cannot be written (No space left on device): make room or choose another folder" in done.err + done.out
    (run,) = small_disk.glob("2*")
    for big in run.glob("trials/**/agent.stdout"):
        big.unlink()
    shown = shell.run("preview", f"--output={small_disk}", "--json")
    assert shown.code == 0
    trials = json.loads(shown.out)["tasks"][0]["trials"]
    assert [trial["outcome"] for trial in trials[:3]] == ["passed", "passed", "passed"]
    for mark in ("first", "second", "third"):
        (shell.tmp / mark).unlink()


def test_a_results_folder_that_cannot_be_written_is_a_clear_error(shell: Shell) -> None:
    shell.write("eval.yaml", LOCAL + task("a"))
    done = shell.run("--output=/proc/nowhere")
    assert done.code == 3
    assert done.err.startswith("skillgrade: error: /proc/nowhere: cannot be written")


def test_a_gigabyte_of_output_costs_neither_memory_nor_the_run(shell: Shell) -> None:
    shell.write("eval.yaml", LOCAL + task("a", command="head -c 1000000000 /dev/zero"))
    limited = ["prlimit", f"--as={2 * 2**30}", *shell.argv("--json")]
    done = subprocess.run(
        limited,
        cwd=shell.root,
        env=shell.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    (trial,) = json.loads(done.stdout)["tasks"][0]["trials"]
    assert trial["agent"]["output_bytes"] == 1_000_000_000
    assert trial["agent"]["output_truncated"]
    run = next((shell.root / ".skillgrade").glob("2*"))
    assert (run / trial["files"]["agent.stdout"]).stat().st_size < 11 * 2**20


def test_the_clock_may_jump_while_runs_go_on(shell: Shell) -> None:
    """Another run's id from the future: ids still sort, and durations are not affected."""
    shell.write("eval.yaml", LOCAL + task("a"))
    (shell.root / ".skillgrade" / "29991231-235958-ffff").mkdir(parents=True)
    first = json.loads(shell.run("--json").out)
    second = json.loads(shell.run("--json").out)
    assert "29991231-235958-ffff" < first["run_id"] < second["run_id"]
    assert 0 <= first["duration_ms"] < 60_000
    assert f"results: {shell.root}/.skillgrade/{second['run_id']}" in shell.run("preview").out


def test_no_file_and_no_line_holds_a_secret(shell: Shell) -> None:
    secrets = {"ANTHROPIC_API_KEY": "sk-ant-c4n4ry-of-the-shell", "MY_TOKEN": "t0ken/of+the=shell"}
    shell.write(".env", "SERVICE_KEY='k3y of the eval & more'\n")
    leak = (
        'env; echo "$SERVICE_KEY"; printf %s "$SERVICE_KEY" | base64; python3 -c \'import os, json, urllib.parse as u; '
    )
    leak += 'k = os.environ["SERVICE_KEY"]; print(json.dumps(k), u.quote(k), u.quote_plus(k))\''
    check = 'printf \'{"score": 0, "details": "%s %s"}\' "$SERVICE_KEY" "$ANTHROPIC_API_KEY"'
    shell.write("eval.yaml", LOCAL + task("a", check, command=leak, metadata={"note": "k3y of the eval & more"}))
    done = shell.run("--preview", env=secrets)
    assert done.code == 0
    shown = shell.run("--list", env=secrets)
    kept = b"".join(path.read_bytes() for path in (shell.root / ".skillgrade").rglob("*") if path.is_file())
    for text in (kept, done.out.encode(), done.err.encode()):
        for secret in (
            b"c4n4ry-of-the-shell",
            b"t0ken/of",
            b"k3y of the eval",
            b"azN5IG9mIHRoZSBldmFs",
            b"k3y%20of",
            b"k3y+of",
        ):
            assert secret not in text, secret
    assert shown.code == 0
    assert b"[redacted]" in kept


def test_exit_codes_do_not_hide_behind_each_other(shell: Shell) -> None:
    """Usage before everything, errors before the gate's no."""
    no = """echo '{"score": 0, "details": "no"}'"""
    shell.write("eval.yaml", LOCAL + task("fails", no) + task("errors", "echo broken"))
    assert shell.run("--ci").code == 3
    assert shell.run("--ci", "--eval=fails").code == 1
    assert shell.run("--eval=fails").code == 0
    assert shell.run("--ci", "--bogus").code == 2
    assert (shell.root / ".skillgrade").is_dir()

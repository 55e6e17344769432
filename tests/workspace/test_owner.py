from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from skillgrade.workspace.owner import this_process
from tests.support.processes import eventually


def test_the_process_that_asks_is_there() -> None:
    assert not this_process().is_gone()


def test_a_process_that_ended_is_gone() -> None:
    script = "from skillgrade.workspace.owner import this_process as t; print(t().pid, t().started)"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    pid, started = out.strip().split(" ", 1)
    assert dataclasses.replace(this_process(), pid=int(pid), started=started).is_gone()


def test_a_number_that_was_used_again_is_another_process() -> None:
    assert dataclasses.replace(this_process(), started="1").is_gone()


def test_what_cannot_be_told_is_not_gone() -> None:
    assert not dataclasses.replace(this_process(), host="elsewhere", pid=1, started="1").is_gone()
    assert not dataclasses.replace(this_process(), started="").is_gone()


def test_a_process_that_is_dead_and_not_yet_waited_for_is_gone() -> None:
    process = subprocess.Popen(["sleep", "600"])
    started = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
    owner = dataclasses.replace(this_process(), pid=process.pid, started=started)
    assert not owner.is_gone()
    process.kill()
    assert eventually(owner.is_gone)
    process.wait()


def test_a_namespace_that_counts_processes_by_itself_is_another_host() -> None:
    """Its number 1 is not ours, though the host's name is the same."""
    script = "from skillgrade.workspace.owner import this_process as t; print(t().host)"
    argv = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", script]
    inside = subprocess.run(argv, capture_output=True, text=True)
    if inside.returncode:
        pytest.skip("making a namespace needs root")
    assert inside.stdout.strip() != this_process().host
    assert inside.stdout.split("-")[0] == this_process().host.split("-")[0]

from __future__ import annotations

import dataclasses
import subprocess
import sys

from skillgrade.workspace.owner import this_process


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

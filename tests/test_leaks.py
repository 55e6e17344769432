"""The guard of every test sees what it guards against."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from tests.support import leaks
from tests.support.leaks import held, left


def test_each_kind_of_leak_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "_PATIENCE", 0.05)
    before = held(tmp_path)
    script = ["sh", "-c", "sleep 600 >/dev/null & echo $!"]
    orphan = int(subprocess.run(script, stdout=subprocess.PIPE, check=True).stdout)
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="forgotten")
    thread.start()
    descriptor = os.open(tmp_path, os.O_RDONLY)
    (tmp_path / "skillgrade-x").mkdir()
    found = left(before, tmp_path)
    os.close(descriptor)
    end.set()
    thread.join()
    os.kill(orphan, signal.SIGKILL)
    os.waitpid(orphan, 0)
    (tmp_path / "skillgrade-x").rmdir()
    assert sorted(found) == [
        f"file descriptor {descriptor}: {tmp_path}",
        f"process {orphan}: sleep 600",
        "temporary skillgrade-x",
        "thread forgotten",
    ]
    assert left(before, tmp_path) == []

"""Control groups, on folders that stand for the kernel's; the real ones are met in test_bubblewrap.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from skillgrade.suite.model import Limits
from skillgrade.workspace.control_groups import dead_control_groups, make_control_group
from skillgrade.workspace.owner import this_process

LIMITS = Limits(cpus=1.5, memory_mb=64, pids=10)


@pytest.fixture
def membership(tmp_path: Path) -> Path:
    return tmp_path / "cgroup"


def test_version_1_has_a_folder_per_controller(tmp_path: Path, membership: Path) -> None:
    membership.write_text("9:name=systemd:/\n4:memory:/user/a\n3:pids:/\n2:cpu,cpuacct:/user\n0::/\n")
    for parent in ("memory/user/a", "pids", "cpu/user"):
        (tmp_path / parent).mkdir(parents=True)
    group = make_control_group(77, tmp_path, membership)
    assert group is not None
    assert {name: folder.parent for name, folder in group.folders.items()} == {
        "memory": tmp_path / "memory/user/a",
        "pids": tmp_path / "pids",
        "cpu": tmp_path / "cpu/user",
    }
    (group.folders["memory"] / "memory.memsw.limit_in_bytes").touch()
    group.limit(LIMITS, 3)
    written = {path.name: path.read_text() for folder in group.folders.values() for path in folder.iterdir()}
    assert written == {
        "cgroup.procs": "77",
        "pids.max": "13",
        "memory.limit_in_bytes": "67108864",
        "memory.memsw.limit_in_bytes": "67108864",
        "cpu.cfs_period_us": "100000",
        "cpu.cfs_quota_us": "150000",
    }
    (group.folders["memory"] / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
    assert group.oom_kills() == 2


def test_version_2_takes_the_nearest_place_that_hands_controllers_on(tmp_path: Path, membership: Path) -> None:
    membership.write_text("0::/user.slice/app.slice/terminal.scope\n")
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    scope = tmp_path / "user.slice" / "app.slice" / "terminal.scope"
    scope.mkdir(parents=True)
    (scope / "cgroup.subtree_control").write_text("\n")
    (scope.parent / "cgroup.subtree_control").write_text("memory pids\n")
    group = make_control_group(77, tmp_path, membership)
    assert group is not None
    assert set(group.folders) == {"memory", "pids"}
    (folder,) = set(group.folders.values())
    assert folder.parent == scope.parent
    (folder / "memory.swap.max").touch()
    group.limit(LIMITS, 3)
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "cgroup.procs": "77",
        "pids.max": "13",
        "memory.max": "67108864",
        "memory.swap.max": "0",
    }
    (folder / "memory.events").write_text("low 0\noom 1\noom_kill 3\n")
    assert group.oom_kills() == 3


@pytest.mark.parametrize("lines", ["", "0::/\n", "4:memory:/elsewhere\n"])
def test_where_no_group_can_be_made_there_is_none(tmp_path: Path, membership: Path, lines: str) -> None:
    membership.write_text(lines)
    assert make_control_group(77, tmp_path, membership) is None


def test_groups_of_dead_processes_are_swept(tmp_path: Path, membership: Path) -> None:
    membership.write_text("3:pids:/\n")
    (tmp_path / "pids").mkdir()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    alive = f"skillgrade-{this_process().pid}-{this_process().started}-0a"
    for name in (f"skillgrade-{ended.pid}-1-0a", alive, "skillgrade-x", "other"):
        (tmp_path / "pids" / name).mkdir()
    for leftover in dead_control_groups(tmp_path, membership):
        assert leftover.remove() is None
    assert {path.name for path in (tmp_path / "pids").iterdir()} == {alive, "skillgrade-x", "other"}

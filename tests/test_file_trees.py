import os
import socket
from pathlib import Path

import pytest

from skillgrade.file_trees import inner_target, special_kind


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("a/file", "a/file"),
        ("nowhere", "nowhere"),
        ("../root/file", None),
        ("../outside", None),
        ("a/up/outside", None),
        ("/etc/passwd", None),
        ("{root}/a/file", "a/file"),
        ("link", "link"),
    ],
)
def test_a_link_stays_only_where_text_and_way_lead_inside(tmp_path: Path, target: str, text: str | None) -> None:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "a/file").touch()
    (root / "file").touch()
    (tmp_path / "outside").touch()
    (root / "a/up").symlink_to("../..")
    (root / "link").symlink_to(target.replace("{root}", str(root)))
    assert inner_target(root / "link", root) == text


def test_absolute_targets_become_relative_to_the_links_own_folder(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "file").touch()
    (tmp_path / "a/b/link").symlink_to(tmp_path / "file")
    assert inner_target(tmp_path / "a/b/link", tmp_path) == "../../file"


def test_special_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("file").touch()
    Path("link").symlink_to("file")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    kinds = {
        name: special_kind(os.lstat(name).st_mode) for name in ("pipe", "socket", "/dev/null", "file", "link", ".")
    }
    assert kinds == {"pipe": "fifo", "socket": "socket", "/dev/null": "device", "file": None, "link": None, ".": None}

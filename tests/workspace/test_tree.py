from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skillgrade.workspace.tree import remove_tree


def test_what_is_not_there_is_no_problem(tmp_path: Path) -> None:
    assert remove_tree(tmp_path / "nowhere") is None


def test_a_read_only_folder_goes(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("x")
    (tmp_path / "a" / "b").chmod(0o500)
    assert remove_tree(tmp_path / "a") is None
    assert not (tmp_path / "a").exists()


def test_something_that_vanishes_meanwhile_does_not_save_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the last file of a dying process goes between being listed and being removed."""
    (tmp_path / "a" / "b").mkdir(parents=True)

    def vanish(path: Path) -> None:
        raise FileNotFoundError(2, "No such file or directory", str(path / "b" / "gone"))

    monkeypatch.setattr(shutil, "rmtree", vanish)
    problem = remove_tree(tmp_path / "a")
    monkeypatch.undo()
    assert problem is None
    assert not (tmp_path / "a").exists()

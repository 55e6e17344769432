"""What links, shared skills and a flood of files become when a workspace is copied out, whoever provides it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillgrade.skill.model import Skill
from skillgrade.stop import Stop
from skillgrade.workspace import export
from skillgrade.workspace.base import Exported, SkillSnapshot, Workspace
from skillgrade.workspace.skills import snapshot_skill
from tests.support.workspaces import Bench, text

MIB = 1 << 20

CLIMBING = """
mkdir -p a/b/c/d/e/f/g/h
ln -s ../../../../../../../.. a/b/c/d/e/f/g/h/up
ln -s up/../../../../../../../../etc/passwd a/b/c/d/e/f/g/h/climbs
"""
"""A link that stays inside if its text alone is read, and leads out when it is followed."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    folder.mkdir()
    return folder


def export_to(folder: Path, workspace: Workspace, limit: int = 8 * MIB) -> Exported:
    workspace.end_processes()
    return workspace.export(folder, limit, Stop())


def found_in(folder: Path) -> set[bytes]:
    return {os.fsencode(path.relative_to(folder)) for path in folder.rglob("*")}


def a_skill(folder: Path, size: int) -> SkillSnapshot:
    (folder / "skill" / "data").mkdir(parents=True)
    for name, content in (("SKILL.md", "x" * size), ("gone.md", "1"), ("data/old", "2")):
        (folder / "skill" / name).write_text(content)
    snapshot, _ = snapshot_skill(Skill("lint-it", "", folder / "skill"), folder / "snapshot", frozenset())
    return snapshot


def test_links_come_out_that_stay_inside(bench: Bench, copy: Path) -> None:
    workspace = bench.open(text("file", "1"), text("folder/file", "2"))
    links = 'ln -s file a; ln -s ../file folder/b; ln -s nowhere c; ln -s "$PWD/folder/file" d; ln -s folder e'
    bench.bash(workspace, f'{links}; ln -s /etc/passwd out; ln -s ../.. up; ln -s "$PWD-not" beside')
    copied = export_to(copy, workspace)
    (note,) = copied.notes
    assert "a link that leads out of the workspace" in note
    assert note.endswith("beside, out, up")
    assert copied.is_whole
    assert {path.name: str(path.readlink()) for path in copy.rglob("*") if path.is_symlink()} == {
        "a": "file",
        "b": "../file",
        "c": "nowhere",
        "d": "folder/file",
        "e": "folder",
    }


def test_no_link_leads_out_by_way_of_another(bench: Bench, copy: Path) -> None:
    workspace = bench.open()
    bench.bash(workspace, CLIMBING)
    export_to(copy, workspace)
    assert [path for path in copy.rglob("*") if not path.resolve().is_relative_to(copy.resolve())] == []


def test_a_million_files_do_not_come_out(bench: Bench, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MOST_ENTRIES", 10)
    workspace = bench.open()
    bench.bash(workspace, "for n in {10..99}; do echo >file$n; done")
    copied = export_to(copy, workspace)
    (note,) = copied.notes
    assert (len(found_in(copy)), copied.is_whole) == (10, False)
    assert note.endswith("(more than 10 files): file20, file21, file22, file23, file24 and 75 more")


def test_what_took_a_large_skill_s_place_comes_out(bench: Bench, copy: Path, tmp_path: Path) -> None:
    workspace = bench.open(skills=(a_skill(tmp_path, 1_200_000),))
    bench.bash(workspace, "cd .claude/skills; rm -r lint-it; mkdir lint-it; echo own >lint-it/SKILL.md")
    assert export_to(copy, workspace) == Exported()
    assert (copy / ".claude/skills/lint-it/SKILL.md").read_text() == "own\n"


def test_the_workspace_is_as_it_was_afterwards(bench: Bench, copy: Path) -> None:
    workspace = bench.open(text("folder/file", "1"))
    bench.bash(workspace, "ln -s folder/file link; chmod 640 folder/file; chmod 750 folder")
    listing = "find . -mindepth 1 -printf '%P %y %m %T@ %l\\n' | sort"
    before = bench.bash(workspace, listing).out
    export_to(copy, workspace)
    assert bench.bash(workspace, listing).out == before != ""

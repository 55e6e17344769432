"""What comes out of a workspace, in every provider, whatever commands have made of it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from skillgrade.errors import Cancelled, WorkspaceError
from skillgrade.skill.model import Skill
from skillgrade.stop import Stop
from skillgrade.workspace.skills import snapshot_skill
from skillgrade.workspace.staging import WORKSPACE_PATH
from skillgrade.workspace.tree import remove_tree
from tests.support.workspaces import Bench, text

LIMIT = 1024 * 1024


def taken_out(bench: Bench, script: str, limit: int = LIMIT, **opened: object) -> tuple[Path, str]:
    """The folder with what a script left, and what is said of it."""
    workspace = bench.open(text("given/kept", "kept"), text("given/gone", "gone"), **opened)  # type: ignore[arg-type]
    ran = bench.bash(workspace, script)
    assert ran.code == 0, ran.err
    workspace.end_processes()
    folder = bench.folder / "exported"
    folder.mkdir()
    return folder, "\n".join(workspace.export(folder, limit, Stop()).notes)


def listed(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        found[name] = f"-> {path.readlink()}" if path.is_symlink() else "folder" if path.is_dir() else path.read_text()
    return found


def test_what_was_given_made_changed_and_deleted_comes_out_as_it_is(bench: Bench) -> None:
    folder, notes = taken_out(
        bench,
        "rm given/gone; mkdir -p a/b empty; echo new >a/b/new; chmod +x a/b/new; ln -s b/new a/link; "
        "mkdir c; echo 1 >c/x; rm -r c; mkdir c; echo 2 >c/y",
    )
    assert notes == ""
    assert listed(folder) == {
        "given": "folder", "given/kept": "kept", "a": "folder", "a/b": "folder", "a/b/new": "new\n",
        "a/link": "-> b/new", "empty": "folder", "c": "folder", "c/y": "2\n",
    }  # fmt: skip
    assert os.access(folder / "a/b/new", os.X_OK)
    assert not os.access(folder / "given/kept", os.X_OK)


def test_nothing_that_leads_out_or_acts_comes_out(bench: Bench, tmp_path: Path) -> None:
    folder, notes = taken_out(
        bench,
        "ln -s /etc/passwd absolute; ln -s ../../etc relative; ln -s given/../../x sneaky; ln given/kept second; "
        "python3 -c 'import os; os.mkfifo(\"pipe\")' || mkfifo pipe; cp given/kept suid; chmod 4755 suid",
    )
    assert listed(folder) == {
        "given": "folder",
        "given/gone": "gone",
        "given/kept": "kept",
        "second": "kept",
        "suid": "kept",
    }
    assert (folder / "suid").stat().st_mode & 0o7777 == 0o755
    assert "a link that leads out of the workspace): absolute, relative, sneaky" in notes
    assert "pipe" in notes


def test_what_is_too_large_is_left_out_and_said(bench: Bench) -> None:
    folder, notes = taken_out(bench, "truncate -s 3M huge; echo small >small; truncate -s 2500K other")
    assert "huge" not in listed(folder)
    assert "1 MiB" in notes
    assert (folder / "given/kept").read_text() == "kept"


def test_a_file_with_an_ocean_of_holes_costs_nothing(bench: Bench) -> None:
    folder, notes = taken_out(bench, "truncate -s 900G ocean")
    assert "ocean" not in listed(folder)
    assert notes != ""


def test_odd_names_and_modes_come_out_too(bench: Bench) -> None:
    folder, notes = taken_out(
        bench, "echo 1 >$'new\\nline'; echo 2 >$'\\xff'; mkdir locked; echo 3 >locked/in; chmod 000 locked/in locked"
    )
    assert notes == ""
    names = {os.fsencode(path.relative_to(folder)) for path in folder.rglob("*")}
    assert {b"new\nline", b"\xff", b"locked/in"} <= names
    assert (folder / "locked/in").read_text() == "3\n"
    assert remove_tree(folder) is None


def test_skills_come_out_with_what_was_changed_in_them(bench: Bench, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "SKILL.md").write_text("as it was")
    (source / "other.md").write_text("other")
    snapshot, _ = snapshot_skill(Skill("lint", "", source), tmp_path / "copy", frozenset())
    folder, _ = taken_out(
        bench,
        "echo changed >.claude/skills/lint/SKILL.md; rm .claude/skills/lint/other.md; rm -r .agents/skills/lint",
        skills=(snapshot,),
    )
    found = listed(folder)
    assert found[".claude/skills/lint/SKILL.md"] == "changed\n"
    assert ".claude/skills/lint/other.md" not in found
    assert ".agents/skills/lint" not in found


def test_a_stop_ends_it(bench: Bench) -> None:
    workspace = bench.open(text("a", "a"))
    workspace.end_processes()
    stop = Stop()
    stop.set()
    (bench.folder / "exported").mkdir()
    with pytest.raises(Cancelled):
        workspace.export(bench.folder / "exported", LIMIT, stop)


def test_a_workspace_that_is_gone_is_an_error_or_empty(bench: Bench) -> None:
    workspace = bench.open()
    if workspace.path == WORKSPACE_PATH and bench.provider.name == "bubblewrap":
        pytest.skip("it is a mount there, which cannot be removed")
    bench.bash(workspace, f"rm -rf {workspace.path}; ln -s /etc {workspace.path}")
    workspace.end_processes()
    (bench.folder / "exported").mkdir()
    with suppress(WorkspaceError):  # where nobody made it again, empty
        workspace.export(bench.folder / "exported", LIMIT, Stop())
    assert listed(bench.folder / "exported") == {}

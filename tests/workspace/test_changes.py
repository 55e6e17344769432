"""The text that says what changed: exact, harmless, bounded, and a diff that patch programs understand."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillgrade.errors import Cancelled
from skillgrade.stop import Stop
from skillgrade.workspace import changes
from skillgrade.workspace.base import Exported, SkillSnapshot, StagedFile
from skillgrade.workspace.changes import describe_changes
from skillgrade.workspace.export import export_tree


def described(tmp_path: Path, before: dict[str, str | bytes], after: dict[str, str | bytes]) -> str:
    folder = tmp_path / "after"
    for name, content in after.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    folder.mkdir(exist_ok=True)
    files = [
        StagedFile(name, data=content if isinstance(content, bytes) else content.encode())
        for name, content in before.items()
    ]
    return describe_changes(files, (), folder, Stop())


def test_nothing_changed_is_an_empty_text(tmp_path: Path) -> None:
    assert described(tmp_path, {"a": "1\n", "b/c": b"\0"}, {"a": "1\n", "b/c": b"\0"}) == ""


def test_changed_new_and_deleted_files_stand_in_the_order_of_their_paths(tmp_path: Path) -> None:
    text = described(tmp_path, {"b": "1\n2\n", "c": "gone"}, {"b": "1\n3\n", "a/new": "x\n"})
    assert text == (
        "--- /dev/null\n+++ b/a/new\n@@ -0,0 +1 @@\n+x\n"
        "--- a/b\n+++ b/b\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n"
        "--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\\ No newline at end of file\n"
    )


def test_what_nobody_reads_line_by_line_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "_FILE_LIMIT", 100)
    text = described(
        tmp_path,
        {"image": b"\0\1", "large": "a" * 200, "node_modules/x/index.js": "1"},
        {"image": b"\0\1\2", "large": "b" * 200, "node_modules/x/index.js": "2", "node_modules/y/index.js": ""},
    )
    assert text == (
        "image: a binary file, 2 bytes before, 3 bytes after\n"
        "large: 200 bytes before, 200 bytes after, too large to show\n"
        "node_modules/: 1 files before, 2 after, not shown\n"
    )


def test_links_and_the_executable_bit_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "after"
    folder.mkdir()
    (folder / "run").write_text("x")
    (folder / "run").chmod(0o755)
    (folder / "link").symlink_to("run")
    text = describe_changes([StagedFile("run", data=b"x"), StagedFile("link", data=b"y")], (), folder, Stop())
    assert text == "link: file before, a link to run after\nrun: is executable\n"


def test_a_name_cannot_forge_lines(tmp_path: Path) -> None:
    text = described(tmp_path, {}, {"x\n+++ b/forged\n\u200b": "1\n"})
    assert text.splitlines()[1] == "+++ b/x\\u{a}+++ b/forged\\u{a}\\u{200b}"


def test_of_skills_only_changes_count(tmp_path: Path) -> None:
    skill = tmp_path / "skill"
    skill.mkdir()
    (skill / "SKILL.md").write_text("one\n")
    (skill / "more.md").write_text("more\n")
    folder = tmp_path / "after"
    changed = folder / ".claude" / "skills" / "s" / "SKILL.md"
    changed.parent.mkdir(parents=True)
    changed.write_text("two\n")
    text = describe_changes((), (SkillSnapshot("s", skill, "sha256:0", 8),), folder, Stop())
    assert text == ("--- a/.claude/skills/s/SKILL.md\n+++ b/.claude/skills/s/SKILL.md\n@@ -1 +1 @@\n-one\n+two\n")


def test_the_whole_is_bounded_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "DIFF_LIMIT", 100)
    text = described(tmp_path, {}, {f"file-{number}": "line\n" * 5 for number in range(9)})
    assert len(text) < 200
    assert text.endswith("[... changes of 8 more files are not shown ...]\n")


def test_many_changed_lines_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "_LINE_LIMIT", 10)
    before, after = ("".join(f"{mark}{n}\n" for n in range(20)) for mark in "ab")
    assert described(tmp_path, {"f": f"same\n{before}end\n"}, {"f": f"same\n{after}end\n"}) == (
        "--- a/f\n+++ b/f\n20 lines became 20, not shown\n"
    )


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "d\r", "\x0b", "\u2028e"]), max_size=30).map("\n".join)


@settings(max_examples=60)
@given(before=LINES, after=LINES)
def test_patch_makes_the_end_of_the_start(tmp_path_factory: pytest.TempPathFactory, before: str, after: str) -> None:
    folder = tmp_path_factory.mktemp("patch")
    text = described(folder, {"file": before}, {"file": after})
    work = folder / "work"
    work.mkdir()
    (work / "file").write_bytes(before.encode())
    if text:
        subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"], cwd=work, input=text.encode(), check=True,
            env={"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CEILING_DIRECTORIES": str(folder)},
        )  # fmt: skip
    assert (work / "file").read_bytes() == after.encode()


def test_what_is_not_shown_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bytes | None] = []
    split = changes._lines

    def counting(content: bytes | None) -> list[str] | None:
        made.append(content)
        return split(content)

    monkeypatch.setattr(changes, "DIFF_LIMIT", 100)
    monkeypatch.setattr(changes, "_lines", counting)
    text = described(tmp_path, {}, {f"file-{number}": "line\n" * 60 for number in range(9)})
    assert (text, len(made)) == ("[... changes of 9 more files are not shown ...]\n", 2)


def test_a_link_that_says_it_in_a_roundabout_way_did_not_change(tmp_path: Path) -> None:
    given, folder = tmp_path / "given", tmp_path / "end"
    (given / "folder").mkdir(parents=True)
    folder.mkdir()
    (given / "folder" / "file").write_text("1")
    (given / "folder" / "link").symlink_to("../folder/./file")
    assert export_tree(given, str(given), folder, 100, Stop(), lambda _path: False) == Exported()
    assert describe_changes([StagedFile(".", src=given)], (), folder, Stop()) == ""


def test_what_may_have_been_left_out_is_not_called_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "end"
    folder.mkdir()
    (folder / "new").write_text("1\n")
    given = [StagedFile("may be there", data=b"x")]
    assert describe_changes(given, (), folder, Stop(), is_whole=False) == (
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+1\n"
        "[... the workspace holds more than was compared: new files may be missing here, deleted ones are ...]\n"
    )


def test_a_stop_ends_the_comparison(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("x")
    stop = Stop()
    stop.set()
    with pytest.raises(Cancelled):
        describe_changes((), (), tmp_path, stop)

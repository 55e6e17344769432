from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.reports.review.diff import DiffLine, FileDiff, Mark, read_diff
from skillgrade.stop import Stop
from skillgrade.workspace.base import StagedFile
from skillgrade.workspace.changes import describe_changes
from tests.support.reviews import DIFF


def git_diff(folder: Path, before: dict[str, bytes], after: dict[str, bytes]) -> str:
    """What git says of two states of a folder."""
    for name, files in (("a", before), ("b", after)):
        for path, content in files.items():
            file = folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        (folder / name).mkdir(exist_ok=True)
    command = ["git", "diff", "--no-index", "--no-color", "--src-prefix=", "--dst-prefix=", "a", "b"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout.decode()


def summary(diffs: Iterable[FileDiff]) -> list[tuple[str, str, int, int]]:
    return [(diff.path, diff.change, diff.added, diff.removed) for diff in diffs]


def test_files_with_their_lines_and_numbers() -> None:
    changed, new = read_diff(DIFF).files
    assert summary([changed, new]) == [("index.html", "changed", 1, 1), ("logo.svg", "new", 1, 0)]
    assert changed.lines == (
        DiffLine(Mark.PLACE, "@@ -1,3 +1,3 @@"),
        DiffLine(Mark.SAME, "<h1>Shop</h1>", 1, 1),
        DiffLine(Mark.REMOVED, "<p>Old</p>", 2, None),
        DiffLine(Mark.ADDED, "<p>New</p>", None, 2),
        DiffLine(Mark.SAME, "<footer></footer>", 3, 3),
    )


def test_what_git_writes(tmp_path: Path) -> None:
    before = {"gone.txt": b"one\ntwo\n", "kept.md": b"a\nb\nc\n", "data.bin": b"\0\1"}
    after = {"kept.md": b"a\nB\nc", "data.bin": b"\0\2", 'dir/caf\u00e9 "x"\t.txt': b"new\n", "empty": b""}
    diffs = read_diff(git_diff(tmp_path, before, after)).files
    assert summary(diffs) == [
        ("data.bin", "changed", 0, 0),
        ('dir/caf\u00e9 "x"\t.txt', "new", 1, 0),
        ("empty", "new", 0, 0),
        ("gone.txt", "deleted", 0, 2),
        ("kept.md", "changed", 2, 2),
    ]
    assert diffs[0].lines == (DiffLine(Mark.NOTE, "no text that could be shown line by line"),)
    assert diffs[4].lines[-1] == DiffLine(Mark.NOTE, "No newline at end of file")


def test_what_diff_writes() -> None:
    text = "diff -ruN a/x.txt b/x.txt\n--- a/x.txt\t2026-01-01\n+++ b/x.txt\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n"
    text += "--- y.txt\n+++ y.txt\n@@ -0,0 +1 @@\n+c\n"
    assert summary(read_diff(text).files) == [("x.txt", "changed", 1, 1), ("y.txt", "changed", 1, 0)]


def test_what_a_run_keeps(tmp_path: Path) -> None:
    """The text that evidence holds, read by the page."""
    (tmp_path / "start").mkdir()
    exported = tmp_path / "exported"
    exported.mkdir()
    (tmp_path / "start" / "kept.txt").write_text("one\ntwo\n")
    (exported / "kept.txt").write_text("one\n2\n")
    (exported / "logo.png").write_bytes(b"\0\1")
    (exported / "no newline.txt").write_text("x")
    (tmp_path / "start" / "long").write_text("a\n" * 4000)
    (exported / "long").write_text("b\n" * 4000)
    (exported / "link").symlink_to("kept.txt")
    files = [StagedFile(name, src=tmp_path / "start" / name) for name in ("kept.txt", "long")]
    diff = read_diff(describe_changes(files, [], exported, Stop()))
    kept, long, new = diff.files
    assert summary([kept, new]) == [("kept.txt", "changed", 1, 1), ("no newline.txt", "new", 1, 0)]
    assert (long.path, long.lines) == ("long", (DiffLine(Mark.NOTE, "4000 lines became 4000, not shown"),))
    assert diff.notes == (
        "link: nothing before, a link to kept.txt after",
        "logo.png: a binary file, nothing before, 2 bytes after",
    )


def test_lines_that_look_like_heads_are_lines() -> None:
    text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/evil\n+++ b/evil\n diff --git a/q b/q\n"
    (diff,) = read_diff(text).files
    assert [(line.mark, line.text) for line in diff.lines[1:]] == [
        (Mark.REMOVED, "-- a/evil"),
        (Mark.ADDED, "++ b/evil"),
        (Mark.SAME, "diff --git a/q b/q"),
    ]


def test_much_is_cut_and_said(tmp_path: Path) -> None:
    text = f"--- /dev/null\n+++ b/big\n@@ -0,0 +1,5000 @@\n{'+x' * 3000}\n" + "+line\n" * 4999
    (diff,) = read_diff(text).files
    assert (diff.added, len(diff.lines), diff.left_out) == (5000, 2000, 3001)
    assert len(diff.lines[1].text) == 2000


@pytest.mark.parametrize("text", ["", "\n", "hello\nworld\n", "@@ -1 +1 @@\n"])
def test_what_is_no_diff_has_no_files(text: str) -> None:
    assert read_diff(text).files == ()


_LINES = st.sampled_from(
    (
        *("diff --git a/x b/x", "--- a/x", "+++ b/x", "--- /dev/null", "@@ -1,2 +1 @@", "@@ -1 +1,9999999999 @@"),
        *(" a", "+b", "-c", "\\ No newline", "", '+++ "b/\\303\\777"', "new file mode 1", "diff", "\u2028"),
    )
)


@given(st.lists(_LINES, max_size=30))
def test_nothing_breaks_it(lines: list[str]) -> None:
    for diff in read_diff("\n".join(lines)).files:
        assert diff.added == sum(line.mark is Mark.ADDED for line in diff.lines)
        assert diff.lines

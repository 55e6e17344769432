import os
from pathlib import Path

import pytest

from skillgrade.reading import UnreadableError
from skillgrade.suite.eval_files import MAX_TEXT, EvalFiles
from tests.support.suites import write


def files_of(root: Path, *, allow_outside: bool = False) -> EvalFiles:
    return EvalFiles(root, allow_outside=allow_outside)


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("a.md", "one/a.md"),
        ("./sub/../a.md", "one/a.md"),
        ("b.md", "two/b.md"),
        ("sub", "one/sub"),
        ("../two/b.md", "two/b.md"),
        ("gone.md", "one/gone.md"),  # a link that leads nowhere is there, and refused later
        ("no/../a.md", None),
        ("c.md", None),
        ("", None),
        ("a.md\nb.md", None),
        ("a" * 5000, None),
        ("a\0", None),
    ],
)
def test_the_first_folder_that_has_it_wins(tmp_path: Path, reference: str, found: str | None) -> None:
    write(tmp_path, {"one/a.md": "", "two/a.md": "", "two/b.md": "", "one/sub/x": ""})
    (tmp_path / "one/gone.md").symlink_to("nowhere")
    path = files_of(tmp_path).find(reference, [tmp_path / "one", tmp_path / "two"])
    assert path == (None if found is None else tmp_path / found)


def test_a_tilde_means_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"home/key": "", "eval/x": ""})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    files = files_of(tmp_path / "eval")
    path = files.find("~/key", [tmp_path / "eval"])
    assert path == tmp_path / "home/key"
    assert files.leaves(path)


def test_the_border_is_the_git_root_else_the_eval_itself(tmp_path: Path) -> None:
    write(tmp_path, {"repo/.git": "gitdir: elsewhere", "repo/deep/eval/x": "", "plain/x": ""})
    assert files_of(tmp_path / "repo/deep/eval").border == tmp_path / "repo"
    assert files_of(tmp_path / "plain").border == tmp_path / "plain"


def test_leaving_the_border_is_seen_through_links_and_can_be_allowed(tmp_path: Path) -> None:
    write(tmp_path, {"eval/x": "", "eval2": ""})
    root = tmp_path / "eval"
    (root / "out").symlink_to("../eval2")
    (root / "in").symlink_to("x")
    assert [files_of(root).leaves(path) for path in (root / "out", tmp_path / "eval2", root / "in")] == [
        True,
        True,
        False,
    ]
    assert not files_of(root, allow_outside=True).leaves(root / "out")


def test_a_scan_lists_files_and_links_in_order_and_where_links_lead(tmp_path: Path) -> None:
    write(tmp_path, {"d/b": "", "d/a/z": "", "d/c": ""})
    (tmp_path / "d/link").symlink_to("a")
    (tmp_path / "d/later").symlink_to("made-by-the-agent")
    scan = files_of(tmp_path).scan(tmp_path / "d")
    assert scan.fault is None
    assert [path.relative_to(tmp_path).as_posix() for path in scan.files] == [
        "d/b",
        "d/c",
        "d/later",
        "d/link",
        "d/a/z",
    ]
    assert scan.targets == {tmp_path / "d/a", tmp_path / "d/made-by-the-agent"}


def test_what_may_not_be_used_says_why(tmp_path: Path) -> None:
    write(tmp_path, {"eval/d/x": "", "secret": ""})
    root = tmp_path / "eval"
    (root / "d/out").symlink_to("../../secret")
    os.mkfifo(root / "pipe")
    files = files_of(root)
    outside = f"lies outside {root}; pass --allow-outside if it may be read"
    assert files.scan(root / "d").fault == f"out in it {outside}"
    assert files.scan(tmp_path / "secret").fault == outside
    assert files.scan(root / "pipe").fault == "is neither a file nor a folder"
    assert files.scan(root / "none").fault == "No such file or directory"
    with pytest.raises(UnreadableError, match="lies outside"):
        files.read(tmp_path / "secret")


def test_texts_come_without_white_space_around_and_have_a_limit(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "\n  do it \n\n", "big.md": "x" * (MAX_TEXT + 1)})
    assert files_of(tmp_path).read(tmp_path / "a.md") == "do it"
    with pytest.raises(UnreadableError, match="is larger than 1024 KiB"):
        files_of(tmp_path).read(tmp_path / "big.md")


def test_messages_name_paths_from_the_eval_on(tmp_path: Path) -> None:
    files = files_of(tmp_path / "eval")
    assert files.shown(tmp_path / "eval/a/b.md") == "a/b.md"
    assert files.shown(tmp_path / "other.md") == str(tmp_path / "other.md")

from __future__ import annotations

import io
import os
import socket
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import WorkspaceError
from skillgrade.workspace.base import Place, StagedFile
from skillgrade.workspace.docker.archive import carry_over, write_archive
from skillgrade.workspace.staging import Item, flatten


def never(warning: str) -> None:
    raise AssertionError(warning)


def by_path(*files: StagedFile) -> dict[str, Item]:
    return {item.path: item for item in flatten(files, never)}


def content(item: Item) -> bytes | None:
    return item.source.read_bytes() if item.source is not None else item.data


def make(path: Path, text: str = "", mode: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def test_equal_base_names_each_land_where_they_belong(tmp_path: Path) -> None:
    one, two = make(tmp_path / "one/app.js", "1"), make(tmp_path / "two/app.js", "2")
    items = by_path(StagedFile("one/app.js", src=one), StagedFile("two/app.js", src=two))
    assert {path: item.kind for path, item in items.items()} == {
        "one": "folder",
        "one/app.js": "file",
        "two": "folder",
        "two/app.js": "file",
    }
    assert content(items["one/app.js"]) == b"1"
    assert content(items["two/app.js"]) == b"2"


def test_parents_stand_before_what_they_hold_in_any_order() -> None:
    files = [StagedFile(dest, data=b"") for dest in ("b/c/d", "a.txt", "b-x", "b/a", "a/z")]
    paths = [item.path for item in flatten(files, never)]
    assert paths == ["a", "a/z", "a.txt", "b", "b/a", "b/c", "b/c/d", "b-x"]


def test_a_folder_keeps_modes_times_and_inner_links(tmp_path: Path) -> None:
    source = tmp_path / "src"
    script = make(source / "bin/run.sh", "run", 0o750)
    os.utime(script, (1_000_000_000, 1_100_000_000))
    make(source / "data", "d", 0o4600)
    (source / "bin/again").symlink_to("run.sh")
    (source / "bin/up").symlink_to("../data")
    (source / "absolute").symlink_to(source / "bin/run.sh")
    (source / "broken").symlink_to("nowhere")
    items = by_path(StagedFile("to", src=source))
    assert (items["to/bin/run.sh"].mode, items["to/bin/run.sh"].mtime) == (0o750, 1_100_000_000)
    assert items["to/data"].mode == 0o600  # set-user-ID does not travel
    targets = {path: item.target for path, item in items.items() if item.kind == "link"}
    assert targets == {
        "to/bin/again": "run.sh",
        "to/bin/up": "../data",
        "to/absolute": "bin/run.sh",
        "to/broken": "nowhere",
    }


def test_links_out_of_a_folder_and_special_files_are_left_out_with_a_warning(tmp_path: Path) -> None:
    secret = make(tmp_path / "secret")
    source = tmp_path / "src"
    make(source / "in/file")
    (source / "relative").symlink_to("../secret")
    (source / "absolute").symlink_to(secret)
    (source / "by_name").symlink_to("../src/in/file")  # leads elsewhere once the folder has another name
    (source / "in/escape").symlink_to("hop/../../../secret")
    os.mkfifo(source / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(source / "socket"))
        warnings: list[str] = []
        items = flatten([StagedFile("to", src=source)], warnings.append)
    assert {item.path for item in items} == {"to", "to/in", "to/in/file"}
    assert sorted(Path(warning.split(":")[0]).name for warning in warnings) == [
        "absolute",
        "by_name",
        "escape",
        "fifo",
        "relative",
        "socket",
    ]
    assert any("it is a fifo" in warning for warning in warnings)


def test_chmod_applies_to_a_file_or_to_the_files_of_a_folder(tmp_path: Path) -> None:
    make(tmp_path / "tools/a/tool", mode=0o644)
    items = by_path(
        StagedFile("t", src=tmp_path / "tools", chmod="600"),
        StagedFile("one", src=tmp_path / "tools/a/tool", chmod="+x"),
    )
    assert (items["t/a/tool"].mode, items["one"].mode) == (0o600, 0o755)
    assert items["t/a"].mode & 0o111  # folders stay passable


def test_later_files_win(tmp_path: Path) -> None:
    make(tmp_path / "d/x", "old")
    make(tmp_path / "d/y", "kept")
    items = by_path(StagedFile("d", src=tmp_path / "d"), StagedFile("d/x", data=b"new"))
    assert content(items["d/x"]) == b"new"
    assert content(items["d/y"]) == b"kept"


def test_a_link_in_the_way_gives_place_to_a_folder(tmp_path: Path) -> None:
    (tmp_path / "d/real").mkdir(parents=True)
    (tmp_path / "d/link").symlink_to("real")
    items = by_path(StagedFile("d", src=tmp_path / "d"), StagedFile("d/link/file", data=b"x"))
    assert items["d/link"].kind == "folder"
    assert items["d/link/file"].data == b"x"


def test_data_over_a_staged_folder_replaces_it(tmp_path: Path) -> None:
    make(tmp_path / "d/x")
    assert set(by_path(StagedFile("d", src=tmp_path / "d"), StagedFile("d", data=b""))) == {"d"}


def test_a_file_goes_into_a_folder_as_with_cp(tmp_path: Path) -> None:
    file = make(tmp_path / "f.txt")
    make(tmp_path / "d/x")
    assert set(by_path(StagedFile("sub/", src=file))) == {"sub", "sub/f.txt"}
    assert set(by_path(StagedFile(".", src=file))) == {"f.txt"}
    assert set(by_path(StagedFile("to", src=tmp_path / "d"), StagedFile("to", src=file))) == {"to", "to/x", "to/f.txt"}
    assert set(by_path(StagedFile(".", src=tmp_path / "d"))) == {"x"}


def test_a_source_that_is_a_link_is_followed(tmp_path: Path) -> None:
    make(tmp_path / "real", "content")
    (tmp_path / "link").symlink_to("real")
    items = by_path(StagedFile("file", src=tmp_path / "link"), StagedFile("in/", src=tmp_path / "link"))
    assert content(items["file"]) == b"content"
    assert content(items["in/link"]) == b"content"


def test_absolute_destinations_belong_to_the_system_but_below_workspace_to_the_workspace(tmp_path: Path) -> None:
    items = by_path(
        StagedFile("/usr/local/bin/../bin/tool", Place.SYSTEM, data=b""),
        StagedFile("/workspace/sub/file", Place.SYSTEM, data=b""),
    )
    # No item for /usr or /usr/local: their modes are the system's.
    assert {(item.place, path) for path, item in items.items()} == {
        (Place.SYSTEM, "/usr/local/bin/tool"),
        (Place.WORKSPACE, "sub"),
        (Place.WORKSPACE, "sub/file"),
    }


@pytest.mark.parametrize(
    ("dest", "place"),
    [
        ("../x", Place.WORKSPACE),
        ("a/../../x", Place.WORKSPACE),
        ("..", Place.CONTROL),
        ("/etc/passwd", Place.WORKSPACE),
        ("relative", Place.SYSTEM),
        ("/proc/1/mem", Place.SYSTEM),
        ("//sys/x", Place.SYSTEM),
        ("a\0b", Place.WORKSPACE),
        ("folder/", Place.WORKSPACE),
        (".", Place.WORKSPACE),
    ],
)
def test_destinations_that_cannot_be_are_refused(dest: str, place: Place) -> None:
    with pytest.raises(WorkspaceError):
        flatten([StagedFile(dest, place, data=b"")], never)


def test_a_missing_source_and_a_wrong_mode_are_named(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match=r"nowhere: cannot be read: No such file"):
        flatten([StagedFile("x", src=tmp_path / "nowhere")], never)
    with pytest.raises(WorkspaceError, match=r'^x: chmod: "\+q" is no mode'):
        flatten([StagedFile("x", data=b"", chmod="+q")], never)


@given(st.text(st.sampled_from("./ab"), min_size=1, max_size=12))
def test_no_destination_leaves_its_place(dest: str) -> None:
    try:
        items = flatten([StagedFile(dest, data=b"")], never)
    except WorkspaceError:
        return
    root = Path("/root/of/place")
    for item in items:
        assert Path(os.path.normpath(root / item.path)).is_relative_to(root)
        assert item.path == os.path.normpath(item.path)


def test_named_items_are_those_whose_place_must_be_clear(tmp_path: Path) -> None:
    make(tmp_path / "d/sub/x")
    files = [
        StagedFile("g/check", data=b""),
        StagedFile("lib", src=tmp_path / "d"),
        StagedFile(".", src=tmp_path / "d"),
    ]
    assert {item.path for item in flatten(files, never) if item.named} == {"g/check", "lib", "sub"}


def test_an_archive_holds_owners_modes_links_and_content_and_is_reproducible(tmp_path: Path) -> None:
    long = "x" * 120
    make(tmp_path / "d" / long / "f", "content", 0o640)
    (tmp_path / "d/link").symlink_to(f"{long}/f")
    items = flatten([StagedFile("ü", src=tmp_path / "d"), StagedFile("/opt/t", Place.SYSTEM, data=b"t")], never)
    roots = {Place.WORKSPACE: "/workspace"}

    def write() -> bytes:
        out = io.BytesIO()
        write_archive(items, roots, lambda item: 0 if item.place is Place.SYSTEM else 1000, out)
        return out.getvalue()

    assert write() == write()
    with tarfile.open(fileobj=io.BytesIO(write())) as tar:
        members = {member.name: member for member in tar}
        file = members[f"workspace/ü/{long}/f"]
        assert (file.mode, file.uid, file.gid) == (0o640, 1000, 1000)
        reader = tar.extractfile(file)
        assert reader is not None
        assert reader.read() == b"content"
        assert members["workspace/ü/link"].linkname == f"{long}/f"
        assert members["opt/t"].uid == 0
        assert "opt" not in members


def test_what_is_carried_over_cannot_gain_rights() -> None:
    dirty, clean = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=dirty, mode="w") as tar:
        for name, kind, mode in [
            ("workspace", tarfile.DIRTYPE, 0o755),
            ("workspace/su", tarfile.REGTYPE, 0o6755),
            ("workspace/fifo", tarfile.FIFOTYPE, 0o644),
            ("workspace/disk", tarfile.BLKTYPE, 0o666),
            ("workspace/link", tarfile.SYMTYPE, 0o777),
        ]:
            member = tarfile.TarInfo(name)
            member.type, member.mode, member.uid, member.linkname = (
                kind,
                mode,
                7,
                "su" if kind == tarfile.SYMTYPE else "",
            )
            member.pax_headers = {"SCHILY.xattr.security.capability": "cap"}
            tar.addfile(member)
    dirty.seek(0)
    carry_over(dirty, clean)
    clean.seek(0)
    with tarfile.open(fileobj=clean) as tar:
        members = {member.name: (member.mode, member.uid, member.linkname) for member in tar}
        assert not any(member.pax_headers for member in tar)
    assert members == {
        "workspace": (0o755, 7, ""),
        "workspace/su": (0o755, 7, ""),
        "workspace/link": (0o777, 7, "su"),
    }


def test_a_workspace_that_became_a_link_is_not_carried_over() -> None:
    dirty = io.BytesIO()
    with tarfile.open(fileobj=dirty, mode="w") as tar:
        member = tarfile.TarInfo("workspace")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc"
        tar.addfile(member)
    dirty.seek(0)
    with pytest.raises(WorkspaceError, match="tampered"):
        carry_over(dirty, io.BytesIO())

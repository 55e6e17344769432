"""Archives that no daemon makes, unless something in a container deceived it: nothing lands outside, and it is told."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillgrade.errors import Stage, WorkspaceError
from skillgrade.stop import Stop
from skillgrade.workspace.base import Exported
from skillgrade.workspace.export import export_archive

LIMIT = 1024 * 1024

Member = tuple[str, bytes, str]
"""A name, a type as tarfile has it, and a link's target or a file's content."""

STEPS = st.sampled_from(["a", "b", "c", "..", ".", "", "workspace"])
PATHS = st.lists(STEPS, min_size=1, max_size=5).map("/".join)
TYPES = st.sampled_from([tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])


def archive(*members: Member, top: bytes = tarfile.DIRTYPE) -> io.BytesIO:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, text in (("workspace", top, ""), *members):
            member = tarfile.TarInfo(name)
            member.type, member.mode = kind, 0o6755
            if kind == tarfile.REGTYPE:
                member.size = len(text)
            else:
                member.linkname = text
            tar.addfile(member, io.BytesIO(text.encode()))
    file.seek(0)
    return file


def unpacked(folder: Path, *members: Member) -> tuple[Path, Exported]:
    """Where it was unpacked: deep enough that a way out would end beside it, where it would be found."""
    target = folder / "1" / "2" / "3" / "out"
    target.mkdir(parents=True)
    return target, export_archive(archive(*members), True, target, LIMIT, Stop())


def strays(folder: Path, target: Path) -> list[Path]:
    """What is not below the target, and links that lead out of it."""
    ways = {target, *target.parents}
    return [
        path
        for path in folder.rglob("*")
        if path not in ways and not (path.is_relative_to(target) and _led_to(path).is_relative_to(_led_to(target)))
    ]


def _led_to(path: Path) -> Path:
    return Path(os.path.realpath(path))  # links that lead to themselves are allowed, which `resolve` refuses


@pytest.mark.parametrize("name", ["workspace/../evil", "workspace//evil", "workspace/a/../../evil", "workspace", "x"])
def test_a_name_that_goes_elsewhere_is_left_out(tmp_path: Path, name: str) -> None:
    target, exported = unpacked(tmp_path, (name, tarfile.REGTYPE, "evil"), ("workspace/kept", tarfile.REGTYPE, "kept"))
    assert strays(tmp_path, target) == []
    assert [path.name for path in target.iterdir()] == ["kept"]
    assert not exported.is_whole
    assert "its name leads elsewhere" in exported.notes[0]


@pytest.mark.parametrize("other", ["workspace/../../outside", "/etc/passwd", "workspace/link", "workspace/gone"])
def test_a_second_name_is_one_of_what_was_unpacked(tmp_path: Path, other: str) -> None:
    (tmp_path / "1" / "2").mkdir(parents=True)
    (tmp_path / "1" / "2" / "outside").write_text("secret")
    target = tmp_path / "1" / "2" / "3" / "out"
    target.mkdir(parents=True)
    forged = archive(("workspace/link", tarfile.SYMTYPE, "/etc/passwd"), ("workspace/second", tarfile.LNKTYPE, other))
    exported = export_archive(forged, True, target, LIMIT, Stop())
    assert list(target.iterdir()) == []
    assert "a second name of what is not there): second" in "\n".join(exported.notes)


def test_no_link_is_made_through_another(tmp_path: Path) -> None:
    deep = "workspace/d/e/f/up"
    target, exported = unpacked(
        tmp_path,
        ("workspace/x", tarfile.DIRTYPE, ""),
        (deep, tarfile.SYMTYPE, "../../../x"),
        (f"{deep}/out", tarfile.SYMTYPE, "../../../.."),
    )
    assert strays(tmp_path, target) == []
    assert os.readlink(target / "d/e/f/up") == "../../../x"  # noqa: PTH115 - the text itself counts
    assert list((target / "x").iterdir()) == []
    assert not exported.is_whole
    assert exported.notes[0].endswith("(it would be made through a link): d/e/f/up/out")


def test_no_bits_but_those_to_read_write_and_execute_come_out(tmp_path: Path) -> None:
    target, exported = unpacked(
        tmp_path, ("workspace/tool", tarfile.REGTYPE, "x"), ("workspace/d", tarfile.DIRTYPE, "")
    )
    assert exported == Exported()
    assert [(target / name).stat().st_mode & 0o7777 for name in ("tool", "d")] == [0o755, 0o755]


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE])
def test_special_files_are_named_and_never_made(tmp_path: Path, kind: bytes) -> None:
    target, _ = unpacked(tmp_path, ("workspace/special", kind, ""))
    assert [path for path in target.iterdir() if not path.is_file()] == []


def test_what_is_no_folder_or_no_archive_is_an_error(tmp_path: Path) -> None:
    for source in (archive(top=tarfile.SYMTYPE), io.BytesIO(b"no archive at all" * 100)):
        with pytest.raises(WorkspaceError) as caught:
            export_archive(source, True, tmp_path, LIMIT, Stop())
        assert caught.value.stage is Stage.COLLECT
    assert list(tmp_path.iterdir()) == []


def test_the_end_of_an_archive_that_was_cut_short_is_missed(tmp_path: Path) -> None:
    whole = archive(("workspace/first", tarfile.REGTYPE, "1"), ("workspace/last", tarfile.REGTYPE, "2" * 5000))
    exported = export_archive(io.BytesIO(whole.getvalue()[:4000]), False, tmp_path, LIMIT, Stop())
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"first": "1"}
    assert not exported.is_whole


@settings(max_examples=150)
@given(members=st.lists(st.tuples(PATHS.map("workspace/{}".format), TYPES, PATHS), max_size=8))
def test_nothing_lands_or_leads_outside_whatever_an_archive_says(
    tmp_path_factory: pytest.TempPathFactory, members: list[Member]
) -> None:
    folder = tmp_path_factory.mktemp("forged")
    target, _ = unpacked(folder, *members)
    assert strays(folder, target) == []

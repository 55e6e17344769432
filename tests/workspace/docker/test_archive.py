from __future__ import annotations

import io
import tarfile

import pytest

from skillgrade.errors import WorkspaceError
from skillgrade.workspace.docker.archive import carry_over


def archive(*members: tuple[str, bytes, str]) -> io.BytesIO:
    """An archive of members: a name, a type, and what a link names."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, kind, target in members:
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.mode = kind, target, 0o6755
            tar.addfile(member)
    out.seek(0)
    return out


def carried(source: io.BytesIO) -> list[tuple[str, int]]:
    out = io.BytesIO()
    carry_over(source, out)
    out.seek(0)
    with tarfile.open(fileobj=out) as tar:
        return [(member.name, member.mode) for member in tar]


def test_special_files_go_with_every_name_that_they_have() -> None:
    source = archive(
        ("w", tarfile.DIRTYPE, ""),
        ("w/pipe", tarfile.FIFOTYPE, ""),
        ("w/alias", tarfile.LNKTYPE, "w/pipe"),
        ("w/alias2", tarfile.LNKTYPE, "w/alias"),
        ("w/disk", tarfile.BLKTYPE, ""),
        ("w/file", tarfile.REGTYPE, ""),
        ("w/same", tarfile.LNKTYPE, "w/file"),
    )
    assert carried(source) == [("w", 0o755), ("w/file", 0o755), ("w/same", 0o755)]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.REGTYPE])
def test_a_workspace_that_is_no_folder_is_refused(kind: bytes) -> None:
    with pytest.raises(WorkspaceError, match="no folder any more"):
        carried(archive(("w", kind, "/etc")))


def test_what_is_no_archive_is_an_error() -> None:
    with pytest.raises(WorkspaceError, match="could not be carried over"):
        carried(io.BytesIO(b"x" * 2000))

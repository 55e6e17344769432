from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.errors import StorageError
from skillgrade.storage import replace_file, write_all


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(b"old")
    old = path.open("rb")
    replace_file(path, iter([b"new ", b"content"]))
    with old:
        assert old.read() == b"old"
    assert path.read_bytes() == b"new content"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_content_stands_when_the_new_one_breaks(tmp_path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"half"
        raise OSError(28, "No space left on device")

    path = tmp_path / "report.json"
    path.write_bytes(b"old")
    with pytest.raises(StorageError, match=r"report\.json: cannot be written \(No space left on device\)"):
        replace_file(path, chunks())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_short_write_is_continued() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        with pytest.raises(BlockingIOError):  # the pipe takes 64 KiB, then says that it is full
            write_all(writer, bytes(1 << 20))
        os.set_blocking(reader, False)
        assert len(os.read(reader, 1 << 20)) >= 4096
    finally:
        os.close(reader)
        os.close(writer)

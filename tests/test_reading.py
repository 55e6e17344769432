import os
from pathlib import Path

import pytest

from skillgrade.reading import UnreadableError, decode, read_bytes, read_text


def test_text_comes_without_its_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"\xef\xbb\xbfh\xc3\xa9")
    assert read_text(file, 100) == "hé"


def test_a_file_of_the_limit_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x" * 2048)
    assert len(read_bytes(file, 2048)) == 2048
    with pytest.raises(UnreadableError, match="is larger than 1 KiB"):
        read_bytes(file, 2047)


def test_a_pipe_nobody_writes_to_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableError, match="is not a regular file"):
        read_bytes(tmp_path / "pipe", 10)


@pytest.mark.parametrize("path", ["/dev/zero", "/"])
def test_devices_and_folders_are_refused(path: str) -> None:
    with pytest.raises(UnreadableError, match=r"regular file|directory"):
        read_bytes(Path(path), 10)


def test_a_missing_file_is_said_in_the_words_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"^cannot be read: No such file or directory$"):
        read_bytes(tmp_path / "nope", 10)


def test_the_first_byte_that_is_no_utf8_is_located() -> None:
    with pytest.raises(UnreadableError) as caught:
        decode("first\nzweité ".encode() + b"\xff")
    assert (str(caught.value), caught.value.line, caught.value.column) == ("is not UTF-8 text", 2, 8)

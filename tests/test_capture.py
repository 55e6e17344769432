from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.capture import Captured, OutputSink
from skillgrade.errors import StorageError


class Upper:
    """Holds back one byte, as a filter does whose match may go on in the next chunk."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        data = self._held + data
        self._held = data[-1:]
        return data[:-1].upper()

    def flush(self) -> bytes:
        return self._held.upper()


def capture(path: Path, chunks: list[bytes], cap: int) -> Captured:
    sink = OutputSink(path, cap)
    for chunk in chunks:
        sink.feed(chunk)
    return sink.close()


def test_what_fits_is_kept_as_it_came(tmp_path: Path) -> None:
    captured = capture(tmp_path / "out", [b"ab", b"", b"cdef"], 6)
    assert (tmp_path / "out").read_bytes() == b"abcdef"
    assert (captured.size, captured.truncated) == (6, False)


def test_the_middle_is_left_out_with_a_mark(tmp_path: Path) -> None:
    captured = capture(tmp_path / "out", [b"aaab", b"bbbbbb", b"bc", b"cc"], 6)
    assert (tmp_path / "out").read_bytes() == b"aaa\n[... 8 bytes left out here ...]\nccc"
    assert (captured.size, captured.truncated) == (14, True)


@pytest.mark.parametrize(("cap", "kept"), [(0, b""), (1, b"a")])
def test_tiny_caps_hold(tmp_path: Path, cap: int, kept: bytes) -> None:
    captured = capture(tmp_path / "out", [b"abc"], cap)
    mark = f"\n[... {3 - cap} bytes left out here ...]\n".encode()
    assert (tmp_path / "out").read_bytes() == kept + mark
    assert captured.truncated


@given(st.lists(st.binary(max_size=30)), st.integers(0, 40))
def test_head_and_tail_do_not_depend_on_the_chunks(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes], cap: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "property"
    captured = capture(path, chunks, cap)
    whole = b"".join(chunks)
    assert captured.size == len(whole)
    assert captured.truncated == (len(whole) > cap)
    kept = path.read_bytes()
    if captured.truncated:
        head, tail = whole[: cap - cap // 2], whole[len(whole) - cap // 2 :]
        assert kept == head + f"\n[... {len(whole) - cap} bytes left out here ...]\n".encode() + tail
    else:
        assert kept == whole


def test_the_filter_sees_everything_and_is_flushed(tmp_path: Path) -> None:
    sink = OutputSink(tmp_path / "out", byte_filter=Upper())
    sink.feed(b"ab")
    sink.feed(b"c")
    assert sink.close().text() == "ABC"


def test_a_character_across_chunks_and_invalid_bytes(tmp_path: Path) -> None:
    captured = capture(tmp_path / "out", [b"\xc3", b"\xbc\xff!"], 100)
    assert captured.text() == "ü\ufffd!"


def test_closing_twice_gives_the_same_answer(tmp_path: Path) -> None:
    sink = OutputSink(tmp_path / "out", cap=2)
    sink.feed(b"abcd")
    assert sink.close() == sink.close()
    assert (tmp_path / "out").read_bytes() == b"a\n[... 2 bytes left out here ...]\nd"


def test_a_file_that_cannot_be_opened_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"missing/out: cannot be written \(No such file or directory\): make room"):
        OutputSink(tmp_path / "missing" / "out")


def test_a_full_disk_is_a_clear_error() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    sink = OutputSink(Path("/dev/full"))
    with pytest.raises(StorageError, match=r"/dev/full: cannot be written \(No space left on device\): make room"):
        sink.feed(b"x")
    sink.close()

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from docker import APIClient
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import WorkspaceError
from skillgrade.workspace.docker.exec import Exec, Lines, _Stream, execute


def frame(stream: int, data: bytes) -> bytes:
    return struct.pack(">BxxxL", stream, len(data)) + data


@given(
    st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(min_size=1, max_size=20)), max_size=8),
    st.lists(st.integers(1, 30), max_size=20),
)
def test_frames_may_begin_and_end_anywhere(frames: list[tuple[int, bytes]], cuts: list[int]) -> None:
    left, right = socket.socketpair()
    stream = _Stream(left)
    data = b"".join(frame(number, content) for number, content in frames)
    got: dict[int, bytes] = {1: b"", 2: b""}
    while data:
        size = cuts.pop() if cuts else len(data)
        for number, piece in stream.pieces(data[:size]):
            got[number] += piece
        data = data[size:]
    for number in (1, 2):
        assert got[number] == b"".join(content for which, content in frames if which == number)
    stream.close()
    right.close()


def test_waiting_ends_at_the_deadline_and_at_the_end() -> None:
    left, right = socket.socketpair()
    stream = _Stream(left)
    started = time.monotonic()
    assert stream.receive(0.05) is None
    assert 0.05 <= time.monotonic() - started < 5
    right.sendall(b"x")
    assert stream.receive(5) == b"x"
    right.close()
    assert stream.receive(5) == b""
    stream.close()


def test_cut_lines_wake_who_reads_and_stay_cut() -> None:
    lines, (near, far) = Lines(), socket.socketpair()
    stream = _Stream(near)
    lines.add(stream)
    timer = threading.Timer(0.05, lines.cut)
    timer.start()
    assert stream.receive(60) == b""
    timer.join()
    late, other = socket.socketpair()
    lines.add(_Stream(late))
    assert other.recv(1) == b""
    with pytest.raises(WorkspaceError, match="was cut"):
        lines.check()
    for one in (near, far, late, other):
        one.close()


class Daemon:
    """A daemon that answers an exec's requests as told, each connection once."""

    def __init__(self, path: Path, start: bytes, inspect: str) -> None:
        self.address = f"unix://{path}"
        self._replies = {
            "POST /v1.41/containers/c/exec": self._json('{"Id": "e"}'),
            "POST /v1.41/exec/e/start": start,
            "GET /v1.41/exec/e/json": self._json(inspect),
        }
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    @staticmethod
    def _json(text: str) -> bytes:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n"
        return f"{head}Connection: close\r\n\r\n{text}".encode()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection:
                request = connection.recv(65536).decode()
                if not request:
                    return
                connection.sendall(self._replies[request.split(" HTTP")[0]])

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(self.address.removeprefix("unix://"))
        self._thread.join()
        self._listener.close()


UPGRADED = b"HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\n\r\n"


@pytest.fixture
def ended(tmp_path: Path) -> Iterator[tuple[APIClient, Daemon]]:
    daemon = Daemon(tmp_path / "s", UPGRADED + frame(1, b"early"), '{"Running": false, "ExitCode": 4, "Pid": 7}')
    api = APIClient(base_url=daemon.address, version="1.41")
    yield api, daemon
    api.close()
    daemon.close()


def test_output_that_comes_with_the_responses_head_is_not_lost(ended: tuple[APIClient, Daemon]) -> None:
    output: list[tuple[int, bytes]] = []
    command = Exec(("true",), "0")
    code = execute(
        ended[0], "c", Lines(), command, lambda number, data: output.append((number, data)), 10, lambda: None
    )
    assert (code, output) == (4, [(1, b"early")])


def test_a_command_that_never_started_is_an_error(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "s", UPGRADED + frame(1, b"OCI"), '{"Running": false, "ExitCode": 126, "Pid": 0}')
    api = APIClient(base_url=daemon.address, version="1.41")
    with pytest.raises(WorkspaceError, match="could not be started"):
        execute(api, "c", Lines(), Exec(("true",), "0"), lambda number, data: None, 10, lambda: None)
    api.close()
    daemon.close()

"""The connections of a client: how long a reply may take, and how they are ended."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import httpx2
import pytest

from skillgrade.models.wire import Wire
from tests.support.model_server import KEY, ModelServer, Stall

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"


@contextmanager
def trickling() -> Iterator[str]:
    """The address of a server whose replies come byte by byte, and never end."""
    ended = threading.Event()

    def serve() -> None:
        with suppress(OSError):
            connection, _ = listener.accept()
            with connection:
                connection.sendall(HEAD)
                while not ended.wait(0.005):
                    connection.sendall(b" ")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            ended.set()
            thread.join()


@pytest.fixture
def wire() -> Iterator[Wire]:
    made = Wire()
    yield made
    made.close()


def test_a_reply_that_trickles_in_ends_with_the_timeout(wire: Wire) -> None:
    started = time.monotonic()
    with trickling() as url, pytest.raises(httpx2.ReadTimeout, match="the reply did not end in time"):
        wire.client.get(url, timeout=0.2)
    assert 0.2 <= time.monotonic() - started < 5


def test_only_plain_headers_and_the_authorization_go_out(wire: Wire) -> None:
    wire.authorize({"X-Api-Key": KEY})
    request = wire.client.build_request(
        "GET",
        "http://h",
        headers={"X-Api-Key": "other", "Cookie": "a=b", "X-Stainless-Os": "Linux", "User-Agent": "us"},
    )
    wire._prepare(request)
    assert dict(request.headers) == {
        "host": "h",
        "accept": "*/*",
        "accept-encoding": request.headers["accept-encoding"],
        "connection": "keep-alive",
        "user-agent": "us",
        "x-api-key": KEY,
    }


def test_closing_ends_requests_of_other_threads(wire: Wire) -> None:
    errors: list[BaseException] = []

    def post() -> None:
        try:
            wire.client.post(f"{server.url}/v1/messages", json={"model": "m", "messages": [user]}, timeout=60)
        except httpx2.TransportError as error:
            errors.append(error)

    user = {"role": "user", "content": "hi"}
    with ModelServer() as server:
        server.always(Stall())
        threads = [threading.Thread(target=post) for _ in range(3)]
        for thread in threads:
            thread.start()
        server.wait_for(3)
        started = time.monotonic()
        wire.close()
        for thread in threads:
            thread.join(10)
        assert time.monotonic() - started < 2
    assert len(errors) == 3
    with pytest.raises(RuntimeError, match="closed"):
        wire.client.get(server.url)

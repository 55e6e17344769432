"""The connections of one client: what goes out, for how long, how much may come back, and how to end it at once.

The SDKs are given an `httpx2` client of ours. So what they find in the environment (organisations, headers, keys) stays
here, no redirect carries a key elsewhere, a reply that trickles in or never ends is cut off, and a call that blocks can
be ended from another thread: closing a socket does not wake whoever reads from it, shutting it down does.
"""

from __future__ import annotations

import socket
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import httpx2

LARGEST_REPLY = 16 * 1024 * 1024
"""Bytes."""

_CONNECT = 10.0
"""Seconds to connect in."""

_SENT_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "anthropic-version",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
        "x-goog-api-client",
    }
)
"""What an SDK may send beside the key; the rest comes from the environment or tells about the machine."""


class OversizedReplyError(Exception):
    """A reply is larger than any answer."""


class WebPageError(Exception):
    """A web page came where a reply should be, as from captive portals and wrong addresses; the message is the page."""


class Wire:
    """HTTP for one SDK. Thread-safe.

    Attributes:
        client: To be given to the SDK.
    """

    def __init__(self) -> None:
        self.client = httpx2.Client(
            event_hooks={"request": [self._prepare], "response": [self._bound]},
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=30.0),
            follow_redirects=False,
        )
        self._authorization: Mapping[str, str] = {}
        self._sockets = weakref.WeakSet[socket.socket]()
        self._lock = threading.Lock()
        self._ended = False

    def authorize(self, headers: Mapping[str, str]) -> None:
        """Send these headers, and no other ones that could hold a key."""
        self._authorization = headers

    def close(self) -> None:
        """End every request that is going on, which then fails in its thread, and give back the connections."""
        with self._lock:
            self._ended = True
            sockets = list(self._sockets)
        for one in sockets:
            _shut_down(one)
        self.client.close()

    def _prepare(self, request: httpx2.Request) -> None:
        for name in set(request.headers) - _SENT_HEADERS:
            del request.headers[name]
        request.headers.update(self._authorization)
        seconds = request.extensions["timeout"]["read"]
        timeout = {**request.extensions["timeout"], "connect": min(seconds, _CONNECT)}
        deadline = time.monotonic() + seconds
        request.extensions |= {"timeout": timeout, "trace": self._note_connection, "deadline": deadline}

    def _note_connection(self, event: str, info: Mapping[str, Any]) -> None:
        if not event.endswith(("connect_tcp.complete", "start_tls.complete")):
            return
        connection = info["return_value"].get_extra_info("socket")
        with self._lock:
            self._sockets.add(connection)
            ended = self._ended
        if ended:
            _shut_down(connection)

    def _bound(self, response: httpx2.Response) -> None:
        assert isinstance(response.stream, httpx2.SyncByteStream)  # noqa: S101  (what a synchronous client gets)
        response.stream = _Bounded(response.stream, response.request.extensions["deadline"])
        if response.is_success and response.headers.get("content-type", "").lower().startswith("text/html"):
            raise WebPageError(response.read().decode(errors="replace"))  # some SDKs would trip over it later


class _Bounded(httpx2.SyncByteStream):
    """A body that ends in time, and is not endless. The timeouts of `httpx2` count from byte to byte."""

    def __init__(self, stream: httpx2.SyncByteStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._stream:
            size += len(chunk)
            if size > LARGEST_REPLY:
                raise OversizedReplyError
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the reply did not end in time")
            yield chunk

    def close(self) -> None:
        self._stream.close()


def _shut_down(connection: socket.socket) -> None:
    # The class's own method: that of an SSL socket would take the state away from whoever is reading.
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)

"""An HTTP server on loopback that ends with everything it holds: its thread, and whoever waits on a connection."""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from skillgrade.models.keys import KEY_NAMES, URL_NAMES


class LoopbackServer(ThreadingHTTPServer):
    """Serves from `begin` to `end`.

    Args:
        handler: Answers requests.
        host: The address to listen at.
        tls: With what connections are encrypted, if they are.
    """

    daemon_threads = False
    request_queue_size = 256

    def __init__(
        self, handler: type[BaseHTTPRequestHandler], host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
    ) -> None:
        super().__init__((host, 0), handler)
        self._connections: set[Any] = set()
        self._lock = threading.Lock()
        scheme = "http" if tls is None else "https"
        self.url = f"{scheme}://{host}:{self.server_port}"
        if tls is not None:
            # The handshake is up to the thread of the connection, not to the one that takes it.
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), name="loopback-server")

    def begin(self) -> None:
        """Serve, in a thread."""
        self._thread.start()

    def end(self) -> None:
        """Serve no more; whoever waits for another request on an open connection is woken."""
        self.shutdown()
        self._thread.join()
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def get_request(self) -> tuple[Any, Any]:
        connection, address = super().get_request()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._connections.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the tests."""


def provider_variables(provider: str, url: str, key: str | None) -> dict[str, str]:
    """The environment with which a provider's client, or an agent, comes to an address."""
    keys = {} if key is None else {KEY_NAMES[provider][0]: key}
    return {URL_NAMES[provider]: url, **keys}

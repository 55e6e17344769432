"""Serving the review pages on this machine alone, until a stop comes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from skillgrade.errors import UsageError
from skillgrade.reading import reason
from skillgrade.reports.review.guard import Guard
from skillgrade.stop import Stop

ADDRESS = "127.0.0.1"
_LAST_ANSWERS = 2
"""Seconds in which answers that are being sent may end."""


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to whoever started it: they set the stop."""
        yield


def serve(app: Guard, port: int, stop: Stop, ready: Callable[[int], None]) -> None:
    """Answer requests until the stop comes.

    Args:
        app: The pages.
        port: The port; 0 for any that is free.
        stop: Ends it.
        ready: Told the port once requests are taken.

    Raises:
        UsageError: The port cannot be had.
    """
    try:
        listening = socket.create_server((ADDRESS, port))
    except (OSError, OverflowError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise UsageError(f"--port={port}: cannot be used ({why}); choose another one, or leave it out") from error
    with listening:
        config = uvicorn.Config(
            app,
            http="h11",
            loop="asyncio",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",  # what goes wrong stands on the page
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=_LAST_ANSWERS,
        )
        server = _Server(config)

        def end() -> None:
            server.should_exit = True

        with stop.waking(end):
            ready(listening.getsockname()[1])
            asyncio.run(server.serve(sockets=[listening]))

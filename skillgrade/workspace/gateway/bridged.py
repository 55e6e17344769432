"""The command line that has a way to the gateway."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from skillgrade.workspace.gateway.address import FOLDER, PORT
from skillgrade.workspace.gateway.gateway import SOCKET


def bridged(argv: Sequence[str]) -> tuple[str, ...]:
    """The command line that first starts a relay from the loopback interface to the gateway's socket.

    bash, node and python3 have no common way to a Unix socket, and clients of models know none at all.

    Args:
        argv: A program and its arguments.
    """
    return ("bash", "-c", _text("bridged.sh"), "bash", *_relay(), *argv)


def _relay() -> tuple[str, ...]:
    return _text("relay.js"), _text("relay.py"), f"{FOLDER}/{SOCKET}", str(PORT)


@functools.cache
def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")

"""Clients of the fake provider: made, asked and closed, and what may be said of a key."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from skillgrade.errors import ModelError
from skillgrade.models import CLIENTS
from skillgrade.models.base import ModelClient, ModelReply, ModelRequest
from skillgrade.models.endpoint import endpoint
from tests.support.model_server import KEY, ModelServer

PROVIDERS = tuple(CLIENTS)
LIMITS = {"gemini": "max_output_tokens", "anthropic": "max_tokens", "openai": "max_completion_tokens"}
"""What each provider's SDK calls the most tokens of a reply."""

MODEL = "small-model"
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
REQUEST = ModelRequest(MODEL, "Be brief.", "Say hello.", SCHEMA, 300)


@contextmanager
def client_of(server: ModelServer, provider: str, key: str | None = KEY) -> Iterator[ModelClient]:
    """A provider's client that asks the server."""
    client = CLIENTS[provider](endpoint(provider, server.variables(provider, key)))
    try:
        yield client
    finally:
        client.close()


def ask(server: ModelServer, provider: str, request: ModelRequest = REQUEST, timeout: float = 10) -> ModelReply:
    """One question to a new client."""
    with client_of(server, provider) as client:
        return client.ask(request, timeout)


def failure(server: ModelServer, provider: str, request: ModelRequest = REQUEST, timeout: float = 10) -> ModelError:
    """How that question fails, without a trace of the key."""
    with pytest.raises(ModelError) as raised:
        ask(server, provider, request, timeout)
    assert_keyless(raised.value)
    return raised.value


def address(server: ModelServer, provider: str) -> str:
    """The server's address as messages have it."""
    return f"{server.url}/v1" if provider == "openai" else server.url


def assert_keyless(error: BaseException) -> None:
    """No key is in an error, nor in what a traceback would print of it."""
    assert error.__cause__ is None
    assert error.__context__ is None
    assert KEY not in f"{error!r} {error.args} {vars(error)}"
    assert KEY not in "".join(traceback.format_exception(error))

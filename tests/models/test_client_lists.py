"""The lists of models that providers and servers of other people give, with the real SDKs."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from skillgrade.errors import ModelError
from skillgrade.models.base import ListedModel
from skillgrade.models.keys import KEY_NAMES, URL_NAMES
from tests.support.clients import (
    PROVIDERS,
    address,
    assert_keyless,
    client_of,
)
from tests.support.model_server import (
    KEY,
    Answer,
    Cut,
    Drop,
    Html,
    Listed,
    ModelServer,
    Raw,
    Status,
)


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        ("gemini", [ListedModel("small"), ListedModel("big")]),
        ("anthropic", [ListedModel("small", 1.7e9), ListedModel("big", 1.8e9), ListedModel("embedder", 1.6e9)]),
        ("openai", [ListedModel("small", 1.7e9), ListedModel("big", 1.8e9), ListedModel("embedder", 1.6e9)]),
    ],
)
def test_lists_of_models(server: ModelServer, provider: str, expected: list[ListedModel]) -> None:
    server.models = [Listed("small", 1.7e9), Listed("big", 1.8e9), Listed("embedder", 1.6e9, ("embedContent",))]
    with client_of(server, provider) as client:
        assert client.models(10) == expected
    assert len(server.lists) == 1


@pytest.mark.parametrize(
    ("provider", "document"),
    [
        ("gemini", {"models": [{"name": "models/small"}]}),
        ("anthropic", {"data": [{"id": "small"}]}),
        ("openai", {"object": "list", "data": [{"id": "small", "object": "model"}]}),
        ("openai", {"object": "list", "data": [{"id": "small", "object": "model", "created": 0, "owned_by": "x"}]}),
    ],
)
def test_lists_of_servers_that_say_little(server: ModelServer, provider: str, document: Mapping[str, object]) -> None:
    server.list_answer = Raw(json.dumps(document).encode())
    with client_of(server, provider) as client:
        assert client.models(10) == [ListedModel("small")]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("answer", "words", "transient"),
    [
        (Html, 'answered with a web page, "Sign in"; is {url_name} right?', False),
        (Status(401, f"bad key {KEY}"), "answered 401: bad key [redacted]; is {keys} right?", False),
        (Status(503, "busy"), "answered 503: busy", True),
        (Drop(), "dropped the connection (Server disconnected without sending a response.)", True),
        (Cut, "answered with JSON that is cut off or damaged", True),
    ],
    ids=["html", "401", "503", "drop", "cut"],
)
def test_lists_that_cannot_be_had(
    server: ModelServer, provider: str, answer: Answer, words: str, transient: bool
) -> None:
    server.list_answer = answer
    with client_of(server, provider) as client, pytest.raises(ModelError) as raised:
        client.models(10)
    error = raised.value
    assert_keyless(error)
    words = words.format(keys=" or ".join(KEY_NAMES[provider]), url_name=URL_NAMES[provider])
    assert str(error) == f"{provider} at {address(server, provider)} {words}"
    assert (error.transient, error.calls, len(server.lists)) == (transient, 1, 1)

"""The clients, with their real SDKs, against a provider of ours that does as it is told."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

from skillgrade.models import CLIENTS
from skillgrade.models.endpoint import endpoint
from skillgrade.models.keys import URL_NAMES
from tests.support.clients import (
    LIMITS,
    MODEL,
    PROVIDERS,
    REQUEST,
    SCHEMA,
    ask,
    client_of,
)
from tests.support.model_server import (
    KEY,
    Answer,
    Blocked,
    ModelServer,
    Nothing,
    Raw,
    Text,
)

ENDS = {"gemini": "STOP", "anthropic": "end_turn", "openai": "stop"}
KEY_HEADERS = {
    "gemini": ("x-goog-api-key", KEY),
    "anthropic": ("x-api-key", KEY),
    "openai": ("authorization", f"Bearer {KEY}"),
}
PLAIN_HEADERS = {
    "accept", "accept-encoding", "anthropic-version", "connection", "content-length", "content-type", "host",
    "user-agent", "x-goog-api-client",
}  # fmt: skip


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_reply(server: ModelServer, provider: str) -> None:
    reply = ask(server, provider)
    assert dataclasses.replace(reply, latency_ms=0) == dataclasses.replace(
        reply,
        text="fine",
        model=MODEL,
        finish=ENDS[provider],
        tokens={"input": 11, "output": 7},
        latency_ms=0,
        sent={"temperature": 0, LIMITS[provider]: 300, "output": "json_schema"},
        calls=1,
    )
    [asked] = server.asked
    assert (asked.provider, asked.model, asked.system, asked.user) == (provider, MODEL, "Be brief.", "Say hello.")


def test_what_goes_to_each_provider(server: ModelServer) -> None:
    for provider in PROVIDERS:
        ask(server, provider)
    gemini, anthropic, openai = (asked.body for asked in server.asked)
    assert gemini["generationConfig"] == {
        "temperature": 0,
        "maxOutputTokens": 300,
        "responseMimeType": "application/json",
        "responseJsonSchema": SCHEMA,
    }
    assert anthropic == {
        "model": MODEL,
        "max_tokens": 300,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Say hello."}],
        "temperature": 0,
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }
    assert openai == {
        "model": MODEL,
        "max_completion_tokens": 300,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello."}],
        "temperature": 0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
        },
    }


@pytest.mark.parametrize("provider", PROVIDERS)
def test_free_text_is_asked_for_without_a_schema(server: ModelServer, provider: str) -> None:
    reply = ask(server, provider, dataclasses.replace(REQUEST, schema=None))
    assert reply.sent == {"temperature": 0, LIMITS[provider]: 300, "output": "text"}
    assert not any(word in json.dumps(server.asked[0].body) for word in ("response", "output_config", "schema"))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_latency_is_that_of_the_answer(server: ModelServer, provider: str) -> None:
    server.delay = 0.05
    with client_of(server, provider) as client:
        assert 50 <= client.ask(REQUEST, 10).latency_ms < 5000


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("answer", "text", "finishes", "tokens"),
    [
        (Text(""), "", ENDS, {"input": 11, "output": 7}),
        (Text("x", tokens=None), "x", ENDS, None),
        (Nothing(), "", {"gemini": None, "anthropic": "end_turn", "openai": None}, {"input": 11, "output": 0}),
        (Blocked(), "", {"gemini": "SAFETY", "anthropic": "refusal", "openai": "refusal"}, {"input": 11, "output": 0}),
        (
            Text("é\u200b☃", finish="MAX_TOKENS"),
            "é\u200b☃",
            dict.fromkeys(PROVIDERS, "MAX_TOKENS"),
            {"input": 11, "output": 7},
        ),
    ],
    ids=["empty", "no usage", "nothing", "blocked", "cut off"],
)
def test_replies_that_say_little(
    server: ModelServer,
    provider: str,
    answer: Answer,
    text: str,
    finishes: Mapping[str, str | None],
    tokens: Mapping[str, int] | None,
) -> None:
    server.always(answer)
    reply = ask(server, provider)
    assert (reply.text, reply.finish, reply.tokens, reply.calls) == (text, finishes[provider], tokens, 1)


@pytest.mark.parametrize(
    ("provider", "document", "text", "tokens"),
    [
        (
            "gemini",
            {
                "modelVersion": "gemini-9",
                "candidates": [{"content": {"parts": [{"text": "hm", "thought": True}, {"text": "a"}, {"text": "b"}]}}],
                "usageMetadata": {
                    "promptTokenCount": 100,
                    "cachedContentTokenCount": 60,
                    "candidatesTokenCount": 5,
                    "thoughtsTokenCount": 20,
                },
            },
            "ab",
            {"input": 100, "cached_input": 60, "output": 25, "reasoning": 20},
        ),
        (
            "anthropic",
            {
                "model": "claude-9",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "text", "text": "a"},
                    {"type": "text", "text": "b"},
                ],
                "usage": {
                    "input_tokens": 30,
                    "cache_read_input_tokens": 60,
                    "cache_creation_input_tokens": 10,
                    "output_tokens": 25,
                },
            },
            "ab",
            {"input": 100, "cached_input": 60, "output": 25},
        ),
        (
            "openai",
            {
                "model": "gpt-9",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": "ab"}, "finish_reason": "stop"}],
                "usage": {
                    "prompt_tokens": 100,
                    "prompt_tokens_details": {"cached_tokens": 60},
                    "completion_tokens": 25,
                    "completion_tokens_details": {"reasoning_tokens": 20},
                    "total_tokens": 125,
                },
            },
            "ab",
            {"input": 100, "cached_input": 60, "output": 25, "reasoning": 20},
        ),
    ],
)
def test_every_kind_of_token_is_counted_once(
    server: ModelServer, provider: str, document: Mapping[str, object], text: str, tokens: Mapping[str, int]
) -> None:
    server.always(Raw(json.dumps(document).encode()))
    reply = ask(server, provider)
    assert (reply.text, reply.tokens) == (text, tokens)
    assert reply.model in {"gemini-9", "claude-9", "gpt-9"}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nothing_of_the_environment_goes_out(
    server: ModelServer, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = (
        "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY",
        "GOOGLE_CLOUD_PROJECT", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN",
    )  # fmt: skip
    for name in names:
        monkeypatch.setenv(name, f"planted-{name}")
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Planted: planted-header")
    for name in URL_NAMES.values():
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    header, value = KEY_HEADERS[provider]
    for key, expected in ((KEY, {header: value}), (None, {})):
        with client_of(server, provider, key) as client:
            client.ask(REQUEST, 10)
            client.models(10)
        headers = server.asked[-1].headers
        assert {name: headers[name] for name in headers.keys() - PLAIN_HEADERS} == expected
    assert "planted-" not in str(server.asked).replace(KEY, "")


def test_a_token_of_anthropic_is_sent_as_one(server: ModelServer) -> None:
    place = endpoint("anthropic", {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_AUTH_TOKEN": KEY})
    client = CLIENTS["anthropic"](place)
    client.ask(REQUEST, 10)
    client.close()
    headers = server.asked[0].headers
    assert (headers["authorization"], headers.get("x-api-key")) == (f"Bearer {KEY}", None)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_keys_are_in_headers_only(server: ModelServer, provider: str) -> None:
    with client_of(server, provider) as client:
        client.ask(REQUEST, 10)
        client.models(10)
        assert KEY not in repr(client)
    [asked] = server.asked
    assert KEY not in f"{asked.path}{asked.body}{server.lists}"


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/", "/proxy", "/proxy/v1/"])
def test_addresses_with_and_without_version(server: ModelServer, provider: str, suffix: str) -> None:
    variables = {**server.variables(provider), URL_NAMES[provider]: server.url + suffix}
    client = CLIENTS[provider](endpoint(provider, variables))
    assert client.ask(REQUEST, 10).text == "fine"
    client.close()
    assert server.asked[0].path.startswith("/proxy/v1/" if "proxy" in suffix else "/v1/")


FINISH = """
import sys
from skillgrade.models import CLIENTS
from skillgrade.models.base import Endpoint, ModelRequest
client = CLIENTS["gemini"](Endpoint("gemini", sys.argv[1]))
print(client.ask(ModelRequest("m", "s", "u"), 10).finish)
client.close()
"""


def test_words_and_variables_that_the_sdk_does_not_expect_print_nothing(server: ModelServer) -> None:
    server.always(Text("x", finish="TOO_NEW"))
    variables = {**os.environ, "GOOGLE_API_KEY": "one", "GEMINI_API_KEY": "two"}
    command = [sys.executable, "-c", FINISH, server.url]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=variables)
    assert (ran.stdout, ran.stderr) == ("TOO_NEW\n", "")

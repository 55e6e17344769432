"""The clients, with their real SDKs, against a provider of ours that does as it is told."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from email.utils import formatdate

import pytest

from skillgrade.errors import ModelError
from skillgrade.models import CLIENTS
from skillgrade.models.base import ListedModel
from skillgrade.models.endpoint import endpoint
from skillgrade.models.keys import KEY_NAMES, URL_NAMES
from skillgrade.models.wire import LARGEST_REPLY
from tests.support.clients import MODEL, REQUEST, SCHEMA, address, ask, assert_keyless, client_of, failure
from tests.support.model_server import (
    HTML,
    KEY,
    Answer,
    Blocked,
    Cut,
    Drop,
    Html,
    Listed,
    ModelServer,
    Nothing,
    Raw,
    Stall,
    Status,
    Text,
)

PROVIDERS = tuple(KEY_NAMES)
LIMITS = {"gemini": "max_output_tokens", "anthropic": "max_tokens", "openai": "max_completion_tokens"}
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


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


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
@pytest.mark.parametrize(
    ("answer", "words", "transient"),
    [
        (Html, 'answered with a web page, "Sign in"; is {url_name} right?', False),
        (Cut, "answered with JSON that is cut off or damaged", True),
        (Raw(b"hello there"), "answered with JSON that is cut off or damaged", True),
        (Raw(b"\xff\xfe{}"), "answered with JSON that is cut off or damaged", True),
        (Drop("before"), "dropped the connection (Server disconnected without sending a response.)", True),
        (Drop("headers"), "dropped the connection (peer closed connection without sending complete message body", True),
        (Drop("body"), "dropped the connection (peer closed connection without sending complete message body", True),
        (Raw(b"[" * 100_000), "answered with what its SDK cannot read (RecursionError: maximum recursion depth", False),
        (Raw(b" " * (LARGEST_REPLY + 1)), "answered with more than 16 MiB", False),
    ],
    ids=["html", "cut", "no JSON", "no UTF-8", "drop", "drop after headers", "drop in body", "deep", "huge"],
)
def test_responses_that_are_no_reply(
    server: ModelServer, provider: str, answer: Answer, words: str, transient: bool
) -> None:
    server.always(answer)
    error = failure(server, provider)
    expected = f"{provider} at {address(server, provider)} {words.format(url_name=URL_NAMES[provider])}"
    assert str(error).startswith(expected)
    assert (error.status, error.transient, error.retry_after, error.calls) == (None, transient, None, 1)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("provider", "body", "words"),
    [
        ("gemini", b'{"ok": true}', "JSON that is no reply of Gemini"),
        ("gemini", b"null", "JSON that is no reply of Gemini"),
        ("anthropic", b'{"ok": true}', 'JSON that is no message, {"ok": true}'),
        ("anthropic", b"null", "JSON that is no message, null"),
        ("anthropic", b'{"content": 5}', 'JSON that is no message, {"content": 5}'),
        ("anthropic", b'"hi"', "text that is no JSON"),
        ("openai", b'{"ok": true}', 'JSON that is no chat completion, {"ok": true}'),
        ("openai", b"[1, 2]", "JSON that is no chat completion, [1, 2]"),
        ("openai", b'{"choices": 5}', 'JSON that is no chat completion, {"choices": 5}'),
    ],
)
def test_json_of_something_else(server: ModelServer, provider: str, body: bytes, words: str) -> None:
    server.always(Raw(body))
    error = failure(server, provider)
    where = address(server, provider)
    assert str(error) == f"{provider} at {where} answered with {words}; is {URL_NAMES[provider]} right?"
    assert not error.transient


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("headers", [False, True])
def test_a_stalled_request_times_out(server: ModelServer, provider: str, headers: bool) -> None:
    server.always(Stall(headers))
    error = failure(server, provider, timeout=0.1)
    assert str(error) == f"{provider} at {address(server, provider)} did not answer within 0.1 s"
    assert (error.transient, error.calls, len(server.asked)) == (True, 1, 1)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nobody_there(provider: str) -> None:
    with ModelServer() as server:
        url = server.url
    error = failure(server, provider)
    assert str(error).startswith(f"{provider} at {address(server, provider)} could not be reached (")
    assert str(error).endswith(f"); is {URL_NAMES[provider]} right?")
    assert url in str(error)
    assert (error.status, error.transient, error.calls) == (None, True, 1)


ADVICE = {
    401: "; is {keys} right?",
    403: "; is {keys} right?",
    404: "; are the model's name and {url_name} right?",
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("code", "transient"),
    [
        *((code, False) for code in (400, 401, 403, 404, 413, 422)),
        *((code, True) for code in (408, 409, 429, 500, 529)),
    ],
)
def test_refusals_have_the_providers_words_and_no_key(
    server: ModelServer, provider: str, code: int, transient: bool
) -> None:
    server.always(Status(code, f"Your key {KEY}\nis not welcome"))
    error = failure(server, provider)
    advice = ADVICE.get(code, "").format(keys=" or ".join(KEY_NAMES[provider]), url_name=URL_NAMES[provider])
    where = address(server, provider)
    assert str(error) == f"{provider} at {where} answered {code}: Your key [redacted] is not welcome{advice}"
    assert (error.status, error.transient, error.retry_after, error.calls) == (code, transient, None, 1)
    assert len(server.asked) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "answer",
    [
        *(Status(400, "x" * room + KEY) for room in range(280, 300, 6)),
        Raw(HTML.replace(b"Sign in", b"Sign in, " + KEY.encode()), type="text/html"),
        Raw(json.dumps({"id": "x" * 250, "echo": KEY}).encode()),
        Raw(f"https://h/?key={KEY}".encode(), 502, "text/plain"),
        Raw(json.dumps({"content": [KEY], "choices": [KEY], "candidates": 5, "usageMetadata": KEY}).encode()),
    ],
)
def test_a_key_that_comes_back_is_not_shown_in_part_either(server: ModelServer, provider: str, answer: Answer) -> None:
    server.always(answer)
    error = failure(server, provider)
    assert KEY[:8] not in f"{error!r}{vars(error)}"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_redirect_is_not_followed(server: ModelServer, provider: str) -> None:
    server.always(Raw(b"", 307))
    assert str(failure(server, provider)) == (
        f"{provider} at {address(server, provider)} answered 307: Temporary Redirect; it redirects to nowhere: "
        f"set {URL_NAMES[provider]} to where that leads"
    )
    assert len(server.asked) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (Status(429, retry_after=7), 7.0),
        (Status(529, retry_after="0.5"), 0.5),
        (Status(503, retry_after="Thu, 01 Dec 1994 16:00:00 GMT"), 0.0),
        (Status(429, retry_after="soon"), None),
        (Status(429, retry_after="nan"), None),
        (Status(429, retry_after=-3), 0.0),
    ],
)
def test_what_a_provider_asks_to_wait(
    server: ModelServer, provider: str, answer: Status, seconds: float | None
) -> None:
    server.always(answer)
    error = failure(server, provider)
    assert (error.status, error.transient, error.retry_after) == (answer.code, True, seconds)


def test_a_date_to_come_is_waited_for(server: ModelServer) -> None:
    server.always(Status(429, retry_after=formatdate(time.time() + 100, usegmt=True)))
    wait = failure(server, "openai").retry_after
    assert wait is not None
    assert 80 < wait <= 100


def test_googles_own_way_to_ask_for_it(server: ModelServer) -> None:
    server.next(
        Status(429, retry_info="7.25s"), Status(429, retry_info="2s", retry_after=5), Status(429, retry_info="x")
    )
    assert [failure(server, "gemini").retry_after for _ in range(3)] == [7.25, 5.0, None]


def test_a_quota_that_is_used_up_is_not_waited_for(server: ModelServer) -> None:
    words = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    server.always(Raw(json.dumps(words).encode(), 429))
    error = failure(server, "openai")
    assert (error.status, error.transient) == (429, False)


SIMPLER = [
    ("gemini", {"temperature"}, [{LIMITS["gemini"]: 300, "output": "json_schema"}]),
    ("gemini", {"responseJsonSchema"}, [{"temperature": 0, LIMITS["gemini"]: 300, "output": "json_object"}]),
    (
        "gemini",
        {"responseMimeType"},
        [
            {"temperature": 0, LIMITS["gemini"]: 300, "output": "json_object"},
            {"temperature": 0, LIMITS["gemini"]: 300, "output": "text"},
        ],
    ),
    ("anthropic", {"temperature"}, [{"max_tokens": 300, "output": "json_schema"}]),
    ("anthropic", {"output_config"}, [{"temperature": 0, "max_tokens": 300, "output": "text"}]),
    (
        "anthropic",
        {"output_config", "temperature"},
        [{"temperature": 0, "max_tokens": 300, "output": "text"}, {"max_tokens": 300, "output": "text"}],
    ),
    ("openai", {"temperature"}, [{"max_completion_tokens": 300, "output": "json_schema"}]),
    ("openai", {"json_schema"}, [{"temperature": 0, "max_completion_tokens": 300, "output": "json_object"}]),
    (
        "openai",
        {"response_format"},
        [
            {"temperature": 0, "max_completion_tokens": 300, "output": "json_object"},
            {"temperature": 0, "max_completion_tokens": 300, "output": "text"},
        ],
    ),
    ("openai", {"max_completion_tokens"}, [{"temperature": 0, "max_tokens": 300, "output": "json_schema"}]),
    (
        "openai",
        {"max_completion_tokens", "max_tokens"},
        [
            {"temperature": 0, "max_tokens": 300, "output": "json_schema"},
            {"temperature": 0, "output": "json_schema"},
        ],
    ),
    (
        "openai",
        {"max_completion_tokens", "response_format", "temperature"},
        [
            {"temperature": 0, "max_tokens": 300, "output": "json_schema"},
            {"temperature": 0, "max_tokens": 300, "output": "json_object"},
            {"temperature": 0, "max_tokens": 300, "output": "text"},
            {"max_tokens": 300, "output": "text"},
        ],
    ),
]


@pytest.mark.parametrize("code", [400, 422])
@pytest.mark.parametrize(("provider", "refused", "forms"), SIMPLER)
def test_what_a_server_refuses_is_left_out_and_remembered(
    server: ModelServer, provider: str, refused: set[str], forms: list[dict[str, object]], code: int
) -> None:
    server.refuses, server.refusal_code = refused, code
    with client_of(server, provider) as client:
        first, second = client.ask(REQUEST, 10), client.ask(REQUEST, 10)
        other = client.ask(dataclasses.replace(REQUEST, model="other-model"), 10)
    assert (first.text, first.sent, first.calls) == ("fine", forms[-1], len(forms) + 1)
    assert (second.text, second.sent, second.calls) == ("fine", forms[-1], 1)
    assert (other.sent, other.calls) == (forms[-1], len(forms) + 1)
    assert len(server.asked) == 2 * (len(forms) + 1) + 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_nobody_can_leave_out_fails_at_once(server: ModelServer, provider: str) -> None:
    server.always(Status(400, "the prompt is too long: 9000 > 8192"))
    error = failure(server, provider)
    assert str(error).endswith(" answered 400: the prompt is too long: 9000 > 8192")
    assert (error.calls, len(server.asked)) == (1, 1)


def test_a_failure_behind_a_refusal_counts_both_requests(server: ModelServer) -> None:
    server.next(Status(400, "temperature is deprecated"), Status(401, "no"))
    assert failure(server, "anthropic").calls == 2


def test_a_server_that_breaks_over_a_schema_is_asked_without(server: ModelServer) -> None:
    server.next(Status(500, "guided_json is not supported by this build"))
    reply = ask(server, "openai")
    assert (reply.sent["output"], reply.calls) == ("json_object", 2)


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

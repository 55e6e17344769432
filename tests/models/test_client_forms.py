"""What a server refuses is left out of the next request, with the real SDKs."""

from __future__ import annotations

import dataclasses

import pytest

from tests.support.clients import (
    LIMITS,
    PROVIDERS,
    REQUEST,
    ask,
    client_of,
    failure,
)
from tests.support.model_server import (
    ModelServer,
    Status,
)

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

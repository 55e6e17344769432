"""How each client says what went wrong, with its real SDK: whose words, whether it may pass, and never the key."""

from __future__ import annotations

import json
import time
from email.utils import formatdate

import pytest

from skillgrade.models.keys import KEY_NAMES, URL_NAMES
from skillgrade.models.wire import LARGEST_REPLY
from tests.support.clients import (
    PROVIDERS,
    address,
    failure,
)
from tests.support.model_server import (
    HTML,
    KEY,
    Answer,
    Cut,
    Drop,
    Html,
    ModelServer,
    Raw,
    Stall,
    Status,
)


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

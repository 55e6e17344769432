"""A model provider on loopback: Gemini, Anthropic and OpenAI in one server that does as it is told.

Use::

    with ModelServer() as server:
        variables = server.variables("openai")  # OPENAI_BASE_URL and a key
        server.always("fine")                   # what every request gets: a text, or one of the answers below
        server.always(lambda asked: echo(asked.user))   # ... or what is computed from the request
        server.next(Status(429, retry_after=2), "fine")  # these first, one request each
        server.of_model["slow-model"] = Stall()          # what a model always gets
        server.refuses.add("temperature")       # a 400 for each request with such a field, or with such a "type"
        server.models = [Listed("small-mini", 1.7e9)]    # the list of models
        server.list_answer = Status(500)        # ... or how asking for it fails
        ...
        assert [asked.model for asked in server.asked] == ["small-model"]

What a request gets is the first of: the refusal of a field, what `next` holds, what its model gets, what `always` says.
Answers: a ``str`` is ``Text`` of it; ``Status``, ``Drop``, ``Stall``, ``Raw``, ``Nothing``, ``Blocked``, ``Html`` and
``Cut`` say themselves. `server.wait_for(n)` blocks until n requests are there, `server.release()` lets stalled ones go
on with an empty text, and leaving the block ends every connection and thread.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import responses
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, Literal, Self

from tests.support.loopback import LoopbackServer, provider_variables

KEY = "sk-planted-0123456789abcdef"
"""The key in `ModelServer.variables`, to be looked for where no key may be."""
_PATIENCE = 20.0
_ROUTES = {
    "gemini": re.compile(r"(?:/proxy)?/v1(?:beta)?/models/(?P<model>[^/:]+):generateContent"),
    "anthropic": re.compile(r"(?:/proxy)?/v1/messages"),
    "openai": re.compile(r"(?:/proxy)?/v1/chat/completions"),
}
_LIST = re.compile(r"(?:/proxy)?/v1(?:beta)?/models")


@dataclass(frozen=True)
class Text:
    """A reply: its text, the provider's word for its end (None: the usual one), tokens in and out (None: no usage)."""

    text: str
    finish: str | None = None
    tokens: tuple[int, int] | None = (11, 7)


@dataclass(frozen=True)
class Status:
    """An error in the provider's own form; `retry_info` is Google's own way to say how long to wait ("7s")."""

    code: int
    message: str = "the scripted error"
    retry_after: float | str | None = None
    retry_info: str | None = None


@dataclass(frozen=True)
class Raw:
    """These bytes as the body."""

    body: bytes
    code: int = 200
    type: str = "application/json"


@dataclass(frozen=True)
class Drop:
    """The connection is reset before the response, after its headers, or in the middle of its body."""

    when: Literal["before", "headers", "body"] = "before"


@dataclass(frozen=True)
class Stall:
    """No response until `ModelServer.release`; with `headers`, those are sent at once."""

    headers: bool = False


@dataclass(frozen=True)
class Nothing:
    """A proper response with no candidates, no content, no choices."""


@dataclass(frozen=True)
class Blocked:
    """The provider's way to say that it does not answer this."""


HTML = b"<!doctype html><html><head><title>Sign in</title></head><body>Welcome to the portal</body></html>"
Html = Raw(HTML, type="text/html")
"""A page with status 200, as captive portals and wrong addresses give."""
Cut = Raw(b'{"candidates": [{"content": ', type="application/json")
"""A body that is cut-off JSON."""

Answer = str | Text | Status | Raw | Drop | Stall | Nothing | Blocked


@dataclass(frozen=True)
class Asked:
    """A request as it came.

    Attributes:
        provider: Whose form it has.
        path: With its query.
        headers: By lower-case name.
        body: The parsed JSON.
        model: The model that is asked.
        system: The instructions.
        user: The message.
    """

    provider: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    model: str
    system: str
    user: str


@dataclass(frozen=True)
class Listed:
    """An entry of the list of models; for Gemini, `methods` are its supported ones."""

    name: str
    created: float | None = None
    methods: tuple[str, ...] = ("generateContent",)


@dataclass
class ModelServer:
    """See the module. `delay` is the seconds that each answer takes; `most_at_once` the most that were in work."""

    refuses: set[str] = field(default_factory=set)
    of_model: dict[str, Answer] = field(default_factory=dict)
    models: list[Listed] = field(default_factory=list)
    list_answer: Answer | None = None
    delay: float = 0.0
    refusal_code: int = 400

    def __post_init__(self) -> None:
        self.asked: list[Asked] = []
        self.lists: list[str] = []
        self.most_at_once = 0
        self._at_work = 0
        self._always: Answer | Callable[[Asked], Answer] = "fine"
        self._next: deque[Answer] = deque()
        self._change = threading.Condition()
        self._released = threading.Event()
        self._server = _Server(_Handler)
        self._server.told = self

    def __enter__(self) -> Self:
        self._server.begin()
        return self

    def __exit__(self, *error: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.release()
        self._server.end()

    @property
    def url(self) -> str:
        """The address, without ``/v1``."""
        return self._server.url

    def variables(self, provider: str, key: str | None = KEY) -> dict[str, str]:
        """The environment with which a provider's client comes here."""
        return provider_variables(provider, self.url, key)

    def always(self, answer: Answer | Callable[[Asked], Answer]) -> None:
        """What every request gets from now on."""
        self._always = answer

    def next(self, *answers: Answer) -> None:
        """What the next requests get, in turn."""
        with self._change:
            self._next.extend(answers)

    def release(self) -> None:
        """Let stalled requests go on, also those to come."""
        self._released.set()

    def wait_for(self, number: int) -> None:
        """Block until that many requests (lists of models not counted) have come."""
        with self._change:
            assert self._change.wait_for(lambda: len(self.asked) >= number, _PATIENCE), f"{len(self.asked)} came"

    def take(self, asked: Asked) -> Answer:
        """Note a request and say what it gets."""
        refused = next((name for name in sorted(self.refuses) if name in _names(asked.body)), None)
        with self._change:
            self.asked.append(asked)
            self._at_work += 1
            self.most_at_once = max(self.most_at_once, self._at_work)
            self._change.notify_all()
            if refused is not None:
                return Status(self.refusal_code, f"Unsupported parameter: '{refused}' is not supported by this model")
            if self._next:
                return self._next.popleft()
        if asked.model in self.of_model:
            return self.of_model[asked.model]
        return self._always(asked) if callable(self._always) else self._always

    def done(self) -> None:
        """Note that a request was answered."""
        with self._change:
            self._at_work -= 1

    def stall(self) -> None:
        """Block until the release."""
        self._released.wait(_PATIENCE * 2)


class _Server(LoopbackServer):
    told: ModelServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class's name)
        """Say nothing."""

    def do_GET(self) -> None:
        told, path = self.server.told, self.path.partition("?")[0]
        if not _LIST.fullmatch(path):
            self._send(404, _error("openai", Status(404, f"no such page: {path}")))
            return
        told.lists.append(self.path)
        names = {name.lower() for name in self.headers}
        provider = (
            "anthropic" if "anthropic-version" in names else "gemini" if "x-goog-api-client" in names else "openai"
        )
        if told.list_answer is not None:
            self._answer(Asked(provider, self.path, {}, {}, "", "", ""), told.list_answer)
        else:
            self._send(200, _listing(provider, told.models))

    def do_POST(self) -> None:
        told = self.server.told
        content = self.rfile.read(int(self.headers["content-length"]))
        found = [(name, match) for name, route in _ROUTES.items() if (match := route.fullmatch(self.path))]
        if not found:
            self._send(404, _error("openai", Status(404, f"no such page: {self.path}")))
            return
        [(provider, match)] = found
        body = json.loads(content)
        headers = {name.lower(): value for name, value in self.headers.items()}
        model = match.groupdict().get("model") or body["model"]
        asked = Asked(provider, self.path, headers, body, model, *_texts(provider, body))
        answer = told.take(asked)
        try:
            if told.delay:
                time.sleep(told.delay)
            self._answer(asked, answer)
        finally:
            told.done()

    def _answer(self, asked: Asked, answer: Answer) -> None:
        told = self.server.told
        match answer:
            case Stall(headers=headers):
                if headers:
                    self._send(200, b"", length=1000)
                told.stall()
                if not headers:
                    self._send(200, _reply(asked, Text("")))
            case Drop("before"):
                self._hang_up()
            case Drop(when):
                body = _reply(asked, Text("fine"))
                self._send(200, body[: len(body) // 2] if when == "body" else b"", length=len(body))
                self._hang_up()
            case Raw(body, code, kind):
                self._send(code, body, kind=kind)
            case Status(code=code, retry_after=wait):
                headers_sent = {} if wait is None else {"Retry-After": f"{wait}"}
                self._send(code, _error(asked.provider, answer), more=headers_sent)
            case Nothing() | Blocked() | Text() | str():
                self._send(200, _reply(asked, Text(answer) if isinstance(answer, str) else answer))

    def _send(
        self,
        code: int,
        body: bytes,
        kind: str = "application/json",
        length: int | None = None,
        more: Mapping[str, str] | None = None,
    ) -> None:
        size = len(body) if length is None else length
        lines = [f"Content-Type: {kind}", f"Content-Length: {size}", *(f"{k}: {v}" for k, v in (more or {}).items())]
        # One write: a header alone would wait for the client's delayed acknowledgement.
        self.wfile.write(
            "\r\n".join([f"HTTP/1.1 {code} {responses.get(code, 'Overloaded')}", *lines, "", ""]).encode() + body
        )

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


def _names(body: object) -> Iterator[str]:
    """The keys and the values of "type" anywhere in a body."""
    if isinstance(body, Mapping):
        for key, value in body.items():
            yield key
            if key == "type" and isinstance(value, str):
                yield value
            yield from _names(value)
    elif isinstance(body, list):
        for item in body:
            yield from _names(item)


def _texts(provider: str, body: Mapping[str, Any]) -> tuple[str, str]:
    """Instructions and message of a request."""
    if provider == "gemini":
        return _joined(body.get("systemInstruction", {}).get("parts")), _joined(body["contents"][-1]["parts"])
    messages = {message["role"]: _joined(message["content"]) for message in body["messages"]}
    if provider == "anthropic":
        return _joined(body.get("system")), messages["user"]
    return messages.get("system", ""), messages["user"]


def _joined(parts: Any) -> str:
    return parts if isinstance(parts, str) else "".join(part.get("text", "") for part in parts or ())


def _reply(asked: Asked, answer: Text | Nothing | Blocked) -> bytes:
    """A response with status 200 in the provider's form."""
    text = answer.text if isinstance(answer, Text) else None
    finish, tokens = (answer.finish, answer.tokens) if isinstance(answer, Text) else (None, (11, 0))
    blocked = isinstance(answer, Blocked)
    document: dict[str, Any]
    if asked.provider == "gemini":
        content = {"parts": [{"text": text}], "role": "model"}
        document = {"modelVersion": asked.model, "responseId": "r1"}
        if text is not None:
            document["candidates"] = [{"content": content, "finishReason": finish or "STOP", "index": 0}]
        if blocked:
            document["promptFeedback"] = {"blockReason": "SAFETY"}
        names = ("usageMetadata", "promptTokenCount", "candidatesTokenCount")
    elif asked.provider == "anthropic":
        content_blocks = [] if text is None else [{"type": "text", "text": text}]
        stop = "refusal" if blocked else finish or "end_turn"
        document = {"id": "m1", "type": "message", "role": "assistant", "model": asked.model}
        document |= {"content": content_blocks, "stop_reason": stop, "stop_sequence": None}
        names = ("usage", "input_tokens", "output_tokens")
    else:
        message = {"role": "assistant", "content": text, "refusal": "I can't help with that." if blocked else None}
        choice = {"index": 0, "message": message, "finish_reason": finish or "stop", "logprobs": None}
        document = {"id": "c1", "object": "chat.completion", "created": 1, "model": asked.model}
        document["choices"] = [choice] if text is not None or blocked else []
        names = ("usage", "prompt_tokens", "completion_tokens")
    if tokens is not None:
        document[names[0]] = {names[1]: tokens[0], names[2]: tokens[1]}
        if asked.provider == "openai":
            document["usage"]["total_tokens"] = sum(tokens)
    return json.dumps(document).encode()


def _error(provider: str, status: Status) -> bytes:
    document: dict[str, Any]
    if provider == "gemini":
        details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": status.retry_info}]
        error = {"code": status.code, "message": status.message, "status": "FAILED"}
        document = {"error": {**error, "details": details} if status.retry_info else error}
    elif provider == "anthropic":
        document = {"type": "error", "error": {"type": "scripted_error", "message": status.message}}
    else:
        document = {"error": {"message": status.message, "type": "scripted_error", "param": None, "code": None}}
    return json.dumps(document).encode()


def _listing(provider: str, models: list[Listed]) -> bytes:
    if provider == "gemini":
        rows = [{"name": f"models/{one.name}", "supportedGenerationMethods": list(one.methods)} for one in models]
        return json.dumps({"models": rows}).encode()
    if provider == "anthropic":
        entries = [{"type": "model", "id": m.name, "display_name": m.name, "created_at": _date(m)} for m in models]
        return json.dumps({"data": entries, "has_more": False, "first_id": None, "last_id": None}).encode()
    data = [{"id": m.name, "object": "model", "created": int(m.created or 0), "owned_by": "us"} for m in models]
    return json.dumps({"object": "list", "data": data}).encode()


def _date(model: Listed) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(model.created or 0))

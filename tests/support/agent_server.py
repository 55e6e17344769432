"""A model provider on loopback for whole agents: it answers with a script of tool calls and texts, or with faults.

Use::

    with AgentServer() as server:
        variables = server.variables("anthropic")   # an address and a key
        server.script(Shell("echo hi >hello.txt"), "I wrote it.")   # one step for each question that offers tools
        server.script(UseSkill("demo"), "I used it.")
        server.script(Status(429, retry_after=0), Shell("true"), "done")
        server.always(Status(500))                  # what every question gets, whatever the script
        ...
        assert "my instruction" in server.asked[0].text

It speaks Anthropic Messages, OpenAI Responses and Chat Completions, and Gemini, each streaming or not. Which tool a
step calls follows from the tools that the agent offers. Questions without tools (titles, routing) get a short text and
take no step; when the script is over, every question gets "Done.". Faults are those of `tests.support.model_server`.
"""

from __future__ import annotations

import gzip
import json
import re
import ssl
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from itertools import count
from types import TracebackType
from typing import Any, Self

from tests.support.loopback import LoopbackServer, provider_variables
from tests.support.model_server import KEY, Raw, Stall, Status
from tests.support.model_wire import anthropic_events, chat_events, gemini_reply, responses_events

_PATIENCE = 20.0
_LAST_WORDS = "Done."
_ROUTES = {
    "anthropic": re.compile(r"/v1/messages"),
    "responses": re.compile(r"/v1/responses"),
    "chat": re.compile(r"/v1/chat/completions"),
    "gemini": re.compile(r"/v1(?:beta)?/models/(?P<model>[^/:]+):(?:streamG|g)enerateContent"),
}
_COUNTS = {"/v1/messages/count_tokens": {"input_tokens": 42}}
_SHELLS = {
    "Bash": "command",
    "run_shell_command": "command",
    "bash": "command",
    "exec_command": "cmd",
    "shell_command": "command",
}
_SKILL_TOOLS = {"Skill": "skill", "activate_skill": "name", "skill": "name"}


@dataclass(frozen=True)
class Shell:
    """A command, through whatever tool runs commands."""

    command: str


@dataclass(frozen=True)
class UseSkill:
    """A skill by its name, through the tool for that; an agent without one reads its SKILL.md by a command."""

    name: str


Fault = Status | Raw | Stall
Step = str | Shell | UseSkill | Fault


@dataclass(frozen=True)
class Asked:
    """A question as it came: in which form, for which model, with which tools, and the whole of it."""

    form: str
    model: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    tools: tuple[str, ...]

    @property
    def text(self) -> str:
        """The question's JSON."""
        return json.dumps(self.body, ensure_ascii=False)


class AgentServer:
    """See the module.

    Args:
        host: The address to listen at.
        tls: With what connections are encrypted, if they are.
    """

    def __init__(self, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self.asked: list[Asked] = []
        self._script: deque[Step] = deque()
        self._always: Fault | None = None
        self._change = threading.Condition()
        self._released = threading.Event()
        self._server = _Server(_Handler, host, tls)
        self._server.told = self
        self._server.numbers = count(1)

    def __enter__(self) -> Self:
        self._server.begin()
        return self

    def __exit__(self, *error: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._released.set()
        self._server.end()

    @property
    def url(self) -> str:
        """The address, without ``/v1``."""
        return self._server.url

    def variables(self, provider: str, key: str | None = KEY) -> dict[str, str]:
        """The environment with which an agent of that provider comes here."""
        return provider_variables(provider, self.url, key)

    def script(self, *steps: Step) -> None:
        """What the next questions that offer tools get, in turn."""
        with self._change:
            self._script.extend(steps)

    def always(self, fault: Fault) -> None:
        """What every question gets from now on."""
        self._always = fault

    def wait_for(self, number: int) -> None:
        """Block until that many questions have come."""
        with self._change:
            assert self._change.wait_for(lambda: len(self.asked) >= number, _PATIENCE), f"{len(self.asked)} came"

    def take(self, asked: Asked) -> Step:
        """Note a question and say what it gets."""
        with self._change:
            self.asked.append(asked)
            self._change.notify_all()
            if self._always is not None:
                return self._always
            if asked.tools and self._script:
                return self._script.popleft()
        return _LAST_WORDS

    def stall(self) -> None:
        """Block until the end."""
        self._released.wait(_PATIENCE * 3)


class _Server(LoopbackServer):
    told: AgentServer
    numbers: Iterator[int]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class's name)
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.endswith("/models"):
            self._send_json(200, {"object": "list", "data": [], "models": [], "has_more": False})
        else:
            self._send_json(404, {"error": {"message": f"no such page: {path}"}})

    def do_POST(self) -> None:
        content = self._content()
        path = self.path.partition("?")[0]
        if path in _COUNTS or path.endswith(":countTokens"):
            self._send_json(200, _COUNTS.get(path, {"totalTokens": 42}))
            return
        found = [(form, match) for form, route in _ROUTES.items() if (match := route.fullmatch(path))]
        if not found:
            self._send_json(404, {"error": {"message": f"no such page: {path}"}})
            return
        [(form, match)] = found
        body = json.loads(content)
        headers = {name.lower(): value for name, value in self.headers.items()}
        model = match.groupdict().get("model") or body["model"]
        asked = Asked(form, model, headers, body, tuple(_tools(form, body)))
        self._answer(asked, self.server.told.take(asked))

    def _content(self) -> bytes:
        if "chunked" in self.headers.get("transfer-encoding", ""):
            content = b"".join(iter(self._chunk, b""))
        else:
            content = self.rfile.read(int(self.headers.get("content-length", 0)))
        return gzip.decompress(content) if self.headers.get("content-encoding") == "gzip" else content

    def _chunk(self) -> bytes:
        chunk = self.rfile.read(int(self.rfile.readline().split(b";")[0], 16))
        self.rfile.readline()
        return chunk

    def _answer(self, asked: Asked, step: Step) -> None:
        match step:
            case Stall(headers=headers):
                if headers:
                    self._head(200, "text/event-stream")
                self.server.told.stall()
                self.close_connection = True
            case Raw(body, code, kind):
                self._send(code, body, kind)
            case Status(code=code, retry_after=wait):
                self._send_json(code, _error(asked.form, step), {} if wait is None else {"Retry-After": f"{wait}"})
            case _:
                self._reply(asked, step)

    def _reply(self, asked: Asked, step: str | Shell | UseSkill) -> None:
        number = next(self.server.numbers)
        content = step if isinstance(step, str) else _call(asked.tools, step)
        if asked.form == "gemini":
            reply = gemini_reply(asked.model, content, number)
            streams = ":streamGenerateContent" in self.path
            events: Sequence[tuple[str | None, object]] = [(None, reply)]
        else:
            make = {"anthropic": anthropic_events, "responses": responses_events, "chat": chat_events}[asked.form]
            reply, events = make(asked.model, content, number)
            streams = bool(asked.body.get("stream"))
        if streams:
            self._stream(events, ends_with_done=asked.form == "chat")
        else:
            self._send_json(200, reply)

    def _stream(self, events: Sequence[tuple[str | None, object]], *, ends_with_done: bool) -> None:
        lines = [(f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n" for name, data in events]
        self._head(200, "text/event-stream")
        self.wfile.write("".join([*lines, "data: [DONE]\n\n" if ends_with_done else ""]).encode())

    def _head(self, code: int, kind: str) -> None:
        self.close_connection = True
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()

    def _send_json(self, code: int, document: object, more: Mapping[str, str] | None = None) -> None:
        self._send(code, json.dumps(document).encode(), "application/json", more)

    def _send(
        self, code: int, body: bytes, kind: str = "application/json", more: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(code)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _tools(form: str, body: Mapping[str, Any]) -> Iterator[str]:
    for tool in body.get("tools") or ():
        if form == "gemini":
            yield from (declared["name"] for declared in tool.get("functionDeclarations", ()))
        else:
            yield tool["function"]["name"] if form == "chat" else tool.get("name") or tool["type"]


def _call(tools: Sequence[str], step: Shell | UseSkill) -> tuple[str, dict[str, object]]:
    """The tool that a step calls, with its arguments."""
    if isinstance(step, UseSkill):
        for tool, key in _SKILL_TOOLS.items():
            if tool in tools:
                return tool, {key: step.name}
        step = Shell(f"cat .agents/skills/{step.name}/SKILL.md")
    for tool, key in _SHELLS.items():
        if tool in tools:
            return tool, {key: step.command, **({"description": "a step"} if key == "command" else {})}
    raise AssertionError(f"no tool that runs commands among {', '.join(tools)}")


def _error(form: str, status: Status) -> object:
    if form == "anthropic":
        return {"type": "error", "error": {"type": "scripted_error", "message": status.message}}
    if form == "gemini":
        return {"error": {"code": status.code, "message": status.message, "status": "SCRIPTED"}}
    return {"error": {"message": status.message, "type": "scripted_error", "code": "scripted", "param": None}}

"""The Agent Client Protocol: the messages that an agent sends, one JSON-RPC object per line.

What counts is from the prompt on: the notifications ``session/update``, and the response to the prompt. Other requests
and responses may stand between them.
"""

from __future__ import annotations

import re
from typing import Any

from skillgrade.transcript.base import (
    Document,
    JsonParser,
    amount_of,
    id_of,
    list_of,
    object_of,
    text_of,
    text_of_content,
    tokens_of,
    word_of,
)
from skillgrade.transcript.events import CallStatus, End, Role, ToolCall
from skillgrade.transcript.shorten import MESSAGE_LIMIT, OUTPUT_LIMIT, Growing, short_arguments, shortened
from skillgrade.transcript.tools import canonical, is_known

_ROLES = {
    "user_message_chunk": Role.USER,
    "agent_message_chunk": Role.ASSISTANT,
    "agent_thought_chunk": Role.REASONING,
}
_STATUS = {"completed": CallStatus.OK, "failed": CallStatus.ERROR}
_KINDS = {"read": "Read", "edit": "Edit", "execute": "Bash", "search": "Grep", "fetch": "WebFetch"}
_NAME_IN_ID = re.compile(r"([a-z_]+)__\1_\d+_\d+")
"""Gemini CLI names the tool nowhere but in the call's id."""

_QUOTED = re.compile(r'\s*"([^"\n]{1,200})"')
_BOOKKEEPING = frozenset({"call_id", "process_id", "turn_id", "started_at_ms", "parsed_cmd", "source"})
"""What Codex adds to the arguments of a command, which its model did not write."""

_OK_REASONS = ("end_turn",)


class AcpParser(JsonParser):
    """See `Parser`. A call's `name` is often left out; then its title, its kind or its id say what it is."""

    def __init__(self) -> None:
        super().__init__()
        self._text = Growing(MESSAGE_LIMIT)
        self._speaker: tuple[Role, object] | None = None

    def _take(self, document: Document) -> None:
        if document.get("method") == "session/update":
            self.recognized += 1
            params = object_of(document.get("params"))
            self.conversation = id_of(params.get("sessionId"))
            self._update(object_of(params.get("update")))
        elif "result" in document or "error" in document:
            self.recognized += 1
            self._response(document)
        elif type(document.get("method")) is str:
            self.recognized += 1
        else:
            self._count_noise("an object that is no message of the protocol")

    def _update(self, update: Document) -> None:
        kind = update.get("sessionUpdate")
        if type(kind) is not str:
            return
        if kind in _ROLES:
            self._chunk(_ROLES[kind], update)
        elif kind in ("tool_call", "tool_call_update"):
            self._call(update)
        elif kind == "usage_update":
            cost = object_of(update.get("cost"))
            amount = amount_of(cost.get("amount")) if cost.get("currency") == "USD" else None
            self._cost = self._cost if amount is None else amount

    def _chunk(self, role: Role, update: Document) -> None:
        speaker = (role, word_of(update.get("messageId")))
        if speaker != self._speaker:
            self._flush()
            self._speaker = speaker
        self._text.add(text_of(object_of(update.get("content")).get("text")))

    def _flush(self) -> None:
        if self._speaker is not None:
            role = self._speaker[0]
            self._speaker = None
            self._say(role, self._text.take())

    def _call(self, update: Document) -> None:
        name = word_of(update.get("toolCallId"))
        if not name or name in self._closed:
            return
        if name not in self._open:
            self._start(name, _tool_name(name, update), {})
            kind = word_of(update.get("kind"))
            call = self._open[name]
            if call.name == kind:
                self._open[name] = ToolCall(name, kind, _KINDS.get(kind, canonical(kind)), {}, call.status)
        call = self._open[name]
        args, output = _arguments(call, update), _output(update)
        if args or output:
            call = ToolCall(name, call.name, call.tool, args or call.args, call.status, output or call.output)
            self._open[name] = call
        if status := _STATUS.get(text_of(update.get("status"))):
            self._finish(name, status, call.output)

    def _response(self, document: Document) -> None:
        error = object_of(document.get("error"))
        result = object_of(document.get("result"))
        if error:
            self._fail(_words(error), error.get("code"), fatal=True)
            self._end = End("error", ok=False)
        elif reason := word_of(result.get("stopReason")):
            self._flush()
            self._tokens = _tokens(result) or self._tokens
            self._end = End(reason, ok=reason in _OK_REASONS)


def _words(error: Document) -> str:
    data = error.get("data")
    details = text_of(data) or text_of(object_of(data).get("details")) or text_of(object_of(data).get("message"))
    message = text_of(error.get("message")) or "the agent answered with an error"
    return f"{message}: {details}" if details and details not in message else message


def _tool_name(name: str, update: Document) -> str:
    meta = object_of(object_of(update.get("_meta")).get("claudeCode"))
    title = text_of(update.get("title"))
    if found := text_of(update.get("name")) or text_of(meta.get("toolName")):
        return found
    if is_known(title):
        return title
    if match := _NAME_IN_ID.match(name):
        return match[1]
    return word_of(update.get("kind")) or title or "other"


def _arguments(call: ToolCall, update: Document) -> dict[str, Any]:
    if raw := object_of(update.get("rawInput")):
        return short_arguments({key: value for key, value in raw.items() if key not in _BOOKKEEPING})
    if call.args:
        return {}
    if call.tool == "Skill" and (match := _QUOTED.match(text_of(update.get("title")))):
        return {"name": match[1]}
    paths = [text_of(object_of(place).get("path")) for place in list_of(update.get("locations"))]
    if paths and paths[0]:
        return short_arguments({"path": paths[0]})
    return {}


def _output(update: Document) -> str:
    """What a call answered, cut, since it may be kept for long."""
    raw, content = update.get("rawOutput"), update.get("content")
    if type(raw) is str:
        return shortened(raw, OUTPUT_LIMIT)
    if type(raw) is dict:
        for key in ("output", "aggregated_output", "formatted_output", "stdout", "error"):
            if text := text_of(raw.get(key)):
                return shortened(text, OUTPUT_LIMIT)
    blocks = [object_of(block) for block in content] if type(content) is list else []
    texts = [object_of(block.get("content")) for block in blocks if block.get("type") == "content"]
    return shortened(text_of_content(texts), OUTPUT_LIMIT) if texts else ""


def _tokens(result: Document) -> dict[str, int]:
    usage = object_of(result.get("usage"))
    cached = usage.get("cachedReadTokens")
    if found := tokens_of(
        [usage.get("inputTokens"), cached, usage.get("cachedWriteTokens")],
        cached,
        [usage.get("outputTokens"), usage.get("thoughtTokens")],
        usage.get("thoughtTokens"),
    ):
        return found
    quota = object_of(object_of(object_of(result.get("_meta")).get("quota")).get("token_count"))
    return tokens_of([quota.get("input_tokens")], None, [quota.get("output_tokens")], None)

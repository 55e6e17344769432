"""Claude Code: ``claude -p --output-format stream-json --verbose``."""

from __future__ import annotations

import re

from skillgrade.transcript.base import (
    Document,
    JsonParser,
    Remembered,
    amount_of,
    id_of,
    list_of,
    object_of,
    text_of,
    text_of_content,
    tokens_of,
    word_of,
)
from skillgrade.transcript.events import CallStatus, End, Role

_DENIED = re.compile(r"requested permissions? to|has been denied|haven't granted|doesn't want to proceed")
_LIMITS = ("error_max_turns", "error_max_budget_usd")
"""Results that say that the agent used up what it was given: its doing, no fault of what is around it."""


class ClaudeParser(JsonParser):
    """See `Parser`. What its messages say of usage repeats, so usage is taken from the result alone."""

    def __init__(self) -> None:
        super().__init__()
        self._denied = Remembered()
        self._handlers = {
            "system": self._system,
            "assistant": self._assistant,
            "user": self._user,
            "result": self._result,
            "stream_event": self._nothing,
            "rate_limit_event": self._nothing,
            "control_request": self._nothing,
        }

    def _nothing(self, document: Document) -> None:
        pass

    def _system(self, document: Document) -> None:
        subtype = document.get("subtype")
        if self._is_repeat(document.get("uuid")):
            return
        if subtype == "api_retry":
            self._fail(text_of(document.get("error")) or "a request failed", document.get("error_status"), fatal=False)
        elif subtype == "permission_denied":
            self._denied.add(text_of(document.get("tool_use_id")))

    def _assistant(self, document: Document) -> None:
        if self._is_repeat(document.get("uuid")):
            return
        parent = id_of(document.get("parent_tool_use_id"))
        message = object_of(document.get("message"))
        if fault := text_of(document.get("error")):
            self._fail(text_of_content(message.get("content")) or fault, fault, fatal=False)
            return
        content = message.get("content")
        for block in [{"type": "text", "text": content}] if type(content) is str else list_of(content):
            if type(block) is not dict:
                continue
            kind = block.get("type")
            if kind == "tool_use":
                self._start(block.get("id"), block.get("name"), block.get("input"), parent)
            elif kind == "text":
                self._say(Role.ASSISTANT, text_of(block.get("text")), parent)
            elif kind == "thinking":
                self._say(Role.REASONING, text_of(block.get("thinking")), parent)

    def _user(self, document: Document) -> None:
        if self._is_repeat(document.get("uuid")):
            return
        parent = id_of(document.get("parent_tool_use_id"))
        content = object_of(document.get("message")).get("content")
        for block in [{"type": "text", "text": content}] if type(content) is str else list_of(content):
            if type(block) is not dict:
                continue
            kind = block.get("type")
            if kind == "tool_result":
                self._answer(block)
            elif kind == "text":
                self._say(Role.USER, text_of(block.get("text")), parent)

    def _answer(self, block: Document) -> None:
        name = block.get("tool_use_id")
        output = text_of_content(block.get("content"))
        status = CallStatus.OK
        if block.get("is_error") is True:
            denied = name in self._denied if type(name) is str else False
            status = CallStatus.DENIED if denied or _DENIED.search(output[:1000]) else CallStatus.ERROR
        self._finish(name, status, output)

    def _result(self, document: Document) -> None:
        for denial in list_of(document.get("permission_denials")):
            refused = object_of(denial)
            name, tool = refused.get("tool_use_id"), refused.get("tool_name")
            self._start(name, tool, refused.get("tool_input"))
            self._finish(name, CallStatus.DENIED, "")
        subtype = word_of(document.get("subtype"))
        failed = document.get("is_error") is True or subtype.startswith("error")
        if failed and not self._is_repeat(document.get("uuid")):
            errors = "; ".join(text_of(error) for error in list_of(document.get("errors")))
            message = text_of(document.get("result")) or errors or subtype or "the agent ended with an error"
            code = document.get("api_error_status") or (subtype if subtype != "success" else None)
            self._fail(message, code, fatal=subtype not in _LIMITS)
        usage = object_of(document.get("usage"))
        cached = usage.get("cache_read_input_tokens")
        self._tokens = tokens_of(
            [usage.get("input_tokens"), usage.get("cache_creation_input_tokens"), cached],
            cached,
            [usage.get("output_tokens")],
            None,
        )
        self._cost = amount_of(document.get("total_cost_usd"))
        self._end = End(subtype or "result", ok=not failed)

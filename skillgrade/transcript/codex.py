"""Codex: ``codex exec --json``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from skillgrade.transcript.base import (
    Document,
    JsonParser,
    count_of,
    id_of,
    object_of,
    text_of,
    text_of_content,
    tokens_of,
)
from skillgrade.transcript.events import CallStatus, End, Role

_STATUS = {"completed": CallStatus.OK, "failed": CallStatus.ERROR, "declined": CallStatus.DENIED}
_NO_SANDBOX = re.compile(r"\s*(?:bwrap: |sandbox-exec: |error applying (?:legacy )?(?:L|l)inux sandbox)")
"""How the output of a command begins that never ran, because the sandbox around it did not start."""


class CodexParser(JsonParser):
    """See `Parser`. It says no cost."""

    def __init__(self) -> None:
        super().__init__()
        self._handlers = {
            "thread.started": self._started,
            "turn.started": self._nothing,
            "turn.completed": self._completed,
            "turn.failed": self._failed,
            "error": self._error,
            "item.started": self._item,
            "item.updated": self._item,
            "item.completed": self._item,
        }

    def _nothing(self, document: Document) -> None:
        pass

    def _started(self, document: Document) -> None:
        self.conversation = id_of(document.get("thread_id"))

    def _completed(self, document: Document) -> None:
        usage = object_of(document.get("usage"))
        self._tokens = tokens_of(
            [usage.get("input_tokens")],
            usage.get("cached_input_tokens"),
            [usage.get("output_tokens")],
            usage.get("reasoning_output_tokens"),
        )
        self._end = End("turn.completed", ok=True)

    def _failed(self, document: Document) -> None:
        message = text_of(object_of(document.get("error")).get("message")) or "the turn failed"
        if self._end != End("turn.failed", ok=False):
            self._fail(message, fatal=True)
        self._end = End("turn.failed", ok=False)

    def _error(self, document: Document) -> None:
        message = text_of(document.get("message"))
        if message and not self._is_repeat(f"error {message[:400]}"):
            self._fail(message, fatal=False)

    def _item(self, document: Document) -> None:
        item = object_of(document.get("item"))
        name, kind = text_of(item.get("id")), text_of(item.get("type"))
        is_done = document.get("type") == "item.completed"
        if call := _call_of(kind, item):
            tool, args = call
            self._start(name, tool, args)
            if is_done:
                self._finish(name, *_outcome(item))
        elif is_done and not self._is_repeat(name):
            if kind == "agent_message":
                self._say(Role.ASSISTANT, text_of(item.get("text")))
            elif kind == "reasoning":
                self._say(Role.REASONING, text_of(item.get("text")))
            elif kind == "error":
                self._fail(text_of(item.get("message")) or "an error", fatal=False)


def _call_of(kind: str, item: Document) -> tuple[str, Mapping[str, Any]] | None:
    """The tool that an item calls, and its arguments; None when it calls none."""
    if kind == "command_execution":
        return kind, {"command": item.get("command")}
    if kind == "file_change":
        return kind, {"changes": item.get("changes")}
    if kind == "mcp_tool_call":
        return f"mcp__{text_of(item.get('server'))}__{text_of(item.get('tool'))}", object_of(item.get("arguments"))
    if kind == "web_search":
        return kind, {"query": item.get("query")}
    if kind in ("collab_tool_call", "todo_list", "plan"):
        return kind, {key: value for key, value in item.items() if key not in ("id", "type", "status")}
    return None


def _outcome(item: Document) -> tuple[CallStatus, str]:
    status = _STATUS.get(text_of(item.get("status")), CallStatus.OK)
    output = text_of(item.get("aggregated_output"))
    if status is CallStatus.OK and count_of(item.get("exit_code")):
        status = CallStatus.ERROR
    if status is CallStatus.ERROR and _NO_SANDBOX.match(output):
        status = CallStatus.DENIED
    result = text_of_content(object_of(item.get("result")).get("content"))
    return status, output or text_of(object_of(item.get("error")).get("message")) or result

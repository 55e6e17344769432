"""OpenCode: ``opencode run --format json``."""

from __future__ import annotations

from skillgrade.transcript.base import Document, JsonParser, amount_of, count_of, object_of, text_of, tokens_of, word_of
from skillgrade.transcript.events import CallStatus, End, Role

_STATUS = {"completed": CallStatus.OK, "error": CallStatus.ERROR}
_DENIED = ("The user rejected permission", "The user has specified a rule which prevents")


class OpencodeParser(JsonParser):
    """See `Parser`. Usage and cost are sums over its steps."""

    def __init__(self) -> None:
        super().__init__()
        self._handlers = {
            "step_start": self._nothing,
            "text": self._on_text,
            "reasoning": self._on_reasoning,
            "tool_use": self._on_call,
            "step_finish": self._on_step,
            "error": self._on_error,
        }

    def _nothing(self, document: Document) -> None:
        pass

    def _on_text(self, document: Document) -> None:
        part = object_of(document.get("part"))
        if not self._is_repeat(part.get("id")):
            self._say(Role.ASSISTANT, text_of(part.get("text")))

    def _on_reasoning(self, document: Document) -> None:
        part = object_of(document.get("part"))
        if not self._is_repeat(part.get("id")):
            self._say(Role.REASONING, text_of(part.get("text")))

    def _on_call(self, document: Document) -> None:
        part = object_of(document.get("part"))
        state = object_of(part.get("state"))
        name = part.get("callID")
        self._start(name, part.get("tool"), state.get("input"))
        if status := _STATUS.get(text_of(state.get("status"))):
            output = text_of(state.get("output")) or text_of(state.get("error"))
            is_denied = status is CallStatus.ERROR and output.startswith(_DENIED)
            self._finish(name, CallStatus.DENIED if is_denied else status, output)

    def _on_step(self, document: Document) -> None:
        part = object_of(document.get("part"))
        if self._is_repeat(part.get("id")):
            return
        tokens = object_of(part.get("tokens"))
        cache = object_of(tokens.get("cache"))
        counted = tokens_of(
            [tokens.get("input"), cache.get("read"), cache.get("write")],
            cache.get("read"),
            [tokens.get("output"), tokens.get("reasoning")],
            tokens.get("reasoning"),
        )
        for kind, count in counted.items():
            self._tokens[kind] = self._tokens.get(kind, 0) + count
        cost = amount_of(part.get("cost"))
        if cost is not None:
            self._cost = (self._cost or 0.0) + cost
        reason = word_of(part.get("reason"))
        self._end = None if reason == "tool-calls" else End(reason or "step_finish", ok=True)

    def _on_error(self, document: Document) -> None:
        error = object_of(document.get("error"))
        data = object_of(error.get("data"))
        name = word_of(error.get("name")) or "error"
        if self._is_repeat(f"{count_of(document.get('timestamp'))} {name[:400]}"):
            return
        self._fail(text_of(data.get("message")) or name, data.get("statusCode") or name, fatal=True)
        self._end = End(name, ok=False)

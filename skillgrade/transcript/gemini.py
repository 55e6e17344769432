"""Gemini CLI: ``gemini -o stream-json``, and the one object of ``gemini -o json``."""

from __future__ import annotations

from typing import Any

from skillgrade.transcript.base import (
    AROUND,
    Document,
    JsonParser,
    count_of,
    object_of,
    text_of,
    text_of_content,
    tokens_of,
    word_of,
)
from skillgrade.transcript.events import CallStatus, End, Event, Role
from skillgrade.transcript.shorten import MESSAGE_LIMIT, Growing

_OBJECT_LIMIT = 16 * 1024 * 1024
"""Characters of an object that is spread over lines."""

_DENIALS = ("permission_denied", "execution_denied", "policy_violation", "cancelled")


class GeminiParser(JsonParser):
    """See `Parser`. It says no cost."""

    def __init__(self) -> None:
        super().__init__()
        self._message = Growing(MESSAGE_LIMIT)
        self._has_message = False
        self._last_message: tuple[object, ...] = ()
        self._spread: list[str] = []
        self._spread_size = 0
        self._handlers = {
            "init": self._nothing,
            "message": self._on_message,
            "tool_use": self._on_call,
            "tool_result": self._on_answer,
            "error": self._on_error,
            "result": self._on_result,
        }

    def feed(self, line: str) -> list[Event]:
        """See `Parser.feed`; also puts an object together that is spread over lines."""
        if not self._spread and line.startswith('{"'):
            return super().feed(line)
        bare = line.strip(AROUND)
        if bare == "{" or (self._spread and not bare.startswith("{")):
            return self._gather(line, bare)
        if self._spread and bare == line:
            self._give_up()
        return super().feed(line)

    def end(self) -> list[Event]:
        """See `Parser.end`."""
        self._give_up()
        return super().end()

    def _gather(self, line: str, bare: str) -> list[Event]:
        """Lines of a spread object are indented, but for its first and last; others are noise between them."""
        if bare == "{" and not line.startswith((" ", "\t")):
            self._give_up()
        elif bare != "}" and not line.startswith((" ", "\t")):
            if bare:
                self._count_noise(bare)
            return []
        self._spread.append(bare)
        self._spread_size += len(bare)
        if bare == "}" and not line.startswith((" ", "\t")):
            whole = "\n".join(self._spread)
            self._spread, self._spread_size = [], 0
            return super().feed(whole)
        if self._spread_size > _OBJECT_LIMIT:
            self._give_up()
        return []

    def _give_up(self) -> None:
        for line in self._spread:
            self._count_noise(line)
        self._spread, self._spread_size = [], 0

    def _take(self, document: Document) -> None:
        if "type" not in document and ("response" in document or "stats" in document or "error" in document):
            self.recognized += 1
            self._whole(document)
        else:
            super()._take(document)

    def _nothing(self, document: Document) -> None:
        pass

    def _flush(self) -> None:
        if self._has_message:
            self._has_message = False
            self._say(Role.ASSISTANT, self._message.take())

    def _on_message(self, document: Document) -> None:
        text = text_of_content(document.get("content"))
        stamp = document.get("timestamp")
        this = (stamp, text_of(document.get("role")), text)
        if type(stamp) is str and this == self._last_message:
            return
        self._last_message = this
        if document.get("role") == "user":
            self._flush()
            self._say(Role.USER, text)
            return
        if document.get("delta") is not True:
            self._flush()
        self._message.add(text)
        self._has_message = True

    def _on_call(self, document: Document) -> None:
        self._start(document.get("tool_id"), document.get("tool_name"), document.get("parameters"))

    def _on_answer(self, document: Document) -> None:
        error = object_of(document.get("error"))
        output = text_of_content(document.get("output")) or text_of(error.get("message"))
        status = CallStatus.OK
        if document.get("status") != "success":
            denied = text_of(error.get("type")).lower() in _DENIALS or "denied by policy" in output[:1000]
            status = CallStatus.DENIED if denied else CallStatus.ERROR
        self._finish(document.get("tool_id"), status, output)

    def _on_error(self, document: Document) -> None:
        message = text_of(document.get("message"))
        if message and not self._is_repeat(f"{word_of(document.get('timestamp'))[:50]} {message[:400]}"):
            self._fail(message, fatal=False)

    def _on_result(self, document: Document) -> None:
        ok = document.get("status") == "success"
        if not ok:
            self._give_reason(document.get("error"))
        stats = object_of(document.get("stats"))
        thoughts = _thoughts(stats)
        self._tokens = tokens_of(
            [stats.get("input_tokens")], stats.get("cached"), [stats.get("output_tokens"), thoughts], thoughts
        )
        self._end = End(word_of(document.get("status")) or "result", ok=ok)

    def _whole(self, document: Document) -> None:
        """The one object of ``-o json``: the answer and the statistics; no calls."""
        self.shows_calls = False
        self._flush()
        self._say(Role.ASSISTANT, text_of(document.get("response")))
        models = object_of(object_of(document.get("stats")).get("models"))
        tokens = [object_of(object_of(model).get("tokens")) for model in models.values()]
        for each in tokens:
            thoughts = each.get("thoughts")
            counted = tokens_of([each.get("prompt")], each.get("cached"), [each.get("candidates"), thoughts], thoughts)
            for kind, count in counted.items():
                self._tokens[kind] = self._tokens.get(kind, 0) + count
        failed = bool(document.get("error"))
        if failed:
            self._give_reason(document.get("error"))
        self._end = End("error" if failed else "response", ok=not failed)

    def _give_reason(self, value: Any) -> None:
        if self._end is not None and not self._end.ok:
            return
        error = object_of(value)
        message = text_of(error.get("message")) or text_of(value) or "the agent ended with an error"
        self._fail(message, error.get("code") or error.get("type"), fatal=True)


def _thoughts(stats: Document) -> int | None:
    """The stream leaves thoughts out of the output and counts them in the total alone."""
    total, inputs, outputs = (count_of(stats.get(key)) for key in ("total_tokens", "input_tokens", "output_tokens"))
    return None if total is None or inputs is None or outputs is None else max(0, total - inputs - outputs)

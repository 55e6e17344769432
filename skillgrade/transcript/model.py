"""What the `model` agent prints: the one answer of a model, and what it used."""

from __future__ import annotations

from skillgrade.transcript.base import Document, JsonParser, amount_of, object_of, text_of, tokens_of, word_of
from skillgrade.transcript.events import End, Role


class ModelParser(JsonParser):
    """See `Parser`. It shows no calls: the model has no tools."""

    def __init__(self) -> None:
        super().__init__()
        self.shows_calls = False
        self._handlers = {"answer": self._on_answer}

    def _on_answer(self, document: Document) -> None:
        self._say(Role.ASSISTANT, text_of(document.get("text")))
        tokens = object_of(document.get("tokens"))
        counted = (tokens.get("cached_input"), [tokens.get("output")], tokens.get("reasoning"))
        self._tokens = tokens_of([tokens.get("input")], *counted)
        self._cost = amount_of(document.get("cost_usd"))
        self._end = End(word_of(document.get("finish")) or "end", ok=True)

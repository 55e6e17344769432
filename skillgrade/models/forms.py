"""The form of a request: what is sent beside the texts, and the next simpler form where a server refuses it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from skillgrade.models.base import ModelReply, ModelRequest
from skillgrade.models.failures import Failure

JSON_SCHEMA = "json_schema"
JSON_OBJECT = "json_object"
TEXT = "text"

_REFUSING = frozenset({400, 422, 500, 501})
"""Statuses of servers that do not know a parameter; some fail over it."""

_ABOUT_OUTPUT = re.compile(
    r"response_?format|schema|json_?object|output_?(config|format)|response_?mime_?type|json mode|structured.?output"
    r"|guided|grammar",
    re.IGNORECASE,
)
_ABOUT_SOMETHING = re.compile(
    r"(unknown|unrecogni[sz]ed|unexpected|extra|unsupported)\s+(\w+\s+)?(field|param|arg|key|propert|input|name|value)"
    r"|extra_forbidden",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Form:
    """What is sent beside the texts.

    Attributes:
        outputs: The kind of structured output (`JSON_SCHEMA`, `JSON_OBJECT`, `TEXT`), then simpler ones, best first.
        limits: The parameter for the most tokens, then others that say the same; "" for none.
        temperature: Whether a temperature of 0 is sent.
    """

    outputs: tuple[str, ...]
    limits: tuple[str, ...]
    temperature: bool = True

    @property
    def output(self) -> str:
        """The kind of structured output."""
        return self.outputs[0]

    def sent(self, request: ModelRequest) -> Mapping[str, object]:
        """What a request in this form has beside its texts."""
        sent: dict[str, object] = {"temperature": 0} if self.temperature else {}
        sent |= {self.limits[0]: request.max_tokens} if self.limits[0] else {}
        return {**sent, "output": self.output}

    def simpler(self, failure: Failure) -> Form | None:
        """The form without what a server refuses; None where it refused something else."""
        status, words = failure.error.status, failure.words
        if status not in _REFUSING:
            return None
        if self.temperature and "temperature" in words.lower():
            return replace(self, temperature=False)
        if len(self.limits) > 1 and re.search(rf"\b{self.limits[0]}\b", words):
            return replace(self, limits=self.limits[1:])
        vague = status in (400, 422) and _ABOUT_SOMETHING.search(words) is not None
        if len(self.outputs) > 1 and (vague or _ABOUT_OUTPUT.search(words)):
            return replace(self, outputs=self.outputs[1:])
        return replace(self, temperature=False) if vague and self.temperature else None


class Forms:
    """The forms that a server's models took. Thread-safe."""

    def __init__(self, outputs: tuple[str, ...], limits: tuple[str, ...]) -> None:
        self._best = Form(outputs, limits)
        self._taken: dict[tuple[str, bool], Form] = {}
        self._lock = threading.Lock()

    def ask(self, request: ModelRequest, send: Callable[[Form], ModelReply | Failure]) -> ModelReply:
        """Send a request in the best form that the model is known to take, and then in simpler ones.

        What a model refused is remembered once it has answered, so that it is asked for it no more.

        Raises:
            ModelError: The provider refused more than the form, or failed.
        """
        key = (request.model, request.schema is not None)
        best = self._best if request.schema is not None else replace(self._best, outputs=(TEXT,))
        with self._lock:
            form = self._taken.get(key, best)
        calls = 1
        while isinstance(outcome := send(form), Failure):
            simpler = form.simpler(outcome)
            if simpler is None:
                outcome.error.calls = calls
                raise outcome.error
            form = simpler
            calls += 1
        with self._lock:
            self._taken[key] = form
        return replace(outcome, calls=calls)

"""Anthropic, and what speaks its messages API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import anthropic
from anthropic.types import Message, Usage

from skillgrade.models.base import Endpoint, ListedModel, ModelReply, ModelRequest
from skillgrade.models.failures import odd
from skillgrade.models.forms import JSON_SCHEMA, TEXT, Form, Forms
from skillgrade.models.talk import Answer, Talk, counts
from skillgrade.models.wire import Wire

_OWN = "https://api.anthropic.com"
_NO_KEY = "none"
"""Without a key the SDK looks for one in the environment and in files. This one goes no further: see `Wire`."""


class AnthropicClient:
    """See `skillgrade.models.base.ModelClient`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._wire = Wire()
        self._sdk = anthropic.Anthropic(
            api_key=_NO_KEY,
            base_url=endpoint.base_url or _OWN,
            max_retries=0,
            open_telemetry=False,
            http_client=self._wire.client,
        )
        if endpoint.key is not None:
            header = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.bearer else {"X-Api-Key": endpoint.key}
            self._wire.authorize(header)
        self._talk = Talk(endpoint, Forms((JSON_SCHEMA, TEXT), ("max_tokens",)))

    def ask(self, request: ModelRequest, timeout: float) -> ModelReply:
        """See the protocol."""

        def send(form: Form) -> Answer:
            parameters: dict[str, Any] = {}
            if form.temperature:
                # The SDK knows no such parameter any more: newer models refuse it, older ones take it.
                parameters["extra_body"] = {"temperature": 0}
            if form.output == JSON_SCHEMA:
                parameters["output_config"] = {"format": {"type": JSON_SCHEMA, "schema": request.schema}}
            reply = self._sdk.messages.create(
                model=request.model,
                max_tokens=request.max_tokens,
                system=request.system,
                messages=[{"role": "user", "content": request.user}],
                timeout=timeout,
                **parameters,
            )
            return _answer(reply, request.model)

        return self._talk.ask(request, timeout, send)

    def models(self, timeout: float) -> Sequence[ListedModel]:
        """See the protocol."""

        def fetch() -> list[ListedModel]:
            models = self._sdk.models.list(limit=1000, timeout=timeout)
            # Servers that only speak the API leave out when a model was made.
            times: list[datetime | None] = [one.created_at for one in models.data]
            return [ListedModel(one.id, at.timestamp() if at else None) for one, at in zip(models, times, strict=True)]

        return self._talk.models(timeout, fetch)

    def close(self) -> None:
        """See the protocol."""
        self._wire.close()


def _answer(reply: Message, model: str) -> Answer:
    # The SDK passes on what is no JSON as text, and JSON as it is.
    content: object = getattr(reply, "content", None)
    if not isinstance(content, list):
        raise odd(reply, "message")
    text = "".join(block.text for block in reply.content if block.type == "text")
    return Answer(text, reply.model or model, reply.stop_reason, _tokens(getattr(reply, "usage", None)))


def _tokens(usage: Usage | None) -> Mapping[str, int] | None:
    if usage is None:
        return None
    cached = usage.cache_read_input_tokens
    # Anthropic counts what is read from and written to its cache beside the input, not in it.
    total = usage.input_tokens + (cached or 0) + (usage.cache_creation_input_tokens or 0)
    return counts(input=total, cached_input=cached, output=usage.output_tokens)

"""OpenAI, and whatever else speaks its chat completions: vLLM, Ollama, llama.cpp, LiteLLM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import openai
from openai.types.chat import ChatCompletion

from skillgrade.models.base import Endpoint, ListedModel, ModelReply, ModelRequest
from skillgrade.models.failures import odd
from skillgrade.models.forms import JSON_OBJECT, JSON_SCHEMA, TEXT, Form, Forms
from skillgrade.models.talk import Answer, Talk, counts
from skillgrade.models.wire import Wire

_OWN = "https://api.openai.com/v1"
_NO_KEY = "none"
"""The SDK insists on a key; it goes no further."""


class OpenAIClient:
    """See `skillgrade.models.base.ModelClient`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._wire = Wire()
        self._sdk = openai.OpenAI(
            api_key=endpoint.key or _NO_KEY,
            base_url=endpoint.base_url or _OWN,
            max_retries=0,
            http_client=self._wire.client,
        )
        if endpoint.key is not None:
            self._wire.authorize(self._sdk.auth_headers)
        forms = Forms((JSON_SCHEMA, JSON_OBJECT, TEXT), ("max_completion_tokens", "max_tokens", ""))
        self._talk = Talk(endpoint, forms)

    def ask(self, request: ModelRequest, timeout: float) -> ModelReply:
        """See the protocol."""

        def send(form: Form) -> Answer:
            reply = self._sdk.chat.completions.create(
                model=request.model,
                messages=[{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
                timeout=timeout,
                **_parameters(request, form),
            )
            return _answer(reply, request.model)

        return self._talk.ask(request, timeout, send)

    def models(self, timeout: float) -> Sequence[ListedModel]:
        """See the protocol."""

        def fetch() -> list[ListedModel]:
            # `created` is 0 or missing where a compatible server does not know it.
            return [ListedModel(one.id, one.created or None) for one in self._sdk.models.list(timeout=timeout)]

        return self._talk.models(timeout, fetch)

    def close(self) -> None:
        """See the protocol."""
        self._wire.close()


def _parameters(request: ModelRequest, form: Form) -> dict[str, Any]:
    parameters: dict[str, Any] = {"temperature": 0} if form.temperature else {}
    if form.limits[0]:
        parameters[form.limits[0]] = request.max_tokens
    if form.output == JSON_SCHEMA:
        schema = {"name": "reply", "strict": True, "schema": request.schema}
        parameters["response_format"] = {"type": JSON_SCHEMA, "json_schema": schema}
    elif form.output == JSON_OBJECT:
        parameters["response_format"] = {"type": JSON_OBJECT}
    return parameters


def _answer(reply: ChatCompletion, model: str) -> Answer:
    # The SDK passes on what is no JSON as text, and JSON as it is.
    choices: object = getattr(reply, "choices", None)
    if not isinstance(choices, list):
        raise odd(reply, "chat completion")
    usage = reply.usage
    tokens = None
    if usage is not None:
        inputs, outputs = usage.prompt_tokens_details, usage.completion_tokens_details
        tokens = counts(
            input=usage.prompt_tokens,
            cached_input=None if inputs is None else inputs.cached_tokens,
            output=usage.completion_tokens,
            reasoning=None if outputs is None else outputs.reasoning_tokens,
        )
    if not reply.choices:
        return Answer("", reply.model or model, None, tokens)
    message = reply.choices[0].message
    finish = "refusal" if message.refusal and not message.content else reply.choices[0].finish_reason
    return Answer(message.content or "", reply.model or model, finish, tokens)

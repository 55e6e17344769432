"""Gemini, through its API for developers."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Mapping, Sequence

from google import genai
from google.genai import types

from skillgrade.models.base import Endpoint, ListedModel, ModelReply, ModelRequest
from skillgrade.models.failures import OddReplyError
from skillgrade.models.forms import JSON_OBJECT, JSON_SCHEMA, TEXT, Form, Forms
from skillgrade.models.talk import Answer, Talk, counts
from skillgrade.models.wire import Wire

_OWN = "https://generativelanguage.googleapis.com"
_VERSION = re.compile(r"(?P<base>.*)/(?P<version>v\d+[a-z0-9]*)")
_DEFAULT_VERSION = "v1"
_NO_KEY = "none"
"""The SDK insists on a key; it goes no further."""

# It warns on stderr that both of its variables are set, of which it is given neither.
logging.getLogger("google_genai").setLevel(logging.ERROR)
# ... and that the API has words that it does not know; they are passed on as they are.
warnings.filterwarnings("ignore", r".* is not a valid \w+$", UserWarning, r"google\.genai\.")


class GeminiClient:
    """See `skillgrade.models.base.ModelClient`."""

    def __init__(self, endpoint: Endpoint) -> None:
        found = _VERSION.fullmatch(endpoint.base_url or "")
        self._wire = Wire()
        self._sdk = genai.Client(
            vertexai=False,
            api_key=endpoint.key or _NO_KEY,
            http_options=types.HttpOptions(
                base_url=found["base"] if found else endpoint.base_url or _OWN,
                api_version=found["version"] if found else _DEFAULT_VERSION,
                httpx_client=self._wire.client,
            ),
        )
        if endpoint.key is not None:
            self._wire.authorize({"x-goog-api-key": endpoint.key})
        self._talk = Talk(endpoint, Forms((JSON_SCHEMA, JSON_OBJECT, TEXT), ("max_output_tokens",)))

    def ask(self, request: ModelRequest, timeout: float) -> ModelReply:
        """See the protocol."""

        def send(form: Form) -> Answer:
            config = types.GenerateContentConfig(
                system_instruction=request.system,
                max_output_tokens=request.max_tokens,
                temperature=0 if form.temperature else None,
                response_mime_type=None if form.output == TEXT else "application/json",
                response_json_schema=request.schema if form.output == JSON_SCHEMA else None,
                automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
                http_options=_timeout(timeout),
            )
            reply = self._sdk.models.generate_content(model=request.model, contents=request.user, config=config)
            return _answer(reply, request.model)

        return self._talk.ask(request, timeout, send)

    def models(self, timeout: float) -> Sequence[ListedModel]:
        """See the protocol."""

        def fetch() -> list[ListedModel]:
            pages = self._sdk.models.list(config=types.ListModelsConfig(page_size=1000, http_options=_timeout(timeout)))
            # A compatible server may not say what its models are for.
            return [
                ListedModel(one.name.removeprefix("models/"))
                for one in pages
                if one.name and (one.supported_actions is None or "generateContent" in one.supported_actions)
            ]

        return self._talk.models(timeout, fetch)

    def close(self) -> None:
        """See the protocol."""
        self._wire.close()


def _timeout(seconds: float) -> types.HttpOptions:
    return types.HttpOptions(timeout=max(1, round(seconds * 1000)))


def _answer(reply: types.GenerateContentResponse, model: str) -> Answer:
    answered_by, tokens = reply.model_version or model, _tokens(reply.usage_metadata)
    if reply.candidates is None and reply.prompt_feedback is None and tokens is None and reply.model_version is None:
        raise OddReplyError("JSON that is no reply of Gemini")
    if not reply.candidates:
        blocked = reply.prompt_feedback and reply.prompt_feedback.block_reason
        return Answer("", answered_by, str(blocked.value) if blocked else None, tokens)
    candidate = reply.candidates[0]
    parts = (candidate.content and candidate.content.parts) or ()
    text = "".join(part.text for part in parts if part.text and not part.thought)
    return Answer(text, answered_by, candidate.finish_reason and str(candidate.finish_reason.value), tokens)


def _tokens(usage: types.GenerateContentResponseUsageMetadata | None) -> Mapping[str, int] | None:
    if usage is None:
        return None
    thoughts = usage.thoughts_token_count
    return counts(
        input=usage.prompt_token_count,
        cached_input=usage.cached_content_token_count,
        # Gemini counts thoughts beside the output, not in it; a reply that has none leaves its count out.
        output=(usage.candidates_token_count or 0) + (thoughts or 0),
        reasoning=thoughts,
    )

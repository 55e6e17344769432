"""LLM providers: one client each; what they share in keys, addresses, limits and prices."""

from __future__ import annotations

from collections.abc import Callable

from skillgrade.models.base import Endpoint, ModelClient


def _gemini(endpoint: Endpoint) -> ModelClient:
    from skillgrade.models.gemini import GeminiClient

    return GeminiClient(endpoint)


def _anthropic(endpoint: Endpoint) -> ModelClient:
    from skillgrade.models.anthropic import AnthropicClient

    return AnthropicClient(endpoint)


def _openai(endpoint: Endpoint) -> ModelClient:
    from skillgrade.models.openai import OpenAIClient

    return OpenAIClient(endpoint)


CLIENTS: dict[str, Callable[[Endpoint], ModelClient]] = {
    "gemini": _gemini,
    "anthropic": _anthropic,
    "openai": _openai,
}
"""By provider, what makes its client. A provider's SDK takes a second to import: each comes with its first client."""

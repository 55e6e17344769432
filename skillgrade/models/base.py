"""What a model client is: one request to one provider, and what came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a provider is reached.

    Attributes:
        provider: A key of `skillgrade.models.CLIENTS`.
        base_url: Another address than the provider's own, as the client's SDK wants it; None for the provider's own.
        key: The API key; None where the address needs none.
        bearer: Whether the key is a token, which is sent as ``Authorization: Bearer`` where keys have another header.
    """

    provider: str
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)
    bearer: bool = False


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model.

    Attributes:
        model: The model's name.
        system: The instructions.
        user: The message.
        schema: The JSON Schema of the object that the reply must be; None for free text.
        max_tokens: The most tokens that the reply may have.
    """

    model: str
    system: str
    user: str
    schema: Mapping[str, object] | None = None
    max_tokens: int = 4096


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered.

    Attributes:
        text: The reply's text; empty when there was none.
        model: The model that says it answered.
        finish: Why the reply ended, in the provider's own word; None when it says nothing.
        tokens: By kind (``input``, ``cached_input``, ``output``, ``reasoning``); None when the provider says nothing.
        latency_ms: From sending the request that was answered to its reply's last byte.
        sent: What was sent beside the texts, such as the temperature and the kind of structured output; no keys.
        calls: Requests that were sent until this reply came, refused and repeated ones included.
    """

    text: str
    model: str
    finish: str | None
    tokens: Mapping[str, int] | None
    latency_ms: int
    sent: Mapping[str, object]
    calls: int = 1


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model of a provider's list: its name, and the Unix time of its release where the provider says it."""

    name: str
    created: float | None = None


class ModelClient(Protocol):
    """One provider at one endpoint. Thread-safe."""

    def ask(self, request: ModelRequest, timeout: float) -> ModelReply:
        """Send a request once; where the server refuses a parameter, the next simpler request follows at once.

        Args:
            request: The question.
            timeout: Seconds for each request.

        Raises:
            ModelError: No reply came; `transient` says whether trying again may help.
        """

    def models(self, timeout: float) -> Sequence[ListedModel]:
        """The models that the provider offers for such requests.

        Raises:
            ModelError: The list could not be had.
        """

    def close(self) -> None:
        """Give back its connections."""

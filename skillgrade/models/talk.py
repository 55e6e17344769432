"""What the clients share: a request is timed, and whatever an SDK raises is explained."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from skillgrade.models.base import Endpoint, ListedModel, ModelReply, ModelRequest
from skillgrade.models.failures import Failure, Failures
from skillgrade.models.forms import Form, Forms


@dataclass(frozen=True, slots=True)
class Answer:
    """What an SDK's response says; attributes as those of `ModelReply`."""

    text: str
    model: str
    finish: str | None
    tokens: Mapping[str, int] | None


class Talk:
    """Asks one endpoint. Thread-safe."""

    def __init__(self, endpoint: Endpoint, forms: Forms) -> None:
        self._failures = Failures(endpoint)
        self._forms = forms

    def ask(self, request: ModelRequest, timeout: float, send: Callable[[Form], Answer]) -> ModelReply:
        """Send a request, in simpler forms where the server refuses one.

        Args:
            request: The question.
            timeout: Seconds for each request.
            send: Sends it once in a form; whatever it raises is explained.

        Raises:
            ModelError: No reply came.
        """

        def attempt(form: Form) -> ModelReply | Failure:
            started = time.monotonic()
            try:
                answer = send(form)
            except Exception as error:  # noqa: BLE001  (SDKs raise what their servers make them raise)
                return self._failures.of(error, timeout)
            latency = round((time.monotonic() - started) * 1000)
            return ModelReply(answer.text, answer.model, answer.finish, answer.tokens, latency, form.sent(request))

        return self._forms.ask(request, attempt)

    def models(self, timeout: float, fetch: Callable[[], Sequence[ListedModel]]) -> Sequence[ListedModel]:
        """Fetch the list of models.

        Raises:
            ModelError: It could not be had.
        """
        try:
            return fetch()
        except Exception as error:  # noqa: BLE001  (as above)
            failure = self._failures.of(error, timeout)
        # Outside of the handler, so that the SDK's exception, which may quote the key, is no part of this one.
        failure.error.calls = 1
        raise failure.error


def counts(**tokens: int | None) -> Mapping[str, int] | None:
    """Tokens by kind, without those that are not said; None where ``input`` or ``output`` is missing."""
    known = {kind: number for kind, number in tokens.items() if number is not None}
    return known if "input" in known and "output" in known else None

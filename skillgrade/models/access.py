"""The models that a run may ask: a client per endpoint, a limiter per model, and an end that comes at once."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from skillgrade.errors import ModelError
from skillgrade.models import CLIENTS
from skillgrade.models.abandon import Abandoned, run_abandonable
from skillgrade.models.base import Endpoint, ListedModel, ModelClient, ModelReply, ModelRequest
from skillgrade.models.limiter import Limiter
from skillgrade.models.newest import naming, newest_small_model
from skillgrade.stop import Stop

T = TypeVar("T")

LIST_TIMEOUT = 20.0
LIST_DEADLINE = 60.0
"""Seconds for the list of models: each request, and all of them."""

_GRACE = 10.0
"""Seconds beyond a request's timeout for refused forms, which are answered fast, and headers that trickle in."""


class Models:
    """What a run asks models with. Thread-safe; to be closed at the end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clients: dict[Endpoint, ModelClient] = {}
        self._limiters: defaultdict[tuple[Endpoint, str], Limiter] = defaultdict(Limiter)
        self._newest: dict[Endpoint, str] = {}
        self._making: defaultdict[Endpoint, threading.Lock] = defaultdict(threading.Lock)
        self._looking: defaultdict[Endpoint, threading.Lock] = defaultdict(threading.Lock)
        self._calls = 0

    @property
    def calls(self) -> int:
        """Requests that were sent with questions, refused and repeated ones included."""
        return self._calls

    def ask(self, endpoint: Endpoint, request: ModelRequest, timeout: float, deadline: float, stop: Stop) -> ModelReply:
        """Ask a model, again where a failure is transient.

        Args:
            endpoint: Where.
            request: What.
            timeout: Seconds for each request.
            deadline: The `time.monotonic` at which there is no more time for all of them.
            stop: Ends it at once.

        Raises:
            ModelError: No reply could be had.
            Cancelled: The stop came.
        """
        failed = 0

        def send(seconds: float) -> ModelReply:
            nonlocal failed
            try:
                reply = self._run(endpoint, lambda client: client.ask(request, seconds), seconds, stop)
            except ModelError as error:
                failed += error.calls
                self._count(error.calls)
                raise
            self._count(reply.calls)
            return reply

        reply = self._limiter(endpoint, request.model).call(send, timeout, deadline, stop)
        return replace(reply, calls=failed + reply.calls)

    def newest_small_model(self, endpoint: Endpoint, stop: Stop) -> str:
        """The newest small model of a provider; looked up once.

        Raises:
            ModelError: The list could not be had, or has no such model.
            Cancelled: The stop came.
        """
        with self._lock:
            looking = self._looking[endpoint]
        with looking:
            if endpoint not in self._newest:
                self._newest[endpoint] = newest_small_model(endpoint, self._listed(endpoint, stop))
            return self._newest[endpoint]

    def close(self) -> None:
        """Give back all connections; calls that are still going on fail."""
        with self._lock:
            clients = list(self._clients.values())
            self._clients.clear()
        for client in clients:
            client.close()

    def _listed(self, endpoint: Endpoint, stop: Stop) -> list[ListedModel]:
        def fetch(seconds: float) -> list[ListedModel]:
            return self._run(endpoint, lambda client: list(client.models(seconds)), seconds, stop)

        deadline = time.monotonic() + LIST_DEADLINE
        try:
            return self._limiter(endpoint, "").call(fetch, LIST_TIMEOUT, deadline, stop)
        except ModelError as error:
            error.args = (f"{error}; without its list of models, name one with {naming(endpoint.provider)}",)
            raise

    def _limiter(self, endpoint: Endpoint, model: str) -> Limiter:
        with self._lock:
            return self._limiters[endpoint, model]

    def _count(self, calls: int) -> None:
        with self._lock:
            self._calls += calls

    def _run(self, endpoint: Endpoint, action: Callable[[ModelClient], T], seconds: float, stop: Stop) -> T:
        """Do something with an endpoint's client that ends in time, and at once when the stop comes."""
        stop.check()
        client = self._client(endpoint)
        try:
            return run_abandonable(lambda: action(client), seconds + _GRACE, stop, lambda: self._drop(endpoint, client))
        except Abandoned:
            message = f"{endpoint.provider} did not end its answer within {seconds + _GRACE:g} s"
            raise ModelError(message, transient=True, calls=1) from None

    def _client(self, endpoint: Endpoint) -> ModelClient:
        with self._lock:
            making = self._making[endpoint]
        with making:  # importing an SDK takes a second, in which other endpoints go on
            client = self._clients.get(endpoint)
            if client is None:
                client = CLIENTS[endpoint.provider](endpoint)
                with self._lock:
                    self._clients[endpoint] = client
            return client

    def _drop(self, endpoint: Endpoint, client: ModelClient) -> None:
        """Close a client; whoever asks next gets another one."""
        with self._lock:
            if self._clients.get(endpoint) is client:
                del self._clients[endpoint]
        client.close()

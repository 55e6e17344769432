"""The review pages as they are served: a server in a thread, asked over real HTTP."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode

from skillgrade.reports.review.app import Desk, review_app
from skillgrade.reports.review.items import ReviewItem, review_list
from skillgrade.reports.review.server import serve
from skillgrade.results.folder import RunFolder
from skillgrade.stop import Stop

TOKEN = "t0ken-t0ken-t0ken"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Site:
    run: RunFolder
    reviewer: str | None
    port: int
    saves: list[None] = field(default_factory=list)

    def items(self) -> tuple[ReviewItem, ...]:
        return review_list(self.run, self.reviewer).items

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Send exactly this; a header's underscores stand for hyphens."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, path: str = "/", **headers: str) -> Answer:
        return self.ask("GET", f"/{TOKEN}{path}", None, **headers)

    def post(self, path: str, fields: dict[str, str] | list[tuple[str, str]], **headers: str) -> Answer:
        given = {
            "Origin": f"http://127.0.0.1:{self.port}",
            "Content_Type": "application/x-www-form-urlencoded",
            **headers,
        }
        return self.ask("POST", f"/{TOKEN}{path}", urlencode(fields).encode(), **given)


@contextmanager
def served(run: RunFolder, reviewer: str | None = None) -> Iterator[Site]:
    """The pages of a run while the body goes on."""
    stop = Stop()
    ports: list[int] = []
    up = threading.Event()
    site = Site(run, reviewer, 0)

    def ready(port: int) -> None:
        ports.append(port)
        up.set()

    app = review_app(Desk(run, reviewer, TOKEN, lambda: site.saves.append(None)))
    thread = threading.Thread(target=serve, args=(app, 0, stop, ready))
    thread.start()
    try:
        assert up.wait(30)
        site.port = ports[0]
        yield site
    finally:
        stop.set()
        thread.join(30)
        assert not thread.is_alive()

"""Who may ask the review pages for something, and what every answer says to the browser.

The pages show what an untrusted agent wrote, and a click on them writes files. So they answer to the address that they
were started with (a name that somebody points at 127.0.0.1 is refused), to whoever knows the token in it, and to forms
of their own alone; and browsers are told to run nothing but the pages' own script.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

_HOSTS = frozenset({"127.0.0.1", "localhost"})
_BODY_LIMIT = 512 * 1024
_FORM = "application/x-www-form-urlencoded"

PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""What pages may load."""

FILE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
"""What a file of a trial may load, if somebody gets a browser to open it: nothing but the colours of a drawing."""

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # without a referrer, forms would have the origin "null"
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]


class Guard:
    """An ASGI application around the pages that lets only rightful requests through.

    Args:
        pages: The pages; they see paths without the token.
        token: The first part of every path.
    """

    def __init__(self, pages: _App, token: str) -> None:
        self._pages = pages
        self._prefix = f"/{token}/"

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        if refusal is not None:
            status, reason = refusal
            await PlainTextResponse(f"{reason}\n", status)(scope, receive, _with_headers(send))
            return
        path = scope["path"][len(self._prefix) - 1 :]
        inner = {**scope, "path": path, "raw_path": path.encode()}
        await self._pages(inner, _limited(receive), _with_headers(send))

    def _refusal(self, method: str, path: str, headers: Headers) -> tuple[int, str] | None:
        if _host_name(headers.get("host", "")) not in _HOSTS:
            return 403, "wrong host"
        if not hmac.compare_digest(path[: len(self._prefix)].encode(), self._prefix.encode()):
            return 404, "not found"
        if method not in ("GET", "HEAD", "POST"):
            return 405, "not allowed"
        if method == "POST":
            return _post_refusal(headers)
        return None


def _post_refusal(headers: Headers) -> tuple[int, str] | None:
    if headers.get("origin") != f"http://{headers['host']}":
        return 403, "wrong origin"
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return 403, "wrong site"
    if headers.get("content-type", "").split(";")[0].strip().lower() != _FORM:
        return 415, "not a form"
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        return 411, "the length is missing"
    if len(length) > 9 or int(length) > _BODY_LIMIT:
        return 413, "too large"
    return None


def _host_name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _limited(receive: _Receive) -> _Receive:
    read = 0

    async def limited() -> _Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        return {"type": "http.disconnect"} if read > _BODY_LIMIT else message

    return limited


def _with_headers(send: _Send) -> _Send:
    async def sending(message: _Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Content-Security-Policy", PAGE_POLICY)
        await send(message)

    return sending

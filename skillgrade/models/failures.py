"""What went wrong with a request: an SDK's exceptions as one `ModelError`, in the provider's words, without its key.

The SDKs wrap what `httpx2` raises in different ways or not at all, and do not notice that a web page is no reply. So
an exception is looked at with its causes, and by what it carries (a response, a text that is no JSON) more than by its
class.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx2

from skillgrade.errors import ModelError
from skillgrade.models.base import Endpoint
from skillgrade.models.keys import KEY_NAMES, URL_NAMES
from skillgrade.models.wire import LARGEST_REPLY, OversizedReplyError, WebPageError
from skillgrade.results.redaction import MARK, Redactor

_E = TypeVar("_E", bound=BaseException)

_LONGEST = 300
"""Characters of a provider's words in a message."""

_TRANSIENT = frozenset({408, 409, 425, 429})
_KEY_LIKE = (
    (re.compile(r"""([?&](?:api_?)?key=)[^&\s"'<>]+""", re.IGNORECASE), rf"\1{MARK}"),
    (re.compile(r"(\bbearer )[^\s\"',;]+", re.IGNORECASE), rf"\1{MARK}"),
)


class OddReplyError(Exception):
    """A response with status 200 that is no reply; the message completes "openai answered with …"."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request failed.

    Attributes:
        error: What to raise.
        words: All that the provider said.
    """

    error: ModelError
    words: str = ""


class Failures:
    """Explains the exceptions of one endpoint's SDK."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._provider = endpoint.provider
        self._who = endpoint.provider if endpoint.base_url is None else f"{endpoint.provider} at {endpoint.base_url}"
        self._redactor = Redactor(() if endpoint.key is None else (endpoint.key,))

    def of(self, error: Exception, timeout: float) -> Failure:
        """Explain an exception.

        Args:
            error: What the SDK raised.
            timeout: Seconds that the request was given.
        """
        chain = list(_causes(error))
        response = next(filter(None, map(_refusal, chain)), None)
        if response is not None:
            return self._refused(response)
        message, transient = self._without_response(chain, timeout)
        return Failure(ModelError(f"{self._who} {message}", transient=transient))

    def _without_response(self, chain: list[BaseException], timeout: float) -> tuple[str, bool]:
        """What to say of it, and whether it may pass."""
        if _first(chain, httpx2.TimeoutException):
            return f"did not answer within {timeout:g} s", True
        if _first(chain, OversizedReplyError):
            return f"answered with more than {LARGEST_REPLY // 1024**2} MiB", False
        if unreachable := _first(chain, httpx2.ConnectError):
            return f"could not be reached ({self._reason(unreachable)}); is {URL_NAMES[self._provider]} right?", True
        if dropped := _first(chain, httpx2.RequestError):
            return f"dropped the connection ({self._reason(dropped)})", True
        if page := _first(chain, WebPageError):
            return self._web_page(str(page)), False
        if no_json := _first(chain, json.JSONDecodeError):
            if no_json.doc.lstrip().startswith("<"):
                return self._web_page(no_json.doc), False
            return "answered with JSON that is cut off or damaged", True
        if odd_reply := _first(chain, OddReplyError):
            return f"answered with {self._shown(str(odd_reply))}; is {URL_NAMES[self._provider]} right?", False
        last = chain[-1]
        if isinstance(last, RuntimeError) and "client has been closed" in str(last):
            return "was not asked any more: its client was closed", True
        return f"answered with what its SDK cannot read ({type(last).__name__}: {self._reason(last)})", False

    def _web_page(self, text: str) -> str:
        return f"answered with {self._shown(_page_in_words(text))}; is {URL_NAMES[self._provider]} right?"

    def _refused(self, response: httpx2.Response) -> Failure:
        status = response.status_code
        document = _document(response)
        words = _words(document, response)
        transient = status in _TRANSIENT or status >= 500
        if _error_field(document, "code") == "insufficient_quota":
            transient = False  # a 429 of OpenAI that no waiting mends
        message = f"{self._who} answered {status}: {self._shown(words)}{self._advice(status, response)}"
        error = ModelError(message, status=status, transient=transient, retry_after=_wait(response, document))
        return Failure(error, f"{words} {_error_field(document, 'param') or ''}")

    def _advice(self, status: int, response: httpx2.Response) -> str:
        if 300 <= status < 400:
            target = response.headers.get("location", "nowhere").partition("?")[0]
            return f"; it redirects to {self._shown(target)}: set {URL_NAMES[self._provider]} to where that leads"
        if status in (401, 403):
            return f"; is {' or '.join(KEY_NAMES[self._provider])} right?"
        if status == 404:
            return f"; are the model's name and {URL_NAMES[self._provider]} right?"
        return ""

    def _reason(self, error: BaseException) -> str:
        return self._shown(str(error) or type(error).__name__)

    def _shown(self, words: str) -> str:
        """Words of others, without keys, on one line of some length."""
        cleaned = self._redactor.text(words)  # before it is cut: of a key that is cut in two a part would stay
        for pattern, replacement in _KEY_LIKE:
            cleaned = pattern.sub(replacement, cleaned)
        line = " ".join("".join(char if char.isprintable() else " " for char in cleaned).split())
        return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def odd(reply: object, expected: str) -> OddReplyError:
    """A response that the SDK took, but that is not what was expected, such as "message"."""
    if isinstance(reply, str):
        return OddReplyError("text that is no JSON")
    dump = getattr(reply, "model_dump", None)
    document = dump(mode="json", exclude_unset=True, warnings=False) if dump else reply
    return OddReplyError(f"JSON that is no {expected}, {json.dumps(document, ensure_ascii=False)}")


def _page_in_words(text: str) -> str:
    """A web page in words: its title."""
    title = re.search(r"<title[^>]*>([^<]+)<", text[:10_000], re.IGNORECASE)
    return "a web page" if title is None else f'a web page, "{title[1].strip()}"'


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__


def _first(chain: list[BaseException], kind: type[_E]) -> _E | None:
    return next((one for one in chain if isinstance(one, kind)), None)


def _refusal(error: BaseException) -> httpx2.Response | None:
    """The response that an exception carries, where its status is no success."""
    response = getattr(error, "response", None)
    return response if isinstance(response, httpx2.Response) and not response.is_success else None


def _document(response: httpx2.Response) -> object:
    try:
        document: object = json.loads(response.text)
    except (ValueError, RecursionError):
        return None
    # Google wraps an error in a list where a stream could have been asked for.
    return document[0] if isinstance(document, list) and document else document


def _words(document: object, response: httpx2.Response) -> str:
    """The provider's own words, however it writes them."""
    if isinstance(document, Mapping):
        for found in (document.get("error"), document.get("message"), document.get("detail"), document):
            inner = found.get("message", found) if isinstance(found, Mapping) else found
            if inner:
                return inner if isinstance(inner, str) else json.dumps(_without_input(inner), ensure_ascii=False)
    text = response.text.strip()
    if text.startswith("<"):
        return _page_in_words(text)
    return text or response.reason_phrase or "nothing more"


def _error_field(document: object, name: str) -> object:
    error = document.get("error") if isinstance(document, Mapping) else None
    return error.get(name) if isinstance(error, Mapping) else None


def _without_input(value: object) -> object:
    """The list of problems that pydantic makes, without what it repeats of the request."""
    if isinstance(value, list):
        return [_without_input(item) for item in value]
    if isinstance(value, Mapping):
        return {key: item for key, item in value.items() if key not in ("input", "ctx", "url")}
    return value


def _wait(response: httpx2.Response, document: object) -> float | None:
    """Seconds that the provider asks to wait: `Retry-After` (RFC 9110 §10.2.3), or Google's `RetryInfo`."""
    waits = [_retry_after(response.headers.get("retry-after", "")), *map(_duration, _retry_delays(document))]
    known = [wait for wait in waits if wait is not None]
    return max(known, default=None)


def _retry_after(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _retry_delays(document: object) -> Iterator[Any]:
    details = _error_field(document, "details")
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, Mapping) and str(detail.get("@type", "")).endswith("google.rpc.RetryInfo"):
            yield detail.get("retryDelay")


def _duration(value: object) -> float | None:
    """A duration of protobuf's JSON form, such as ``"1.5s"``."""
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)s", value) if isinstance(value, str) else None
    return None if found is None else float(found[1])

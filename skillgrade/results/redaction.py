"""Secrets out of everything that is kept: one pass over text or a stream, before it becomes a record.

A secret is found as it is and as programs commonly pass it on: URL-encoded, escaped in JSON (also twice, as in a CLI's
stream of events), and base64-encoded at any alignment, also when that is wrapped into lines as `base64` does.
"""

from __future__ import annotations

import base64
import functools
import json
import re
from collections.abc import Iterable, Mapping
from typing import TypeVar, cast
from urllib.parse import quote, quote_plus

T = TypeVar("T")

MARK = "[redacted]"
"""What stands in the place of a secret."""

SHORTEST = 6
"""Characters below which a value is too common to be a secret."""

_SECRET_WORD = re.compile(
    r"(?:KEYS?|TOKEN|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|AUTHORIZATION|COOKIE|PAT|PWD)$"
)
_PLACE_WORDS = frozenset({"SOCK", "FILE", "PATH", "DIR", "HOME"})
_SHELL_OWN = frozenset({"PWD", "OLDPWD"})
_BREAK = rb"[\r\n]{0,2}"
_URL_SAFE = ("", "/", "~()*!'", ";/?:@&=+$,#~()*!'")  # the last two: what JavaScript's two functions leave alone


def secret_values(env_file_values: Mapping[str, str | None], environ: Mapping[str, str]) -> frozenset[str]:
    """The values to keep out of every record.

    All values of `.env`, which was written for the eval, and those variables of the environment whose names say that
    they hold a secret: one of their words ends in KEY, TOKEN, SECRET, PASSWORD and the like. A word that names a place
    (SSH_AUTH_SOCK, API_KEY_FILE) or a number (MAX_TOKENS) holds none.

    Args:
        env_file_values: What `.env` sets; None for a name without a value.
        environ: The environment of this process.
    """
    named = [value for name, value in environ.items() if _names_a_secret(name)]
    stripped = (value.strip() for value in [*env_file_values.values(), *named] if value is not None)
    return frozenset(value for value in stripped if len(value) >= SHORTEST)


class Redactor:
    """Replaces secrets by `MARK`. Immutable, thread-safe, and picklable."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = frozenset(secret for secret in secrets if secret)
        self._forms = frozenset(form for secret in self._secrets for form in _escaped_forms(secret))
        self._encoded = frozenset(form for secret in self._secrets for form in _base64_forms(secret))
        self.longest = max([*map(len, self._forms), *(3 * len(form) - 2 for form in self._encoded)], default=0)

    @functools.cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        """Any form, the longest first; in base64 lines may break anywhere. Most streams never need it."""
        patterns = {form: re.escape(form) for form in self._forms}
        patterns |= {form: _BREAK.join(re.escape(form[i : i + 1]) for i in range(len(form))) for form in self._encoded}
        return re.compile(b"|".join(patterns[form] for form in sorted(patterns, key=_longest_first)))

    def __reduce__(self) -> tuple[type[Redactor], tuple[frozenset[str]]]:
        """Pickle the secrets only."""
        return type(self), (self._secrets,)

    def text(self, text: str) -> str:
        """A text without the secrets; the very same text when there were none."""
        data = text.encode("utf-8", "surrogatepass")
        return self.data(data).decode("utf-8", "surrogatepass") if self.occurs(data) else text

    def data(self, data: bytes) -> bytes:
        """Bytes without the secrets."""
        return self._pattern.sub(MARK.encode(), data) if self.occurs(data) else data

    def value(self, value: T) -> T:
        """A value as JSON or YAML has them, with every text in it redacted, keys of mappings too."""
        if isinstance(value, str):
            return cast("T", self.text(value))
        if isinstance(value, Mapping):
            return cast("T", {self.value(key): self.value(item) for key, item in value.items()})
        if isinstance(value, list | tuple):
            return cast("T", type(value)(self.value(item) for item in value))
        return value

    def filter(self) -> RedactingFilter:
        """A filter for one stream."""
        return RedactingFilter(self)

    def occurs(self, data: bytes) -> bool:
        """Whether a secret may be in `data`; several times faster than the pattern, which can then be spared."""
        if any(form in data for form in self._forms):
            return True
        if not self._encoded:
            return False
        unwrapped = data.translate(None, b"\r\n")
        return any(form in unwrapped for form in self._encoded)

    def replace_until(self, data: bytes, end: int) -> tuple[bytes, int]:
        """Replace the secrets that start before `end`.

        Returns:
            The replacement of a first part of `data`, and where that part ends: at `end`, or behind a secret across it.
        """
        done, pieces = 0, []
        for match in self._pattern.finditer(data):
            if match.start() >= end:
                break
            pieces += [data[done : match.start()], MARK.encode()]
            done = match.end()
        pieces.append(data[done : max(done, end)])
        return b"".join(pieces), max(done, end)


class RedactingFilter:
    """Redacts one stream; a secret that spans chunks is found too. Not thread-safe."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Take a chunk; give back all but the end, which may be the beginning of a secret."""
        if not self._redactor.longest:
            return data
        data = self._held + data
        return self._release(data, max(0, len(data) - self._redactor.longest + 1))

    def flush(self) -> bytes:
        """Give back the rest."""
        return self._release(self._held, len(self._held))

    def _release(self, data: bytes, end: int) -> bytes:
        if not self._redactor.longest or not self._redactor.occurs(data):
            self._held = data[end:]
            return data[:end]
        released, end = self._redactor.replace_until(data, end)
        self._held = data[end:]
        return released


def _names_a_secret(name: str) -> bool:
    words = name.upper().replace("-", "_").split("_")
    if name.upper() in _SHELL_OWN or words[-1] in _PLACE_WORDS:
        return False
    return any(_SECRET_WORD.search(word) for word in words)


def _longest_first(form: bytes) -> tuple[int, bytes]:
    return -len(form), form


def _escaped_forms(secret: str) -> set[bytes]:
    """A secret as it is, URL-encoded and JSON-escaped."""
    raw = secret.encode("utf-8", "surrogateescape")
    forms = {raw, quote_plus(raw).encode()}
    for safe in _URL_SAFE:
        url = quote(raw, safe=safe)
        forms |= {url.encode(), re.sub("%..", lambda code: code[0].lower(), url).encode()}
    for ascii_only in (True, False):
        escaped = secret
        for _ in range(2):
            escaped = json.dumps(escaped, ensure_ascii=ascii_only)[1:-1]
            forms |= {form.encode("utf-8", "surrogateescape") for form in (escaped, escaped.replace("/", r"\/"))}
    return forms


def _base64_forms(secret: str) -> set[bytes]:
    """What base64 makes of a secret inside other data, whatever stands around it.

    Three bytes become four characters, so there are three ways a secret can lie; of each, those characters count that
    hold bits of the secret alone (RFC 4648).
    """
    raw = secret.encode("utf-8", "surrogateescape")
    forms = set()
    for before in range(3):
        first, last = -(-before * 8 // 6), (before + len(raw)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            forms.add(encode(bytes(before) + raw)[first:last])
    return forms

"""Where a provider is reached: keys, addresses and models, as the variables of the shell and `.env` say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from skillgrade.errors import MissingKeyError, UsageError
from skillgrade.models.base import Endpoint
from skillgrade.models.keys import KEY_NAMES, MODEL_NAMES, TOKEN_NAMES, URL_NAMES

_VERSION = re.compile(r"v\d+[a-z0-9]*")
_KEY = re.compile(r"[!-~]+")
"""Printable ASCII without blanks: what can stand in a header."""


def endpoint(provider: str, variables: Mapping[str, str]) -> Endpoint:
    """Where a provider is reached.

    An address works with and without its version (``/v1``) and slashes at its end.

    Args:
        provider: A key of `skillgrade.models.CLIENTS`.
        variables: The shell's variables and those of `.env` as one, as `effective_variables` merges them.

    Raises:
        UsageError: A variable holds what is no address or no key.
        MissingKeyError: No key is set, and no other address either.
    """
    key_name = next((name for name in KEY_NAMES[provider] if variables.get(name, "").strip()), None)
    key = None if key_name is None else variables[key_name].strip()
    if key is not None and not _KEY.fullmatch(key):
        raise UsageError(f"{key_name} holds blanks, line breaks or characters that no key has: set it anew")
    url = variables.get(URL_NAMES[provider], "").strip()
    if url:
        return Endpoint(provider, _base_url(provider, url), key, key_name in TOKEN_NAMES)
    if key is None:
        name = KEY_NAMES[provider][0]
        raise MissingKeyError(
            f"{name} is not set, which the judges of provider {provider} need: set it in the shell or in .env "
            f"(or {URL_NAMES[provider]} for a server of your own)"
        )
    return Endpoint(provider, None, key, key_name in TOKEN_NAMES)


def model_name(provider: str, variables: Mapping[str, str]) -> str | None:
    """The model that the provider's variable names; None where it names none."""
    return variables.get(MODEL_NAMES[provider], "").strip() or None


def _base_url(provider: str, url: str) -> str:
    """An address as the provider's SDK wants it: with the version for openai, without one for anthropic.

    For gemini a version stays where one is given; its client takes it off again.
    """
    name = URL_NAMES[provider]
    # What is wrong with it is said without quoting it, since it may hold a password.
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not _KEY.fullmatch(url):
        raise UsageError(f"{name} is no address such as http://localhost:8000: mend or unset it")
    if "@" in parts.netloc:
        raise UsageError(f"{name} has a user name or password in it: take it out, and set {KEY_NAMES[provider][0]}")
    if parts.query or parts.fragment:
        raise UsageError(f"{name} has a ? or # in it, which a base URL cannot have: take off what follows")
    segments = [part for part in parts.path.split("/") if part]
    versioned = any(_VERSION.fullmatch(part) for part in segments)
    if provider == "openai" and not versioned:
        segments.append("v1")
    if provider == "anthropic" and segments and _VERSION.fullmatch(segments[-1]):
        del segments[-1]
    return "/".join([f"{parts.scheme}://{parts.netloc}", *segments])

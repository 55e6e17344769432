"""The eval's `.env`, and what it and the shell amount to together."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

from skillgrade.errors import UsageError
from skillgrade.models.keys import KEY_NAMES, URL_NAMES
from skillgrade.reading import UnreadableError, read_text

_LIMIT = 1024 * 1024
_LONGEST_VALUE = 120 * 1024
"""Bytes; the kernel refuses a longer variable (MAX_ARG_STRLEN)."""


def read_env_file(file: Path | None) -> dict[str, str]:
    """The variables of a `.env`; empty when there is none.

    References such as ``${HOME}`` are not expanded: a downloaded `.env` could copy a key of the shell into a variable
    that the agent gets.

    Args:
        file: The suite's `env_file`.

    Raises:
        UsageError: The file cannot be read.
    """
    if file is None:
        return {}
    from dotenv import dotenv_values

    try:
        text = read_text(file, _LIMIT)
    except UnreadableError as error:
        raise UsageError(f"{file}: {error}; mend or remove it") from error
    values = dotenv_values(stream=io.StringIO(text), interpolate=False)
    found = {name: value for name, value in values.items() if value is not None}
    for name, value in found.items():
        if "\0" in value or len(value.encode()) > _LONGEST_VALUE:
            raise UsageError(f"{file}: {name} holds more than {_LONGEST_VALUE // 1024} KiB or a NUL byte: mend it")
    return found


def effective_variables(env_file: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """`.env` and the shell as one; the shell wins.

    A base URL from `.env` is dropped unless its key comes from there as well: a downloaded eval must not send the
    shell's key to an address of its own.
    """
    merged = {**env_file, **environ}
    for provider, url_name in URL_NAMES.items():
        key_names = KEY_NAMES[provider]
        url_from_file = url_name in env_file and url_name not in environ
        key_from_file = any(name in env_file for name in key_names) and not any(name in environ for name in key_names)
        if url_from_file and not key_from_file:
            del merged[url_name]
    return merged

"""The newest small model of a provider's list: flash, haiku, mini.

Names are matched as a whole, so that a variant nobody knows today (preview, lite, audio, image, search …) is left out
too. An alias is preferred to its dated snapshots.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from skillgrade.errors import ModelError
from skillgrade.models.base import Endpoint, ListedModel
from skillgrade.models.keys import MODEL_NAMES

_OWNER = r"(?:[\w.-]+/)?"  # as servers put it that pass on to several providers
_NAMES = {
    "gemini": (r"gemini-(?P<version>\d+(?:\.\d+)*)-flash(?:-(?P<snapshot>\d{3}))?",),
    "anthropic": (
        r"claude-haiku-(?P<version>\d+(?:[.-]\d{1,2})?)(?:-(?P<snapshot>\d{8}))?",
        r"claude-(?P<version>\d+(?:[.-]\d{1,2})?)-haiku(?:-(?P<snapshot>\d{8}|latest))?",
    ),
    "openai": (r"gpt-(?P<version>\d+(?:\.\d+)*)o?-mini(?:-(?P<snapshot>\d{4}-\d{2}-\d{2}))?",),
}
_PATTERNS = {name: [re.compile(_OWNER + pattern) for pattern in patterns] for name, patterns in _NAMES.items()}
_SMALL = {"gemini": "flash", "anthropic": "haiku", "openai": "mini"}


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A small model of a list."""

    created: float
    version: tuple[int, ...]
    is_alias: bool
    snapshot: str
    name: str


def newest_small_model(endpoint: Endpoint, listed: Iterable[ListedModel]) -> str:
    """The newest small model of a list, or the only one of a server of the user's own.

    Args:
        endpoint: Whose list it is.
        listed: The list, in any order.

    Raises:
        ModelError: There is none.
    """
    models = list(listed)
    found = [candidate for model in models if (candidate := _candidate(endpoint.provider, model)) is not None]
    if found:
        return _best(found).name
    names = {model.name for model in models}
    if endpoint.base_url is not None and len(names) == 1:
        return names.pop()
    raise ModelError(
        f"{endpoint.provider} lists no {_SMALL[endpoint.provider]} model among its {len(names)}: "
        f"name the model with {naming(endpoint.provider)}"
    )


def naming(provider: str) -> str:
    """How a user names a provider's model."""
    return f"grader_model or {MODEL_NAMES[provider]}"


def _best(found: list[_Candidate]) -> _Candidate:
    """The newest by date where all have one, else by version; of its version the alias, or the last snapshot."""
    dated = all(candidate.created for candidate in found)
    newest = max(found, key=lambda one: (one.created if dated else 0.0, one.version, one.name))
    return max(
        (one for one in found if one.version == newest.version and _family(one) == _family(newest)),
        key=lambda one: (one.is_alias, one.snapshot, one.name),
    )


def _candidate(provider: str, model: ListedModel) -> _Candidate | None:
    for pattern in _PATTERNS[provider]:
        if match := pattern.fullmatch(model.name):
            version = tuple(int(part) for part in re.split(r"[.-]", match["version"]))
            snapshot = match["snapshot"] or ""
            return _Candidate(model.created or 0.0, version, snapshot in ("", "latest"), snapshot, model.name)
    return None


def _family(candidate: _Candidate) -> str:
    return candidate.name.removesuffix(f"-{candidate.snapshot}") if candidate.snapshot else candidate.name

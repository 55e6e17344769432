"""Where agents and graders run: the providers, by the names that eval.yaml uses."""

from __future__ import annotations

import functools
from collections.abc import Callable

from skillgrade.workspace.base import Provider


def _docker() -> Provider:
    from skillgrade.workspace.docker.provider import DockerProvider

    return DockerProvider()


def _local() -> Provider:
    from skillgrade.workspace.local.provider import LocalProvider

    return LocalProvider()


def _bubblewrap() -> Provider:
    from skillgrade.workspace.bubblewrap.provider import BubblewrapProvider

    return BubblewrapProvider()


PROVIDERS: dict[str, Callable[[], Provider]] = {"docker": _docker, "bubblewrap": _bubblewrap, "local": _local}
"""Makes each provider; what it needs is imported only then."""


@functools.cache
def provider_named(name: str) -> Provider:
    """This process's one provider of that name: it holds connections and helper processes that trials share."""
    return PROVIDERS[name]()

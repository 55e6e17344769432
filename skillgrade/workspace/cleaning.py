"""Removing what dead runs left, whichever provider they used.

Every run looks for folders and control groups, which costs next to nothing. Docker's daemon is asked only by a run that
needs it anyhow, and by `skillgrade clean`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import datetime

from skillgrade.errors import InfrastructureError
from skillgrade.workspace.control_groups import dead_control_groups
from skillgrade.workspace.leftover import Leftover
from skillgrade.workspace.locks import idle_locks
from skillgrade.workspace.temporary import dead_folders


def sweep(providers: Collection[str]) -> None:
    """Remove what dead runs left, as far as it can be; what live runs use is never touched.

    Args:
        providers: Those that the run is about to use.
    """
    for leftover in (*dead_folders(), *dead_control_groups()):
        leftover.remove()
    if "docker" in providers:
        from skillgrade.workspace.docker.client import connect
        from skillgrade.workspace.docker.leftovers import of_dead_runs

        with suppress(InfrastructureError):  # preparing the environment meets the same and says so
            for leftover in of_dead_runs(connect()):
                leftover.remove()


def leftovers_on_host() -> Iterator[Leftover]:
    """What dead runs left on this machine, outside Docker."""
    yield from dead_folders()
    yield from dead_control_groups()
    yield from idle_locks()


def leftovers_in_docker(now: datetime) -> Iterator[Leftover]:
    """What dead runs left in Docker, and images that nobody uses.

    Raises:
        ProviderError: No daemon answers.
    """
    from skillgrade.workspace.docker.client import connect
    from skillgrade.workspace.docker.leftovers import of_dead_runs, unused_images

    client = connect()
    yield from of_dead_runs(client)
    yield from unused_images(client, now)

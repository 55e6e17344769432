"""Whose a container or image is, and what of them a run, or a run that died, left.

Labels survive whatever kills the process that made them, so the next run can tell what nobody will use any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from skillgrade.errors import ProviderError, Stage
from skillgrade.workspace.docker.client import translated
from skillgrade.workspace.docker.images import IMAGE_LABEL
from skillgrade.workspace.leftover import Leftover
from skillgrade.workspace.owner import Owner, this_process

if TYPE_CHECKING:
    from docker import DockerClient

RUN_LABEL = "skillgrade.run"
TRIAL_LABEL = "skillgrade.trial"
HOST_LABEL = "skillgrade.host"
PROCESS_LABEL = "skillgrade.pid"
STARTED_LABEL = "skillgrade.started"

IMAGE_LIFE = timedelta(days=30)
"""How long an image stays that no run uses."""

UNFINISHED_LIFE = timedelta(days=1)
"""How long what a failed build left stays: until then the next attempt may go on from there."""


def labels_of(run: str, trial: str) -> dict[str, str]:
    """The labels of what this process makes for a trial."""
    owner = this_process()
    return {
        RUN_LABEL: run,
        TRIAL_LABEL: trial,
        HOST_LABEL: owner.host,
        PROCESS_LABEL: str(owner.pid),
        STARTED_LABEL: owner.started,
    }


def remove_run(client: DockerClient, run: str) -> None:
    """Remove every container and image that carries a run's label, as far as it can be.

    Raises:
        ProviderError: The daemon does not answer.
    """
    for _labels, leftover in _labelled(client, f"{RUN_LABEL}={run}"):
        leftover.remove()


def of_dead_runs(client: DockerClient) -> list[Leftover]:
    """The containers and images of runs on this machine whose process is gone.

    Raises:
        ProviderError: The daemon does not answer.
    """
    found = _labelled(client, f"{HOST_LABEL}={this_process().host}")
    return [leftover for labels, leftover in found if _is_dead(labels)]


def unused_images(client: DockerClient, now: datetime) -> Iterator[Leftover]:
    """The environments' images that no run has used for long, and what builds left that came to nothing.

    Only what bears our label and no name but the one that we gave it.

    Raises:
        ProviderError: The daemon does not answer.
    """
    freed = _freed_by_images(client)
    with translated("looking for unused images", ProviderError, Stage.SETUP):
        for image in client.api.images(filters={"label": IMAGE_LABEL}):
            identity, labels = image["Id"], image["Labels"]
            names = [name for name in image["RepoTags"] or () if name != "<none>:<none>"]
            age = now - datetime.fromtimestamp(image["Created"], UTC)
            if names == [labels[IMAGE_LABEL]]:
                idle = min(age, now - _last_use(client, identity))
                if idle > IMAGE_LIFE:
                    what = f"image {names[0]} (not used for {idle.days} days)"
                    yield _leftover(what, freed, identity, partial(client.api.remove_image, names[0]))
            elif not names and RUN_LABEL not in labels and age > UNFINISHED_LIFE:
                what = f"image {_short(identity)} (of a build that was not finished, or replaced)"
                yield _leftover(what, freed, identity, partial(client.api.remove_image, identity))


def _labelled(client: DockerClient, label: str) -> Iterator[tuple[Mapping[str, str], Leftover]]:
    filters = {"label": [label, RUN_LABEL, PROCESS_LABEL]}
    with translated("looking for what runs left", ProviderError, Stage.SETUP):
        containers = client.api.containers(all=True, filters=filters)
        images = client.api.images(filters=filters)
    for container in containers:
        identity, labels = container["Id"], container["Labels"]
        what = f"container {_short(identity)} ({labels.get(TRIAL_LABEL)} of run {labels[RUN_LABEL]})"
        remove = partial(client.api.remove_container, identity, v=True, force=True)
        yield labels, _leftover(what, partial(_written, client), identity, remove)
    freed = _freed_by_images(client)
    for image in images:
        identity, labels = image["Id"], image["Labels"]
        what = f"image {_short(identity)} (the skills of run {labels[RUN_LABEL]})"
        yield labels, _leftover(what, freed, identity, partial(client.api.remove_image, identity, force=True))


def _is_dead(labels: Mapping[str, str]) -> bool:
    try:
        return Owner(labels[HOST_LABEL], int(labels[PROCESS_LABEL]), labels[STARTED_LABEL]).is_gone()
    except (KeyError, ValueError):  # nothing that we wrote
        return False


def _last_use(client: DockerClient, image: str) -> datetime:
    """When the image was last given its name, which `ensure_image` does at each use."""
    from docker.errors import ImageNotFound

    try:
        return datetime.fromisoformat(client.images.get(image).attrs["Metadata"]["LastTagTime"])
    except ImageNotFound:  # removed meanwhile
        return datetime.max.replace(tzinfo=UTC)


def _leftover(what: str, size: Callable[[str], int | None], identity: str, remove: Callable[[], object]) -> Leftover:
    def try_to_remove() -> str | None:
        from docker.errors import APIError, NotFound

        def remove_unless_others_do() -> None:
            try:
                remove()
            except APIError as error:
                if error.status_code != HTTPStatus.CONFLICT or "already in progress" not in str(error):
                    raise

        try:
            # Not found: somebody else was faster.
            with translated("removing it", ProviderError, Stage.SETUP), suppress(NotFound):
                remove_unless_others_do()
        except ProviderError as error:
            return str(error)
        return None

    return Leftover(what, partial(size, identity), try_to_remove)


def _written(client: DockerClient, container: str) -> int | None:
    """Bytes that a container wrote on top of its image."""
    with translated("measuring a container", ProviderError, Stage.SETUP):
        found: list[dict[str, Any]] = client.api.containers(all=True, size=True, filters={"id": container})
    return found[0].get("SizeRw", 0) if found else None  # it does not say zero


def _freed_by_images(client: DockerClient) -> Callable[[str], int | None]:
    """Says how many bytes of an image no other one shares; the daemon is asked once, and only when that is wanted."""

    @cache
    def sizes() -> dict[str, int]:
        try:
            with translated("measuring images", ProviderError, Stage.SETUP):
                images = client.api.df()["Images"]
        except ProviderError:  # the daemon measures for one client at a time
            return {}
        return {image["Id"]: image["Size"] - image["SharedSize"] for image in images if image["SharedSize"] >= 0}

    return lambda image: sizes().get(image)


def _short(identity: str) -> str:
    return identity.removeprefix("sha256:")[:12]

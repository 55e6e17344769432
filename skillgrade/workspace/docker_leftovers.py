"""Whose a container or image is, and removing what a run, or a run that died, left.

Labels survive whatever kills the process that made them, so the next run can tell what nobody will use any more.
"""

from __future__ import annotations

import os
import platform
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from skillgrade.errors import ProviderError, Stage
from skillgrade.workspace.docker_client import translated

if TYPE_CHECKING:
    from docker import DockerClient

RUN_LABEL = "skillgrade.run"
TRIAL_LABEL = "skillgrade.trial"
HOST_LABEL = "skillgrade.host"
PROCESS_LABEL = "skillgrade.pid"


def labels_of(run: str, trial: str) -> dict[str, str]:
    """The labels of what this process makes for a trial."""
    return {RUN_LABEL: run, TRIAL_LABEL: trial, HOST_LABEL: this_host(), PROCESS_LABEL: str(os.getpid())}


def this_host() -> str:
    """Names this machine among all that may use one daemon; host names alone are often the same."""
    return f"{platform.node()}-{uuid.getnode():x}"


def remove_run(client: DockerClient, run: str) -> None:
    """Remove every container and image that carries a run's label.

    Raises:
        ProviderError: The daemon does not answer.
    """
    _remove(client, f"{RUN_LABEL}={run}", lambda labels: labels[RUN_LABEL] == run)


def sweep(client: DockerClient) -> None:
    """Remove every container and image of runs on this machine whose process is gone.

    Raises:
        ProviderError: The daemon does not answer.
    """
    _remove(client, f"{HOST_LABEL}={this_host()}", lambda labels: not _is_alive(labels[PROCESS_LABEL]))


def _remove(client: DockerClient, label: str, is_meant: Callable[[Mapping[str, str]], bool]) -> None:
    from docker.errors import APIError

    filters = {"label": [label, RUN_LABEL, PROCESS_LABEL]}
    with translated("removing what runs left", ProviderError, Stage.SETUP):
        for container in client.api.containers(all=True, filters=filters):
            if is_meant(container["Labels"]):
                with suppress(APIError):  # someone else removes it
                    client.api.remove_container(container["Id"], v=True, force=True)
        for image in client.api.images(filters=filters):
            if is_meant(image["Labels"]):
                with suppress(APIError):
                    client.api.remove_image(image["Id"], force=True)


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, ValueError):  # another user's, or nothing that we wrote
        return True
    return True

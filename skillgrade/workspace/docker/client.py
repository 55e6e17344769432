"""The connection to the Docker daemon, and what its errors mean.

The daemon is the one that the docker command would use: `DOCKER_HOST`, else the current context. It may be another
machine, so nothing here or above depends on paths that both can see.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skillgrade.errors import InfrastructureError, ProviderError, Stage

if TYPE_CHECKING:
    from docker import DockerClient

REQUEST_TIMEOUT = 60
"""Seconds without a byte from the daemon after which a request fails."""

HASTE = 5
"""The same once the run was stopped: a daemon that hangs must not hold up an end; the next run removes what is left."""

_VARIABLES = ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH")
_POOL_SIZE = 64

_lock = threading.Lock()
_clients: dict[tuple[str | None, ...], DockerClient] = {}


def connect() -> DockerClient:
    """The client for the daemon that the environment names; one per process, shared by threads.

    Raises:
        ProviderError: No daemon answers.
    """
    import docker

    key = _key()
    with _lock:
        if key not in _clients:
            with translated("connecting", ProviderError, Stage.IMAGE):
                _check_socket(_address())
                client = docker.from_env(version="auto", timeout=REQUEST_TIMEOUT, max_pool_size=_POOL_SIZE)
            _clients[key] = client
        return _clients[key]


def connect_hastily() -> DockerClient:
    """Another client for the same daemon that waits for `HASTE` seconds only.

    Raises:
        ProviderError: No daemon answers.
    """
    import docker

    version = connect().api.api_version  # given, it need not be asked for
    key = ("hasty", *_key())
    with _lock, translated("connecting", ProviderError, Stage.IMAGE):
        if key not in _clients:
            _clients[key] = docker.from_env(version=version, timeout=HASTE, max_pool_size=_POOL_SIZE)
        return _clients[key]


def _key() -> tuple[str | None, ...]:
    return (str(os.getpid()), *(os.environ.get(name) for name in _VARIABLES))


def _address() -> str:
    from docker.constants import DEFAULT_UNIX_SOCKET
    from docker.context import ContextAPI

    named = os.environ.get("DOCKER_HOST") or ContextAPI.kwargs_from_context().get("base_url")
    return named or DEFAULT_UNIX_SOCKET.replace("http+unix", "unix")


def is_of_this_machine() -> bool:
    """Whether the daemon is reached by a socket, so that containers may see folders of this machine."""
    return _address().startswith("unix://")


def _check_socket(address: str) -> None:
    """Fail early and precisely: the SDK hides why a socket cannot be used, and leaks the one it tried."""
    scheme, _, path = address.partition("://")
    if scheme != "unix":
        return
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except PermissionError as error:
            raise ProviderError(
                f"permission denied at Docker's socket {path}; add yourself to the group docker, or run as one who may",
                Stage.IMAGE,
            ) from error
        except OSError as error:
            raise ProviderError(_no_daemon(address), Stage.IMAGE) from error


def _no_daemon(address: str) -> str:
    return f"no Docker daemon answers at {address}; start Docker and see that `docker info` answers"


def daemon_problem() -> str | None:
    """Why no daemon can be used, in one sentence with what to do; None when one answers."""
    try:
        client = connect()
        with translated("asking for a sign of life", ProviderError, Stage.IMAGE):
            client.ping()
    except ProviderError as error:
        return str(error)
    return None


@contextmanager
def translated(doing: str, error: type[InfrastructureError], stage: Stage) -> Iterator[None]:
    """Turn whatever the Docker SDK raises into one sentence.

    Args:
        doing: What was going on, such as ``starting the container``.
        error: The class to raise.
        stage: The stage that it carries.

    Raises:
        InfrastructureError: Of class `error`, for everything that the SDK and its HTTP client raise.
    """
    import requests
    import urllib3
    from docker.errors import DockerException

    try:
        yield
    except (DockerException, requests.RequestException, urllib3.exceptions.HTTPError, OSError) as cause:
        raise error(f"docker: {doing}: {reason(cause)}", stage) from cause


def reason(error: BaseException) -> str:
    """What an error of the SDK means, as the rest of a sentence."""
    import requests
    import urllib3
    from docker.errors import APIError

    if isinstance(error, APIError):
        return str(error.explanation or error).strip()
    text = str(error)
    if isinstance(error, requests.ReadTimeout | urllib3.exceptions.ReadTimeoutError | TimeoutError):
        return "the Docker daemon gave no answer in time; see whether `docker info` answers"
    if isinstance(error, requests.ConnectionError) or "Error while fetching server API version" in text:
        return _no_daemon(_address())
    return text

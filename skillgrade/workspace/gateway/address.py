"""Where a model is reached, and what an agent behind a gateway is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

FOLDER = "/run/skillgrade-model"
"""Where a workspace shows the gateway's folder."""

PORT = 8471
"""Where the way to the gateway begins inside: nobody else is in the namespace, and it asks for no privilege."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_INSIDE = f"127.0.0.1:{PORT}"


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """Where a model is reached.

    Attributes:
        host: A name or an IP address, in lower case, without brackets.
        port: The port.
        is_tls: Whether what goes there is encrypted; then it passes as it is, by the host's own name.
    """

    host: str
    port: int
    is_tls: bool

    @classmethod
    def of_url(cls, url: str) -> Self | None:
        """The address in a base URL; None where it has none."""
        try:
            parts = urlsplit(url)
            port = parts.port or _DEFAULT_PORTS[parts.scheme]
        except (ValueError, KeyError):
            return None
        return cls(parts.hostname, port, parts.scheme == "https") if parts.hostname else None

    @property
    def authority(self) -> str:
        """Host and port as one text."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def variables(self, env: Mapping[str, str]) -> dict[str, str]:
        """What an agent behind a gateway to it gets in place of some variables.

        What is encrypted goes through a proxy, since its certificate holds for the host's own name. What is not goes to
        the relay as if that were the host: many clients use no proxy for it.
        """
        of_proxies = {name for upper in _PROXIES for name in (upper, upper.lower())}
        kept = {name: value for name, value in env.items() if name not in of_proxies}
        if not self.is_tls:
            return {name: self._inside(value) for name, value in kept.items()}
        proxy, here = f"http://{_INSIDE}", "localhost,127.0.0.1,::1"
        # Node.js itself heeds proxies only when told to (https://nodejs.org/api/cli.html#node_use_env_proxy1).
        ways = {"HTTPS_PROXY": proxy, "https_proxy": proxy, "NO_PROXY": here, "no_proxy": here}
        return {**kept, **ways, "NODE_USE_ENV_PROXY": "1"}

    def _inside(self, value: str) -> str:
        """A URL at this address as one at the relay; any other value as it is."""
        if not value.lower().startswith("http://") or type(self).of_url(value) != self:
            return value
        return urlsplit(value)._replace(netloc=_INSIDE).geturl()

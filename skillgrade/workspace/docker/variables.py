"""Which variables of an image reach the processes of a container: skillgrade's own, the agent's and the graders'.

An image may name folders that its plain user can write to, such as ``ENV PATH=/home/agent/bin:$PATH``. Whoever runs as
root by such a variable runs what the agent put there.
"""

from __future__ import annotations

from collections.abc import Mapping

from skillgrade.workspace.staging import WORKSPACE_PATH

_OWN_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""What Docker sets where an image names none."""

_FOLDER_LISTS = ("LD_LIBRARY_PATH", "NODE_PATH", "PERL5LIB", "PYTHONPATH", "RUBYLIB")
_LOADERS = ("BASH_ENV", "ENV", "LD_AUDIT", "LD_PRELOAD", "NODE_OPTIONS", "PERL5OPT", "PYTHONHOME", "RUBYOPT")
"""What makes a shell, the linker or an interpreter load code."""

_SHARED_FOLDERS = (WORKSPACE_PATH, "/home", "/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - compared, never written to


def own_variables(image: Mapping[str, str]) -> dict[str, str]:
    """The container's own, from which each process there starts: nothing that the agent could have a hand in."""
    return {"PATH": _OWN_PATH, **{name: "" for name in (*_FOLDER_LISTS, *_LOADERS) if name in image}}


def agent_variables(image: Mapping[str, str]) -> dict[str, str]:
    """What an agent gets on top of the container's own: what the image meant for it."""
    meant = {name: image[name] for name in (*_FOLDER_LISTS, *_LOADERS) if name in image}
    return {"PATH": image.get("PATH", _DEFAULT_PATH), "LANG": image.get("LANG", "C.UTF-8"), **meant}


def grader_variables(image: Mapping[str, str]) -> dict[str, str]:
    """What a grader gets on top of the container's own: what the image meant for it, but for the agent's folders."""
    lists = {name: _trusted(image[name]) for name in _FOLDER_LISTS if name in image}
    loaders = {name: image[name] for name in _LOADERS if name in image and not _is_shared(image[name])}
    return {
        "PATH": _trusted(image.get("PATH", _DEFAULT_PATH)) or _DEFAULT_PATH,
        "HOME": "/root",
        "LANG": "C.UTF-8",
        **lists,
        **loaders,
    }


def _is_shared(value: str) -> bool:
    return any(folder in value for folder in _SHARED_FOLDERS)


def _trusted(folders: str) -> str:
    return ":".join(f for f in folders.split(":") if f.startswith("/") and not f.startswith(_SHARED_FOLDERS))

"""What every sandbox has in common: what it is cut off from, and what of the system it sees, read-only."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from pathlib import Path

from skillgrade.suite.model import PLAIN_USER_ID
from skillgrade.workspace.programs import SYSTEM_FOLDERS

_SHARED_MEMORY = 64 << 20
"""Bytes of /dev/shm, as in a container; it lies in memory."""

_ETC = (
    "alternatives",
    "bash.bashrc",
    "ca-certificates",
    "ca-certificates.conf",
    "debian_version",
    "fonts",
    "host.conf",
    "hosts",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "pki",
    "profile",
    "protocols",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
    "xattr.conf",
)
"""What programs read in /etc and what holds no secret: no accounts, no keys, nobody's settings."""


_KERNEL_SETTINGS = ("acpi", "bus", "driver", "fs", "irq", "mtrr", "scsi", "sys", "sysrq-trigger")
"""Below /proc; some are checked by the owner's uid alone, and bubblewrap covers only those with a writable folder."""


def isolation_options(network: str) -> tuple[str, ...]:
    """Namespaces of its own, an unprivileged user, and an end with the process that started it.

    Args:
        network: ``default`` shares the host's network, ``none`` has a loopback interface only.
    """
    user = str(PLAIN_USER_ID)
    return (
        "--unshare-all",
        *(("--share-net",) if network == "default" else ()),
        "--die-with-parent",
        *("--uid", user, "--gid", user),
        *("--hostname", "sandbox"),
    )


@functools.cache
def system_options() -> tuple[str, ...]:
    """The system's folders, selected settings, and kernel interfaces."""
    return (
        *(word for folder in SYSTEM_FOLDERS for word in _system_folder(folder)),
        *(word for name in _ETC if Path("/etc", name).exists() for word in _shown(f"/etc/{name}")),
        # Often a link to where a resolver keeps it.
        *("--ro-bind-try", os.path.realpath("/etc/resolv.conf"), "/etc/resolv.conf"),
        *("--proc", "/proc", "--dev", "/dev"),
        *(word for name in _kernel_settings() for word in ("--ro-bind", f"/proc/{name}", f"/proc/{name}")),
        *("--perms", "1777", "--size", str(_SHARED_MEMORY), "--tmpfs", "/dev/shm"),  # noqa: S108 - inside
        *("--remount-ro", "/dev"),
    )


def is_shown_read_only(path: str) -> bool:
    """Whether an absolute path lies in a folder that every sandbox sees, so that nothing can be made there."""
    return any(path.startswith(folder + "/") for folder in _shown_folders())


@functools.cache
def _shown_folders() -> tuple[str, ...]:
    folders = (*SYSTEM_FOLDERS, *(f"/etc/{name}" for name in _ETC))
    return tuple(folder for folder in folders if Path(folder).is_dir())


def _kernel_settings() -> tuple[str, ...]:
    """What a sandbox of root could change of the whole machine: to the kernel it is root still, only without powers."""
    return tuple(name for name in _KERNEL_SETTINGS if os.geteuid() == 0 and Path("/proc", name).exists())


def _system_folder(folder: str) -> Iterator[str]:
    path = Path(folder)
    if path.is_symlink():
        yield from ("--symlink", str(path.readlink()), folder)
    elif path.is_dir():
        yield from ("--ro-bind", folder, folder)


def _shown(path: str) -> tuple[str, ...]:
    return "--ro-bind", os.path.realpath(path), path

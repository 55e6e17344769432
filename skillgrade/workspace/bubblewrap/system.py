"""What every sandbox has in common: what it is cut off from, and what of the system it sees, read-only."""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from skillgrade.suite.model import PLAIN_USER_ID
from skillgrade.workspace.bubblewrap.host_programs import SYSTEM_FOLDERS
from skillgrade.workspace.prefixes import CERTIFICATES

HOME = "/home/agent"
"""The agent's home, as it sees it."""

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
    "pki/ca-trust",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "profile",
    "protocols",
    "resolv.conf",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
    "xattr.conf",
)
"""What programs read in /etc and what holds no secret: no accounts, no keys, nobody's settings."""

_USER = PLAIN_USER_ID
_ACCOUNTS = {
    "passwd": f"root:x:0:0:root:/root:/bin/bash\nagent:x:{_USER}:{_USER}::{HOME}:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
    "group": f"root:x:0:\nagent:x:{_USER}:\nnogroup:x:65534:\n",
}

_KERNEL_SETTINGS = ("/proc/sys", "/proc/mtrr")
"""To the kernel, root in a sandbox is root still, only without powers, and these ask for no more than root's uid.
bubblewrap itself covers only what it takes for writable, which a folder of settings is not."""


def isolation_options(network: str) -> tuple[str, ...]:
    """Namespaces of its own, an unprivileged user, and an end with the process that started it.

    Args:
        network: ``default`` shares the host's network, ``none`` has a loopback interface only.
    """
    return (
        "--unshare-all",
        *(("--share-net",) if network == "default" else ()),
        "--die-with-parent",
        *("--uid", str(_USER), "--gid", str(_USER)),
        *("--hostname", "sandbox"),
    )


@functools.cache
def system_options() -> tuple[str, ...]:
    """The system's folders, but for /etc, and kernel interfaces."""
    return (
        *(word for folder in SYSTEM_FOLDERS for word in _system_folder(folder)),
        *("--proc", "/proc", "--dev", "/dev"),
        *(word for path in _KERNEL_SETTINGS for word in ("--ro-bind-try", path, path)),
        *("--perms", "1777", "--size", str(_SHARED_MEMORY), "--tmpfs", "/dev/shm"),  # noqa: S108 - inside
        *("--remount-ro", "/dev"),
    )


def make_etc(folder: Path) -> None:
    """Fill a folder with what sandboxes see as /etc: selected settings of the host, and accounts of their own.

    It is a copy, since each file that is bound by itself costs every command a fraction of a millisecond, and some are
    links to where a service keeps them.

    Raises:
        OSError: It cannot be written.
    """
    named = (os.environ.get(name, "") for name in CERTIFICATES)
    certificates = (os.path.normpath(path)[len("/etc/") :] for path in named if path.startswith("/etc/"))
    for name in (*_ETC, *certificates):
        source, target = Path(os.path.realpath(Path("/etc", name))), folder / name
        if target.exists() or not source.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(PermissionError, shutil.Error):  # what this user may not read, a sandbox of this user may not
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True)
            else:
                shutil.copyfile(source, target)
    for name, content in _ACCOUNTS.items():
        (folder / name).write_text(content, encoding="ascii")


def _system_folder(folder: str) -> Iterator[str]:
    path = Path(folder)
    if path.is_symlink():
        yield from ("--symlink", str(path.readlink()), folder)
    elif path.is_dir():
        yield from ("--ro-bind", folder, folder)

"""Set-ups in a sandbox: into the private prefix, and into folders of the system that are empty in every sandbox.

A set-up sees what a trial's command sees, and the user's settings of package registries. What it writes below /etc,
/opt and /srv is kept, and shown to trials; the folders that come from the host are read-only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from skillgrade.capture import OutputSink
from skillgrade.errors import Stage
from skillgrade.process import ProcessResult
from skillgrade.stop import Stop
from skillgrade.workspace.bubblewrap_binary import Bubblewrap
from skillgrade.workspace.bubblewrap_command import SandboxedCommand, run_sandboxed
from skillgrade.workspace.bubblewrap_layers import account_options
from skillgrade.workspace.bubblewrap_programs import ShownPrograms
from skillgrade.workspace.bubblewrap_system import isolation_options, system_options
from skillgrade.workspace.limited_slot import LimitedSlot
from skillgrade.workspace.prefixes import CERTIFICATES, SETUP_SECONDS, Prefix, SetupRunner

_SETTINGS = ("NPM_CONFIG_USERCONFIG", "PIP_CONFIG_FILE")
_SYSTEM_SETTINGS = ("/etc/npmrc", "/etc/pip.conf", "/etc/xdg/pip")


_ROOT = "root"
_WRITABLE = ("etc", "opt", "srv")


def setup_options(prefix: Prefix) -> Iterator[str]:
    """The options that show what set-ups left; they stand before those of the system, which lie on top."""
    for name in _WRITABLE:
        for entry in sorted((prefix.folder / _ROOT / name).iterdir()):
            if entry.is_symlink():
                yield from ("--symlink", str(entry.readlink()), f"/{name}/{entry.name}")
            else:
                yield from ("--ro-bind", str(entry), f"/{name}/{entry.name}")
    yield from ("--ro-bind", str(prefix.folder), str(prefix.shown))


def setup_runner(
    bwrap: Bubblewrap, shared: Path, prefix: Prefix, programs: ShownPrograms, slot: LimitedSlot, stop: Stop
) -> SetupRunner:
    """What runs set-ups in sandboxes.

    Args:
        bwrap: Makes them.
        shared: The environment's folder.
        prefix: Where packages go.
        programs: Finds programs outside of the system's folders.
        slot: Where they run.
        stop: Ends them.
    """

    def run(argv: tuple[str, ...], env: Mapping[str, str], cwd: Path, sink: OutputSink) -> ProcessResult:
        shown = programs.of(argv)
        settings = {env[name] for name in (*_SETTINGS, *CERTIFICATES) if name in env}
        files = [path for path in (*sorted(settings), *_SYSTEM_SETTINGS) if Path(path).exists()]
        writable = [(prefix.folder / _ROOT / name, f"/{name}") for name in _WRITABLE]
        for folder, _ in writable:
            folder.mkdir(parents=True, exist_ok=True)
        options = [
            *isolation_options("default"),
            *(word for folder, place in writable for word in ("--bind", str(folder), place)),
            *system_options(),
            *account_options(shared),
            *("--bind", str(prefix.folder), str(prefix.shown), "--bind", str(prefix.folder / "tmp"), "/tmp"),  # noqa: S108 - inside
            *(word for path in (*shown, *files) for word in ("--ro-bind", str(path), str(path))),
            *("--remount-ro", "/", "--chdir", str(cwd)),
        ]
        bins = [folder for folder in env["PATH"].split(os.pathsep) if Path(folder).is_relative_to(prefix.shown)]
        command = SandboxedCommand(
            bwrap=bwrap.path,
            options=options,
            env={**env, "PATH": os.pathsep.join([*bins, programs.search_path(shown)])},
            argv=argv,
            stdin=None,
            stdout=sink,
            stderr=sink,
            timeout=SETUP_SECONDS,
            limits=None,
        )
        return run_sandboxed(slot, command, stop, Stage.IMAGE).process

    return run

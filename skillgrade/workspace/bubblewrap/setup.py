"""Set-ups in a sandbox: packages go into a private prefix, and /etc and /opt are the environment's own.

A set-up sees what a trial's command sees, and the user's settings of package registries. What it writes below /etc and
/opt is kept, and shown to trials; the folders that come from the host are read-only.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from skillgrade.capture import OutputSink
from skillgrade.errors import Stage
from skillgrade.process import ProcessResult
from skillgrade.stop import Stop
from skillgrade.workspace.bubblewrap.binary import Bubblewrap
from skillgrade.workspace.bubblewrap.command import SandboxedCommand, run_sandboxed
from skillgrade.workspace.bubblewrap.layers import SharedFolder
from skillgrade.workspace.bubblewrap.limited_slot import LimitedSlot
from skillgrade.workspace.bubblewrap.programs import ShownPrograms
from skillgrade.workspace.bubblewrap.system import isolation_options, system_options
from skillgrade.workspace.prefixes import CERTIFICATES, SETUP_SECONDS, Prefix, SetupRunner

_SETTINGS = ("NPM_CONFIG_USERCONFIG", "PIP_CONFIG_FILE")
_SYSTEM_SETTINGS = ("/etc/npmrc", "/etc/pip.conf", "/etc/xdg/pip")


def setup_runner(
    bwrap: Bubblewrap, shared: SharedFolder, prefix: Prefix, programs: ShownPrograms, slot: LimitedSlot, stop: Stop
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
        options = [
            *isolation_options("default"),
            *system_options(),
            *("--bind", str(shared.etc), "/etc", "--bind", str(shared.opt), "/opt"),
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

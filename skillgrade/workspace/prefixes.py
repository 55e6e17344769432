"""Set-up without an image, into a private folder of the run instead of the system.

npm and pip install below the folder, and commands of the run find what they installed there. Whether anything else of
what a set-up does is held back is for the provider to say, which runs it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from skillgrade.capture import OutputSink
from skillgrade.errors import ProviderError, Stage
from skillgrade.process import ProcessResult
from skillgrade.workspace.setup_lines import SetupStep, parse_setup

SETUP_SECONDS = 1800.0
"""How long one step may take: a package registry on a bad day, no more."""

_KEPT_LINES = 15
_PRELUDE = Path(__file__).with_name("setup-prelude.sh")
CERTIFICATES = frozenset(
    {"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "PIP_CERT"}
)
"""Variables that hold the path of a certificate store."""

_PROXIES = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}
_INHERITED = {"LANG", "TERM", "TZ"} | CERTIFICATES | _PROXIES
_INHERITED_PREFIXES = ("PIP_", "NPM_CONFIG_")
"""How this host reaches its package registries; compared without case."""
_OURS = {"NPM_CONFIG_PREFIX", "PIP_PREFIX", "PIP_USER", "PIP_TARGET", "PIP_ROOT"}
"""Where packages go: for the prefix to say, and no two of these go together."""
_BINS = ("npm/bin", "python/bin", "python/local/bin")


SetupRunner = Callable[[tuple[str, ...], Mapping[str, str], Path, OutputSink], ProcessResult]
"""Runs a command: its argv, all of its variables, its working directory, and where its output goes."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """A private folder for set-ups.

    Attributes:
        folder: Where it is on the host.
        shown: Where commands find it.
    """

    folder: Path
    shown: Path

    def env(self) -> dict[str, str]:
        """What commands need beside PATH to find what a set-up installed."""
        packages = sorted(
            str(self.shown / path.relative_to(self.folder))
            for name in ("site", "dist")
            for path in self.folder.glob(f"python/**/{name}-packages")
        )
        return {"PYTHONPATH": os.pathsep.join(packages)} if packages else {}

    def bins(self) -> list[str]:
        """The folders of programs that a set-up installed; they lead the PATH."""
        return [str(self.shown / name) for name in _BINS if (self.folder / name).is_dir()]


def run_setups(setups: tuple[str, ...], prefix: Prefix, run: SetupRunner) -> tuple[str, ...]:
    """Run set-ups, one after the other, each script by ``bash -e`` in a folder of its own.

    Args:
        setups: The texts.
        prefix: Its folder exists and is private.
        run: Runs each step.

    Returns:
        One sentence for each step that means nothing outside an image.

    Raises:
        ProviderError: A step failed; the message quotes the end of its output.
        Cancelled: The stop came.
    """
    for name in ("home", "tmp", "work"):
        (prefix.folder / name).mkdir()
    shutil.copyfile(_PRELUDE, prefix.folder / _PRELUDE.name)
    notes = []
    for setup in setups:
        for step in parse_setup(setup):
            script = step.script()
            if script is None:
                notes.append(
                    f"setup: line {step.line}: {step.instruction} is left out, it means nothing without an image"
                )
            else:
                _run_step(step, script, prefix, run)
    return tuple(notes)


def settings_files() -> dict[str, str]:
    """The user's own settings of the package managers, by the variables that name them."""
    home = Path.home()
    files = {"NPM_CONFIG_USERCONFIG": home / ".npmrc", "PIP_CONFIG_FILE": home / ".config" / "pip" / "pip.conf"}
    return {name: str(path) for name, path in files.items() if path.is_file()}


def _run_step(step: SetupStep, script: str, prefix: Prefix, run: SetupRunner) -> None:
    sink = OutputSink(prefix.folder / "output")
    try:
        result = run(("bash", "-e", "-c", script), _setup_env(prefix.shown), prefix.shown / "work", sink)
    finally:
        captured = sink.close()
    if result.start_error is not None:
        raise ProviderError(f"setup: {result.start_error}; install bash", Stage.IMAGE)
    if result.exit_code == 0:
        return
    end = f"took more than {SETUP_SECONDS:g} s" if result.timed_out else f"failed with exit code {result.exit_code}"
    lines = captured.text().rstrip().splitlines()[-_KEPT_LINES:]
    raise ProviderError("\n".join([f"setup: line {step.line}: {end}; its output ends in:", *lines]), Stage.IMAGE)


def _is_inherited(name: str) -> bool:
    return name in _INHERITED or (name.startswith(_INHERITED_PREFIXES) and name not in _OURS)


def _setup_env(shown: Path) -> Mapping[str, str]:
    inherited = {name: value for name, value in os.environ.items() if _is_inherited(name.upper())}
    return {
        **settings_files(),
        **inherited,
        "BASH_ENV": str(shown / _PRELUDE.name),
        "PATH": os.pathsep.join([*(str(shown / name) for name in _BINS), os.environ.get("PATH", os.defpath)]),
        "HOME": str(shown / "home"),
        "TMPDIR": str(shown / "tmp"),
        "NPM_CONFIG_PREFIX": str(shown / "npm"),
        "PIP_PREFIX": str(shown / "python"),
        # The prefix is ours, so a system's wish to keep its own packages alone does not apply.
        "PIP_BREAK_SYSTEM_PACKAGES": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }

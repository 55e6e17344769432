"""Set-up on the host, into a private folder of the run instead of the system.

npm and pip install below the folder, and commands of the run find what they installed there; nothing else of what a
set-up does is held back.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from skillgrade.capture import OutputSink
from skillgrade.errors import ProviderError, Stage
from skillgrade.process import ProcessSlot
from skillgrade.stop import Stop
from skillgrade.workspace.setup_lines import SetupStep, parse_setup

SETUP_SECONDS = 1800.0
"""How long one step may take: a package registry on a bad day, no more."""

_KEPT_LINES = 15
_PRELUDE = Path(__file__).with_name("setup-prelude.sh")
_CERTIFICATES = {"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"}
_PROXIES = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}
_INHERITED = {"LANG", "TERM", "TZ"} | _CERTIFICATES | _PROXIES
_INHERITED_PREFIXES = ("PIP_", "NPM_CONFIG_")
"""How this host reaches its package registries; compared without case."""
_OURS = {"NPM_CONFIG_PREFIX", "PIP_PREFIX", "PIP_USER", "PIP_TARGET", "PIP_ROOT"}
"""Where packages go: for the prefix to say, and no two of these go together."""


def prefix_env(prefix: Path) -> dict[str, str]:
    """What commands need beside PATH to find what a set-up installed."""
    packages = sorted(str(path) for name in ("site", "dist") for path in prefix.glob(f"python/**/{name}-packages"))
    return {"PYTHONPATH": os.pathsep.join(packages)} if packages else {}


def prefix_bins(prefix: Path) -> list[str]:
    """The folders of programs that a set-up installed; they lead the PATH."""
    return [path for path in _bins(prefix) if Path(path).is_dir()]


def run_setups(setups: tuple[str, ...], prefix: Path, slot: ProcessSlot, stop: Stop) -> tuple[str, ...]:
    """Run set-ups, one after the other, each script by ``bash -e`` in a folder of its own.

    Args:
        setups: The texts.
        prefix: An existing private folder.
        slot: Where they run.
        stop: Ends them.

    Returns:
        One sentence for each step that means nothing outside an image.

    Raises:
        ProviderError: A step failed; the message quotes the end of its output.
        Cancelled: The stop came.
    """
    for name in ("home", "tmp", "work"):
        (prefix / name).mkdir()
    notes = []
    for setup in setups:
        for step in parse_setup(setup):
            script = step.script()
            if script is None:
                notes.append(
                    f"setup: line {step.line}: {step.instruction} is left out, it means nothing without an image"
                )
            else:
                _run_step(step, script, prefix, slot, stop)
    return tuple(notes)


def _run_step(step: SetupStep, script: str, prefix: Path, slot: ProcessSlot, stop: Stop) -> None:
    sink = OutputSink(prefix / "output")
    try:
        result = slot.run(
            ("bash", "-e", "-c", script),
            env=_setup_env(prefix),
            cwd=prefix / "work",
            stdin=None,
            stdout=sink,
            stderr=sink,
            timeout=SETUP_SECONDS,
            stop=stop,
            stage=Stage.IMAGE,
        )
    finally:
        captured = sink.close()
    if result.start_error is not None:
        raise ProviderError(f"setup: {result.start_error}; install bash", Stage.IMAGE)
    if result.exit_code == 0:
        return
    end = f"took more than {SETUP_SECONDS:g} s" if result.timed_out else f"failed with exit code {result.exit_code}"
    lines = captured.text().rstrip().splitlines()[-_KEPT_LINES:]
    raise ProviderError("\n".join([f"setup: line {step.line}: {end}; its output ends in:", *lines]), Stage.IMAGE)


def _bins(prefix: Path) -> list[str]:
    return [str(prefix / folder) for folder in ("npm/bin", "python/bin", "python/local/bin")]


def _is_inherited(name: str) -> bool:
    return name in _INHERITED or (name.startswith(_INHERITED_PREFIXES) and name not in _OURS)


def _setup_env(prefix: Path) -> Mapping[str, str]:
    inherited = {name: value for name, value in os.environ.items() if _is_inherited(name.upper())}
    home = Path.home()
    settings = {
        name: str(path)
        for name, path in (
            ("NPM_CONFIG_USERCONFIG", home / ".npmrc"),
            ("PIP_CONFIG_FILE", home / ".config" / "pip" / "pip.conf"),
        )
        if path.is_file()
    }
    return {
        **settings,
        **inherited,
        "BASH_ENV": str(_PRELUDE),
        "PATH": os.pathsep.join([*_bins(prefix), os.environ.get("PATH", os.defpath)]),
        "HOME": str(prefix / "home"),
        "TMPDIR": str(prefix / "tmp"),
        "NPM_CONFIG_PREFIX": str(prefix / "npm"),
        "PIP_PREFIX": str(prefix / "python"),
        # The prefix is ours, so a system's wish to keep its own packages alone does not apply.
        "PIP_BREAK_SYSTEM_PACKAGES": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }

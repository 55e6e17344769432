"""Other suites beside a suite: in a skill's folder they are no more of the skill than the one that runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from skillgrade.suite.eval_files import EvalFiles

_YAML_NAME = re.compile(r"\.ya?ml(?![a-z0-9])", re.IGNORECASE)
"""``eval.ci.yaml`` and ``eval.yaml.bak`` alike."""

_TASKS = re.compile(
    rb"""(?m)^(?:\{[ \t]*)?["']?tasks["']?[ \t]*:(?:[ \t\r]*(?:\#[^\n]*)?\n)*[ \t]*(?:-\s|\[|\{?[ \t]*["']?\$import)"""
)
"""A list under a top-level ``tasks``: a Taskfile.yml, which may well be the skill's, has a mapping there."""

_LOOKED_AT = 1024 * 1024


def neighbour_suites(folder: Path, files: EvalFiles) -> Iterator[Path]:
    """The files in a folder that are suites by their looks.

    They are not parsed, because a suite that is being edited, or was written for another version, has answers too.

    Args:
        folder: The folder, absolute; the folders in it are not looked at.
        files: Knows what may be read.
    """
    for path in sorted(folder.iterdir()):
        if _YAML_NAME.search(path.name) and path.is_file() and not files.leaves(path) and _has_tasks(path):
            yield path


def _has_tasks(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return _TASKS.search(stream.read(_LOOKED_AT)) is not None
    except OSError:  # whoever copies the skill says so
        return False

"""Where a suite comes from: the file, and what it says in the terms of eval.yaml, whatever format it has."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from skillgrade.errors import Problem, SuiteError
from skillgrade.suite.cursor import Cursor
from skillgrade.suite.eval_files import EvalFiles
from skillgrade.suite.findings import Findings
from skillgrade.suite.formats import EVAL_YAML, FORMATS, recognised
from skillgrade.suite.imports import load_yaml

SUITE_FILE = "eval.yaml"
SUITE_FILES = (SUITE_FILE, "evals.json", "evals/evals.json", "evals/cases.yaml")
"""Where the suite of a folder is looked for; the first that is there is taken."""

_OWN_KEYS = frozenset({"version", "skill", "defaults", "tasks"})
"""Keys of which an eval.yaml has one, also while it is being written."""


@dataclass(frozen=True, slots=True)
class Source:
    """A suite file that was read.

    Attributes:
        document: The whole of it in the terms of eval.yaml; its values keep their places.
        format: ``eval.yaml``, or a key of `skillgrade.suite.formats.FORMATS`.
        files: It and every file that it imports, absolute.
    """

    document: Cursor
    format: str
    files: frozenset[Path]


def suite_file(path: Path) -> Path:
    """The file of a suite, absolute, in a folder whose own path has no links.

    Args:
        path: The file, or the folder that holds it.

    Raises:
        SuiteError: There is none.
    """
    try:
        file = (
            next(filter(Path.exists, (path / name for name in SUITE_FILES)), path / SUITE_FILE)
            if path.is_dir()
            else path
        )
        exists = file.exists()
        absolute = Path(os.path.realpath(file.parent), file.name)
    except (OSError, ValueError):
        exists, absolute = False, path
    if not exists:
        raise SuiteError([Problem("does not exist; `skillgrade init` writes a first one", absolute)])
    return absolute


def read_source(file: Path, files: EvalFiles, findings: Findings) -> Source:
    """Read a suite file, and convert it where it is of another format.

    Args:
        file: The file, absolute.
        files: The files of the eval.
        findings: Gets what is wrong with a file of another format.

    Raises:
        SuiteError: It cannot be read, or is of no format that is known.
    """
    expanded = load_yaml(file, files)
    root = Cursor(expanded.value, expanded.mark)
    found = recognised(root.value)
    if found is not None:
        document = found.convert(root, file, findings)
        return Source(Cursor(document, root.mark), found.name, expanded.files)
    if not root.value:
        raise SuiteError([Problem("must be a mapping with `tasks`", *root.mark)])
    if not isinstance(root.value, dict) or not _OWN_KEYS & root.value.keys():
        message = f"must be a mapping with `tasks`, or a file of another format that is known: {', '.join(FORMATS)}"
        raise SuiteError([Problem(message, *root.mark)])
    return Source(root, EVAL_YAML, expanded.files)

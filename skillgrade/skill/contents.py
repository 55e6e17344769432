"""Which files of a skill's folder are the skill, and which belong to its evals, to version control or to tools.

An eval often lives in the folder of the skill that it tests. What grades the agent, and what could tell it the answers,
must not reach it together with the skill.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Set
from pathlib import Path

EVAL_NAMES = frozenset(
    {
        "eval.yaml",
        "evals.json",
        "cases.yaml",
        "evals",
        "graders",
        "rubrics",
        "solutions",
        "datasets",
        "judge-recordings",
    }
)
"""Files and folders at the top of a skill that belong to its evals."""

GRADING_FOLDERS = EVAL_NAMES | {"tests", "test", "checks", "check", "eval", "verifiers", "fixtures", "testdata"}
"""Folder names that say by themselves that what an eval uses in them is the eval's, not the skill's."""

TOOL_NAMES = frozenset(
    {
        *(
            ".skillgrade",
            ".review",
            ".git",
            ".hg",
            ".svn",
            ".jj",
            ".github",
            ".gitignore",
            ".gitattributes",
            ".gitmodules",
        ),
        *("__pycache__", ".venv", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"),
        *(".idea", ".vscode", ".DS_Store"),
    }
)
"""Files and folders anywhere in a skill that tools left there."""


def skill_files(folder: Path, own_files: Set[Path]) -> Iterator[Path]:
    """Files and links of a skill that an agent gets, in a fixed order; links are not followed.

    Args:
        folder: The folder of SKILL.md, absolute.
        own_files: Files and folders of the eval, absolute, that are left out with everything below them.
    """
    for current, folders, names in os.walk(folder):
        here = Path(current)
        kept = [name for name in sorted((*folders, *names)) if not _is_left_out(here / name, folder, own_files)]
        links = {name for name in folders if (here / name).is_symlink()}
        folders[:] = [name for name in folders if name in kept and name not in links]
        yield from (here / name for name in kept if name not in folders)


def _is_left_out(path: Path, folder: Path, own_files: Set[Path]) -> bool:
    name = path.name
    return (
        name in TOOL_NAMES
        or name.startswith(".env")
        or (path.parent == folder and name in EVAL_NAMES)
        or path in own_files
    )

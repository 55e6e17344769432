"""Which files of a skill's folder are the skill, and which belong to its evals, to version control or to tools.

An eval often lives in the folder of the skill that it tests. What grades the agent, and what could tell it the answers,
must not reach it together with the skill.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Set
from pathlib import Path, PurePosixPath

EVAL_NAMES = frozenset(("eval.yaml", "eval.yml", "evals.json", "evals", "judge-recordings"))
"""Names, in lower case, that mean an evaluation wherever they stand."""

EVAL_NAMES_AT_TOP = frozenset(("cases.yaml", "cases.yml", "graders", "rubrics", "solutions", "datasets"))
"""Names that mean an evaluation beside SKILL.md; deeper they may well be the skill's own material."""

TOOL_NAMES = frozenset(
    (
        *(".git", ".gitmodules", ".gitattributes", ".github", ".hg", ".svn", ".jj", ".bzr", "cvs"),
        *("__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints"),
        *(".idea", ".vscode", ".venv", ".tox", ".nox", ".ds_store", ".skillgrade", ".review"),
    )
)
"""Names, in lower case, of what tools and version control leave anywhere."""


def is_of_the_skill(path: PurePosixPath) -> bool:
    """Whether a file or folder belongs to the skill, by its name alone.

    Args:
        path: Relative to the folder of SKILL.md.
    """
    name = path.name.lower()
    if name in TOOL_NAMES or name.startswith(".env"):
        return False
    if "node_modules" in path.parts:  # packages name their folders as they like
        return True
    return name not in EVAL_NAMES and not (len(path.parts) == 1 and name in EVAL_NAMES_AT_TOP)


def skill_files(folder: Path, own_files: Set[Path]) -> Iterator[Path]:
    """Files and links of a skill that an agent gets, in a fixed order; links are not followed.

    Args:
        folder: The folder of SKILL.md, absolute.
        own_files: Files and folders of the eval, absolute, that are left out with everything below them.
    """
    for current, folders, names in os.walk(folder):
        here = Path(current)
        kept = [name for name in sorted((*folders, *names)) if _is_kept(here / name, folder, own_files)]
        links = {name for name in folders if (here / name).is_symlink()}
        folders[:] = [name for name in folders if name in kept and name not in links]
        yield from (here / name for name in kept if name not in folders)


def _is_kept(path: Path, folder: Path, own_files: Set[Path]) -> bool:
    return path not in own_files and is_of_the_skill(PurePosixPath(path.relative_to(folder).as_posix()))

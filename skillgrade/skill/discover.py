"""Where the skills under test are."""

from __future__ import annotations

import os
from pathlib import Path

from skillgrade.errors import Problem, SuiteError
from skillgrade.skill.frontmatter import read_skill
from skillgrade.skill.model import Skill
from skillgrade.wording import shown

SKILL_FILE = "SKILL.md"
SKILL_HOMES = ("skills", ".agents/skills", ".claude/skills")
"""Folders whose folders are skills; where two have a skill of one name, the first home wins."""

EVAL_FOLDERS = ("evals", "eval", "tests")
"""Names of folders beside a SKILL.md that hold its evals."""


def skill_folder_of(folder: Path) -> Path | None:
    """The folder of the skill of whose evals a folder is; None where it is of none.

    Args:
        folder: A folder, absolute.
    """
    above = folder.parent
    return above if folder.name in EVAL_FOLDERS and (above / SKILL_FILE).is_file() else None


def discover_skills(root: Path, explicit: str | None) -> tuple[Skill, ...]:
    """Find the skills of an eval.

    Args:
        root: The folder of eval.yaml, absolute.
        explicit: A folder or SKILL.md relative to it; None to look in the usual places.

    Returns:
        The skill that `explicit` names; else the one whose SKILL.md stands in `root`; else all of `SKILL_HOMES`, one of
        each name. Empty when there is none.

    Raises:
        SuiteError: The explicit one does not exist, or a SKILL.md cannot be read as one.
    """
    if explicit is not None:
        return (read_skill(_explicit_file(root, explicit)),)
    if (root / SKILL_FILE).is_file():
        return (read_skill(root / SKILL_FILE),)
    found: dict[str, Skill] = {}
    for home in SKILL_HOMES:
        folder = root / home
        for name in sorted(os.listdir(folder)) if folder.is_dir() else ():  # noqa: PTH208  (sorted by name, not by path)
            if (folder / name / SKILL_FILE).is_file():
                skill = read_skill(folder / name / SKILL_FILE)
                found.setdefault(skill.name, skill)
    return tuple(found.values())


def _explicit_file(root: Path, explicit: str) -> Path:
    path = Path(os.path.normpath(root / explicit))
    file = path if path.name == SKILL_FILE else path / SKILL_FILE
    if not file.is_file():
        raise SuiteError([Problem(f"there is no {SKILL_FILE} at {shown(explicit)}", path="skill")])
    return file

"""Which skill a file of another tool is about."""

from __future__ import annotations

import os
from pathlib import Path

from skillgrade.errors import SuiteError
from skillgrade.skill.discover import EVAL_FOLDERS, SKILL_FILE, discover_skills
from skillgrade.skill.model import Skill
from skillgrade.suite.findings import Findings


def skill_beside(file: Path, name: str | None, findings: Findings) -> tuple[str, Skill] | None:
    """The skill whose evals a file holds, and the way to its folder from that of the file.

    It is the one whose SKILL.md stands beside the file, or above the folder of evals that the file lies in; else one of
    the places where several skills are kept, by its name. A SKILL.md that cannot be read is noted as an error.

    Args:
        file: The file, absolute.
        name: The skill's name, where the file says it.
        findings: Gets the problems.
    """
    folder = file.parent
    roots = (folder, folder.parent) if folder.name in EVAL_FOLDERS else (folder,)
    for root in roots:
        try:
            found = discover_skills(root, None)
        except SuiteError as error:
            findings.errors.extend(error.problems)
            return None
        if not (root / SKILL_FILE).is_file():
            found = tuple(skill for skill in found if skill.name == name)
        if len(found) == 1:
            return os.path.relpath(found[0].folder, folder), found[0]
    return None

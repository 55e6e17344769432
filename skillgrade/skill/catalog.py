"""The skills that are here: those of the tree that one works in, and those that are installed in a home."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path

from skillgrade.errors import SuiteError
from skillgrade.skill.discover import SKILL_FILE
from skillgrade.skill.frontmatter import read_skill
from skillgrade.skill.model import Skill

HOME_PLACES = (
    ".claude/skills",
    ".agents/skills",
    ".codex/skills",
    ".gemini/skills",
    ".opencode/skills",
    ".config/opencode/skills",
    ".config/opencode/skill",
)
"""Where one agent or another looks for skills, relative to a home."""

_AGENT_FOLDERS = frozenset(place.split("/", 1)[0] for place in HOME_PLACES)
_SKIPPED = frozenset(("node_modules", "__pycache__", "venv", "fixtures", "testdata"))


class Scope(StrEnum):
    """Which skills are looked at: those of the own tree, or those of the home too."""

    BUNDLED = "bundled"
    ALL = "all"


def tree_root(folder: Path) -> Path:
    """The git root around a folder; the folder itself where there is none."""
    start = folder.resolve()
    return next((each for each in (start, *start.parents) if (each / ".git").exists()), start)


def skills_in_scope(folder: Path, scope: Scope, home: Path) -> tuple[Skill, ...]:
    """The skills of a scope, in the order of their paths; a SKILL.md that cannot be read is none.

    Args:
        folder: Where one is.
        scope: Which skills are meant.
        home: The user's home.
    """
    found = dict.fromkeys(_skill_files(tree_root(folder)))
    if scope is Scope.ALL:
        for place in HOME_PLACES:
            found |= dict.fromkeys(sorted((home / place).glob(f"*/{SKILL_FILE}")))
    return tuple(_readable(found))


def _skill_files(root: Path) -> Iterator[Path]:
    for current, folders, names in os.walk(root):
        folders[:] = sorted(
            name for name in folders if name not in _SKIPPED and (not name.startswith(".") or name in _AGENT_FOLDERS)
        )
        if SKILL_FILE in names:
            yield Path(current, SKILL_FILE)


def _readable(files: Iterable[Path]) -> Iterator[Skill]:
    for file in files:
        try:
            yield read_skill(file)
        except SuiteError:
            continue

"""A skill: the folder of a SKILL.md."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill under test.

    Attributes:
        name: From the frontmatter of its SKILL.md; the name of its folder where the agent finds it.
        description: From the frontmatter; empty when it has none.
        folder: Absolute path of the folder that holds SKILL.md.
        triggers: From the frontmatter: words by which people ask for it; empty when it lists none.
    """

    name: str
    description: str
    folder: Path
    triggers: tuple[str, ...] = ()

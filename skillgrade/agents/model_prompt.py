"""What the `model` agent tells its model: the skills, and that it has no tools."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

RUNNER_PROMPT_VERSION = "runner-1"
"""The version of the note; answers to another one are of another runner."""

_SKILL_FILE = "SKILL.md"


def system_prompt(skills: Iterable[Path]) -> str:
    """The skills as they are, and below them the note that answers are text.

    Args:
        skills: The folders of the skills that the agent gets.

    Raises:
        OSError: A SKILL.md cannot be read.
    """
    texts = [(folder / _SKILL_FILE).read_text("utf-8", errors="replace").strip() for folder in skills]
    return "\n\n".join((*texts, _note()))


@functools.cache
def _note() -> str:
    return resources.files(__package__).joinpath("prompts", "model-runner.txt").read_text("utf-8").strip()

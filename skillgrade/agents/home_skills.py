"""Skills in the user's own home, which an agent that works in that home has as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from skillgrade.skill.catalog import HOME_PLACES

_SHOWN = 5


def home_notes(home: Path, under_test: Sequence[str]) -> Iterator[str]:
    """What the user should know of the skills in a home in which agents work, in sentences.

    Args:
        home: The home.
        under_test: The names of the skills under test; empty for a run without any.
    """
    found = {f"~/{place}/{name}": name for place in HOME_PLACES for name in _names(home / place)}
    same = [path for path, name in found.items() if name in under_test]
    if same:
        yield (
            f"agent_home: user: the agent finds a skill of the same name in your home as well ({_some(same)}): it may "
            "use that one, and a run without the skill still has it"
        )
    elif found and not under_test:
        yield f"agent_home: user: no skill goes in, but the agent has those of your home: {_some(list(found))}"


def _names(folder: Path) -> list[str]:
    try:
        return sorted(file.parent.name for file in folder.glob("*/SKILL.md"))
    except OSError:
        return []


def _some(paths: Sequence[str]) -> str:
    more = len(paths) - _SHOWN
    return ", ".join(paths[:_SHOWN]) + (f" and {more} more" if more > 0 else "")

"""Where the recording of a skill's judges is."""

from __future__ import annotations

from pathlib import Path

from skillgrade.judges.recordings import FOLDER
from skillgrade.results.folder import safe_name
from skillgrade.suite.model import Suite

PACK_FILE = "pack.json"
"""What makes a folder a pack of skills."""

_SKILLS = "skills"


def pack_around(skill: Path) -> Path | None:
    """The pack that a skill belongs to: ``<pack>/skills/<skill>``; None where it belongs to none.

    Args:
        skill: The skill's folder, absolute.
    """
    pack = skill.parent.parent
    return pack if skill.parent.name == _SKILLS and (pack / PACK_FILE).is_file() else None


def recording_path(suite: Suite) -> Path:
    """Where the verdicts on the canned answers of a suite's judges are recorded.

    In a pack that is the pack's own folder of recordings, else the one beside the suite's file.
    """
    folder = suite.skills[0].folder if len(suite.skills) == 1 else suite.root
    name = suite.skills[0].name if len(suite.skills) == 1 else suite.file.stem
    pack = pack_around(folder)
    home = pack or suite.root
    group = pack.name if pack else folder.parent.name
    return home / FOLDER / f"{safe_name(group)}__{safe_name(name)}.json"

from pathlib import Path

import pytest

from skillgrade.errors import SuiteError
from skillgrade.skill.discover import discover_skills
from tests.support.suites import write


def found(root: Path, explicit: str | None = None) -> list[tuple[str, str]]:
    return [(skill.name, skill.folder.relative_to(root).as_posix()) for skill in discover_skills(root, explicit)]


def test_a_skill_at_the_root_is_the_only_one(tmp_path: Path) -> None:
    write(tmp_path, {"SKILL.md": "# Root", "skills/a/SKILL.md": "# A"})
    assert found(tmp_path) == [("root", ".")]


def test_the_usual_homes_in_their_order_one_of_each_name(tmp_path: Path) -> None:
    homes = (".claude/skills/c", ".agents/skills/b", "skills/z", "skills/a")
    write(tmp_path, {f"{home}/SKILL.md": f"# {home[-1]}" for home in homes})
    write(tmp_path, {".claude/skills/mirror/SKILL.md": "# A", "skills/none/README.md": "", "skills/file": ""})
    assert found(tmp_path) == [
        ("a", "skills/a"),
        ("z", "skills/z"),
        ("b", ".agents/skills/b"),
        ("c", ".claude/skills/c"),
    ]


@pytest.mark.parametrize("explicit", ["deep/s", "./deep/s/", "deep/s/SKILL.md", "deep/../deep/s"])
def test_an_explicit_folder_or_file(tmp_path: Path, explicit: str) -> None:
    write(tmp_path, {"deep/s/SKILL.md": "# S", "SKILL.md": "# Root"})
    assert found(tmp_path, explicit) == [("s", "deep/s")]


@pytest.mark.parametrize("explicit", ["nope", "deep", "SKILL.md", "deep/s/README.md"])
def test_an_explicit_skill_that_does_not_exist_is_an_error(tmp_path: Path, explicit: str) -> None:
    write(tmp_path, {"deep/s/SKILL.md": "# S", "deep/s/README.md": ""})
    with pytest.raises(SuiteError, match=f'^skill: there is no SKILL.md at "{explicit}"$'):
        discover_skills(tmp_path, explicit)


def test_no_skill_at_all_is_no_error(tmp_path: Path) -> None:
    assert discover_skills(tmp_path, None) == ()

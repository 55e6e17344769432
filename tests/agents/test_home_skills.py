from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.agents.home_skills import home_notes


def put(home: Path, *places: str) -> None:
    for place in places:
        (home / place).mkdir(parents=True)
        (home / place / "SKILL.md").write_text("---\nname: x\n---\n")


@pytest.mark.parametrize("place", [".claude/skills", ".agents/skills", ".gemini/skills", ".config/opencode/skill"])
def test_a_skill_of_the_same_name_is_named_with_its_place(tmp_path: Path, place: str) -> None:
    put(tmp_path, f"{place}/greeting", f"{place}/greeting-more")
    (note,) = home_notes(tmp_path, ["greeting"])
    assert f"(~/{place}/greeting)" in note


def test_others_matter_only_to_a_run_without_a_skill(tmp_path: Path) -> None:
    put(tmp_path, *(f".claude/skills/other-{number}" for number in range(7)))
    assert list(home_notes(tmp_path, ["greeting"])) == []
    (note,) = home_notes(tmp_path, [])
    assert note.endswith("~/.claude/skills/other-3, ~/.claude/skills/other-4 and 2 more")


def test_an_empty_home_is_not_worth_a_word(tmp_path: Path) -> None:
    assert list(home_notes(tmp_path, [])) == []
    assert list(home_notes(tmp_path / "nowhere", ["greeting"])) == []

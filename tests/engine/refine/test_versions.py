"""The versions of a skill, and writing the best one back."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.engine.refine.apply import apply
from skillgrade.engine.refine.versions import Versions
from skillgrade.errors import UserError

SKILL = "---\nname: parcels\ndescription: Packs parcels.\n---\n# Parcels\n"


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "skill"
    (folder / "scripts").mkdir(parents=True)
    (folder / "evals").mkdir()
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "scripts" / "pack.sh").write_text("echo packed\n")
    (folder / "evals" / "cases.yaml").write_text("cases: []\n")
    (folder / "answers.md").write_text("the answers\n")
    return folder


@pytest.fixture
def versions(tmp_path: Path, skill: Path) -> Versions:
    made = Versions(tmp_path / "versions", "parcels")
    made.keep(0, skill, {skill / "answers.md"})
    return made


def test_a_version_is_the_skill_and_nothing_of_the_eval(versions: Versions, skill: Path) -> None:
    folder = versions.folder(0)
    assert sorted(path.name for path in folder.rglob("*")) == ["SKILL.md", "pack.sh", "scripts"]
    assert versions.skill(0).name == "parcels"
    assert versions.fault(0) is None


def test_a_working_copy_is_elsewhere_and_gone_afterwards(versions: Versions, tmp_path: Path) -> None:
    with versions.working_copy(0, "20261201-000000-abcd") as copy:
        assert (copy / "SKILL.md").read_text() == SKILL
        assert not copy.is_relative_to(tmp_path)
        (copy / "SKILL.md").write_text(SKILL + "More.\n")
        (copy / "new.md").write_text("new\n")
        (copy / "scripts" / "pack.sh").unlink()
        digest = versions.keep(1, copy)
    assert not copy.exists()
    assert versions.changed(0, 1) == ("SKILL.md", "new.md", "scripts/pack.sh")
    assert versions.keep(2, versions.folder(1)) == digest
    assert versions.changed(1, 2) == ()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (SKILL.replace("parcels", "letters"), 'calls it "letters"; its name must stay parcels'),
        ("---\nname: [\n---\n", "parcels/SKILL.md"),
        (None, "parcels/SKILL.md"),
    ],
)
def test_what_is_no_skill_any_more_is_no_version(versions: Versions, skill: Path, text: str | None, fault: str) -> None:
    with versions.working_copy(0, "20261201-000000-abcd") as copy:
        (copy / "SKILL.md").write_text(text) if text else (copy / "SKILL.md").unlink()
        versions.keep(1, copy)
    said = versions.fault(1)
    assert said is not None
    assert fault in said
    assert str(skill.parent) not in said


def test_applying_writes_what_changed_and_touches_nothing_else(versions: Versions, skill: Path) -> None:
    with versions.working_copy(0, "20261201-000000-abcd") as copy:
        (copy / "SKILL.md").write_text(SKILL + "More.\n")
        (copy / "docs").mkdir()
        (copy / "docs" / "new.md").write_text("new\n")
        (copy / "scripts" / "pack.sh").unlink()
        versions.keep(1, copy)
    (skill / "notes.txt").write_text("mine\n")
    apply(versions.folder(1), versions.changed(0, 1), skill, {skill / "answers.md"})
    assert (skill / "SKILL.md").read_text() == SKILL + "More.\n"
    assert (skill / "docs" / "new.md").read_text() == "new\n"
    assert not (skill / "scripts" / "pack.sh").exists()
    assert (skill / "notes.txt").read_text() == "mine\n"
    assert (skill / "answers.md").read_text() == "the answers\n"
    assert (skill / "evals" / "cases.yaml").is_file()


def test_a_refiner_cannot_write_the_evals_files(versions: Versions, skill: Path) -> None:
    with versions.working_copy(0, "20261201-000000-abcd") as copy:
        (copy / "SKILL.md").write_text(SKILL + "More.\n")
        (copy / "answers.md").write_text("everything is right\n")
        versions.keep(1, copy)
    with pytest.raises(UserError, match=r"answers\.md: this file is the eval's; compare it with .* by hand"):
        apply(versions.folder(1), versions.changed(0, 1), skill, {skill / "answers.md"})
    assert (skill / "SKILL.md").read_text() == SKILL


def test_nothing_is_written_through_a_link_that_leads_out(versions: Versions, skill: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (skill / "docs").symlink_to(tmp_path / "outside")
    with versions.working_copy(0, "20261201-000000-abcd") as copy:
        (copy / "docs").mkdir()
        (copy / "docs" / "new.md").write_text("new\n")
        versions.keep(1, copy)
    with pytest.raises(UserError, match="a link leads out of the skill here"):
        apply(versions.folder(1), versions.changed(0, 1), skill, frozenset())
    assert list((tmp_path / "outside").iterdir()) == []

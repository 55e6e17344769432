from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillgrade.errors import ProviderError, StorageError
from skillgrade.skill.model import Skill
from skillgrade.suite.load import load_suite
from skillgrade.workspace.skills import snapshot_skill
from tests.support.suites import write


def make(path: Path, text: str = "x", mode: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.fixture
def skill(tmp_path: Path) -> Skill:
    folder = tmp_path / "repo"
    make(folder / "SKILL.md", "---\nname: demo\n---\n")
    make(folder / "scripts/run.sh", "run", 0o755)
    return Skill("demo", "", folder)


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


_OWN = {"SKILL.md", "scripts", "scripts/run.sh"}


@pytest.mark.parametrize(
    "path",
    [
        "eval.yaml",
        "evals.json",
        "evals/a/eval.json",
        "cases.yaml",
        "judge-recordings/r.json",
        "graders/check.sh",
        "Rubrics/quality.md",
        "solutions/solve.sh",
        "datasets/rows.csv",
        ".env",
        ".env.local",
        "scripts/.ENV",
        ".skillgrade/runs/1/report.json",
        ".review/notes",
        ".git/config",
        "scripts/__pycache__/x.pyc",
        ".venv/bin/python",
        ".mypy_cache/x",
        ".vscode/settings.json",
        "references/deep/evals/hard.yaml",
        "references/deep/eval.yaml",
    ],
)
def test_what_grades_the_skill_is_left_out(skill: Skill, tmp_path: Path, path: str) -> None:
    make(skill.folder / path, "CANARY")
    snapshot, warnings = snapshot_skill(skill, tmp_path / "copy", frozenset())
    assert not [file for file in snapshot.folder.rglob("*") if file.is_file() and "CANARY" in file.read_text()]
    assert tree(snapshot.folder) >= _OWN
    assert warnings == ()


def test_what_only_looks_like_it_is_kept(skill: Skill, tmp_path: Path) -> None:
    kept = {"references/graders/a.md", "references/rubrics/b.md", "node_modules/p/evals/x.js", "environment.md"}
    for path in kept:
        make(skill.folder / path)
    snapshot, _ = snapshot_skill(skill, tmp_path / "copy", frozenset())
    assert kept <= tree(snapshot.folder)


def test_own_files_are_left_out_also_from_a_nested_skill_and_through_links(skill: Skill, tmp_path: Path) -> None:
    secret = make(skill.folder / "fixtures/answer.txt")
    make(skill.folder / "checks/deep/c.py")
    alias = tmp_path / "alias"
    alias.symlink_to(skill.folder)
    own = frozenset({secret, alias / "checks", skill.folder / "SKILL.md", skill.folder})
    snapshot, _ = snapshot_skill(skill, tmp_path / "copy", own)
    assert tree(snapshot.folder) == {*_OWN, "fixtures"}


def test_links_are_kept_unless_they_lead_to_what_is_hidden(skill: Skill, tmp_path: Path) -> None:
    make(tmp_path / "outside")
    make(skill.folder / "graders/check.sh")
    for name, target in {
        "fine": "scripts/run.sh",
        "broken": "scripts/nothing",
        "folder": "scripts",
        "through": "folder/run.sh",
        "out": "../outside",
        "hidden": "graders/check.sh",
        "hidden_folder": "graders",
        "chain": "hidden",
        "loop": "loop",
    }.items():
        (skill.folder / name).symlink_to(target)
    snapshot, warnings = snapshot_skill(skill, tmp_path / "copy", frozenset())
    links = {path.name: str(path.readlink()) for path in snapshot.folder.iterdir() if path.is_symlink()}
    assert links == {
        "fine": "scripts/run.sh",
        "broken": "scripts/nothing",
        "folder": "scripts",
        "through": "folder/run.sh",
        "loop": "loop",
    }
    assert sorted(Path(warning.split(":")[0]).name for warning in warnings) == [
        "chain",
        "hidden",
        "hidden_folder",
        "out",
    ]


def test_special_files_are_left_out_with_a_warning(skill: Skill, tmp_path: Path) -> None:
    os.mkfifo(skill.folder / "scripts/pipe")
    snapshot, warnings = snapshot_skill(skill, tmp_path / "copy", frozenset())
    assert tree(snapshot.folder) == _OWN
    assert warnings == (f"{skill.folder}/scripts/pipe: left out of the skill, it is a fifo",)


def test_modes_times_and_sizes_are_kept(skill: Skill, tmp_path: Path) -> None:
    os.utime(skill.folder / "scripts/run.sh", (1, 1_000_000_000))
    snapshot, _ = snapshot_skill(skill, tmp_path / "copy", frozenset())
    status = (snapshot.folder / "scripts/run.sh").stat()
    assert (status.st_mode & 0o777, status.st_mtime) == (0o755, 1_000_000_000)
    assert snapshot.size == len("run") + (skill.folder / "SKILL.md").stat().st_size
    assert snapshot.name == "demo"


def test_the_digest_tells_content_mode_and_name_and_nothing_else(skill: Skill, tmp_path: Path) -> None:
    def digest(name: str) -> str:
        return snapshot_skill(skill, tmp_path / name, frozenset())[0].digest

    first = digest("1")
    assert first.startswith("sha256:")
    make(skill.folder / "graders/new.sh")
    os.utime(skill.folder / "SKILL.md", (1, 1))
    assert digest("2") == first
    (skill.folder / "scripts/run.sh").chmod(0o644)
    changed = digest("3")
    (skill.folder / "scripts/run.sh").rename(skill.folder / "scripts/go.sh")
    assert len({first, changed, digest("4")}) == 3


def test_the_digest_of_a_suite_covers_just_what_the_copy_holds(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            **dict.fromkeys(("graders/check.sh", "references/own.txt", "references/evals/x.yaml", "lib/a.py"), ""),
            "SKILL.md": "---\nname: demo\n---\n",
            "eval.yaml": "tasks:\n- name: a\n  instruction: do it\n  workspace: [alias/own.txt, SKILL.md]\n"
            "  graders: [{type: deterministic, run: bash graders/check.sh}]\n",
        },
    )
    make(tmp_path / "results/20260101-000000-0000/journal.jsonl")
    for name, target in {"fine": "lib", "key": "graders", "out": "/etc/passwd", "alias": "references"}.items():
        (tmp_path / name).symlink_to(target)
    results = [tmp_path / "results/20260101-000000-0000"]
    suite = load_suite(tmp_path, results=results)
    snapshot, _ = snapshot_skill(suite.skills[0], tmp_path / "results/copy", suite.own_files)
    copied = {name for name in tree(snapshot.folder) if not (snapshot.folder / name).is_dir()}
    copied |= {name for name in tree(snapshot.folder) if (snapshot.folder / name).is_symlink()}
    assert copied == {"SKILL.md", "lib/a.py", "fine", "alias"}
    assert {name.removeprefix("skill demo: ") for name in suite.contents if name.startswith("skill demo: ")} == copied


def test_a_copy_below_the_skill_does_not_copy_itself(skill: Skill) -> None:
    target = skill.folder / "out/run/demo"
    target.parent.mkdir(parents=True)
    snapshot, _ = snapshot_skill(skill, target, frozenset())
    assert tree(snapshot.folder) == {*_OWN, "out", "out/run"}


def test_errors_are_sentences(skill: Skill, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(StorageError, match="taken: the skill cannot be copied: File exists"):
        snapshot_skill(skill, tmp_path / "taken", frozenset())
    with pytest.raises(ProviderError, match="nowhere: the skill cannot be read: No such file"):
        snapshot_skill(Skill("x", "", tmp_path / "nowhere"), tmp_path / "copy", frozenset())

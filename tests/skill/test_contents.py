import os
from pathlib import Path

from skillgrade.skill.contents import SkillContents, skill_contents
from tests.support.suites import write


def found(contents: SkillContents, kind: str) -> list[str]:
    return [str(entry.path) for entry in contents.entries if entry.kind == kind]


def test_an_agent_gets_the_skill_and_nothing_of_its_evals(tmp_path: Path) -> None:
    kept = ["SKILL.md", "node_modules/evals/index.js", "scripts/b.py", "scripts/graders/a.py"]
    dropped = (
        *("eval.yaml", "evals.json", "cases.yaml", "evals/a.yaml", "graders/c.sh", "rubrics/q.md", "solutions/s.sh"),
        *("datasets/d.csv", "judge-recordings/r.json", ".skillgrade/runs/x", ".review/a.json", ".git/HEAD"),
        *("references/evals.json", "a/Evals/x", ".DS_Store", "node_modules/.git/HEAD", "scripts/__pycache__/b.pyc"),
        *("gate.yaml", "governance/eval.json", ".env", ".env.local", "scripts/.env", "checks/c.sh", "scripts/own.py"),
    )
    write(tmp_path, dict.fromkeys((*kept, *dropped), ""))
    contents = skill_contents(tmp_path, {tmp_path / "checks", tmp_path / "scripts/own.py"})
    assert found(contents, "file") == kept
    assert found(contents, "folder") == [
        "a",
        "governance",
        "node_modules",
        "node_modules/evals",
        "references",
        "scripts",
        "scripts/graders",
    ]
    assert contents.left_out == ()


def test_own_files_are_found_through_links_and_skill_md_always_stays(tmp_path: Path) -> None:
    write(tmp_path, {"skill/SKILL.md": "", "skill/data/answer.txt": "", "skill/data/open.txt": ""})
    (tmp_path / "alias").symlink_to("skill")
    own = {tmp_path / "alias/data/answer.txt", tmp_path / "alias/SKILL.md", tmp_path / "alias"}
    assert found(skill_contents(tmp_path / "alias", own), "file") == ["SKILL.md", "data/open.txt"]


def test_links_lead_to_what_the_agent_gets_or_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"skill/SKILL.md": "", "skill/graders/a.sh": "", "skill/lib/a.py": "", "outside": ""})
    root = tmp_path / "skill"
    links = {"absolute": str(root / "lib/a.py"), "folder": "lib", "broken": "no", "out": "../outside", "key": "graders"}
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    contents = skill_contents(root, ())
    kept = {str(entry.path): entry.target for entry in contents.entries if entry.kind == "link"}
    assert kept == {"absolute": "lib/a.py", "folder": "lib", "broken": "no"}
    assert sorted(contents.left_out) == [
        f"{root}/key: left out of the skill, the link leads out of what the agent may see",
        f"{root}/out: left out of the skill, the link leads out of what the agent may see",
        f"{root}/pipe: left out of the skill, it is a fifo",
    ]

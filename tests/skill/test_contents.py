from pathlib import Path

from skillgrade.skill.contents import skill_files
from tests.support.suites import write


def test_an_agent_gets_the_skill_and_nothing_of_its_evals(tmp_path: Path) -> None:
    kept = [
        "SKILL.md",
        "link",
        "node_modules/x/index.js",
        "references/evals.json",
        "scripts/graders/a.py",
        "scripts/b.py",
    ]
    write(tmp_path, {name: "" for name in kept if name != "link"})
    (tmp_path / "link").symlink_to("scripts")
    dropped = (
        *("eval.yaml", "evals.json", "cases.yaml", "evals/a.yaml", "graders/c.sh", "rubrics/q.md", "solutions/s.sh"),
        *("datasets/d.csv", "judge-recordings/r.json", ".skillgrade/runs/x", ".review/a.json", ".git/HEAD"),
        *(".env", ".env.local", "scripts/.env", "scripts/__pycache__/b.pyc", "checks/c.sh", "scripts/own.py"),
    )
    write(tmp_path, dict.fromkeys(dropped, ""))
    own = {tmp_path / "checks", tmp_path / "scripts/own.py"}
    assert sorted(path.relative_to(tmp_path).as_posix() for path in skill_files(tmp_path, own)) == sorted(kept)

from pathlib import Path

from skillgrade.skill.contents import skill_files
from tests.support.suites import write


def test_an_agent_gets_the_skill_and_nothing_of_its_evals(tmp_path: Path) -> None:
    kept = ["SKILL.md", "node_modules/evals/index.js", "scripts/b.py", "scripts/graders/a.py"]
    dropped = (
        *("eval.yaml", "evals.json", "cases.yaml", "evals/a.yaml", "graders/c.sh", "rubrics/q.md", "solutions/s.sh"),
        *("datasets/d.csv", "judge-recordings/r.json", ".skillgrade/runs/x", ".review/a.json", ".git/HEAD"),
        *("references/evals.json", "a/Evals/x", ".DS_Store", "node_modules/.git/HEAD", "scripts/__pycache__/b.pyc"),
        *(".env", ".env.local", "scripts/.env", "checks/c.sh", "scripts/own.py"),
    )
    write(tmp_path, dict.fromkeys((*kept, *dropped), ""))
    (tmp_path / "link").symlink_to("scripts")
    own = {tmp_path / "checks", tmp_path / "scripts/own.py"}
    found = [path.relative_to(tmp_path).as_posix() for path in skill_files(tmp_path, own)]
    assert sorted(found) == sorted(["link", *kept])
    assert found == [path.relative_to(tmp_path).as_posix() for path in skill_files(tmp_path, own)]

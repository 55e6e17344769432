import json
import subprocess
from pathlib import Path

import pytest
import yaml

from skillgrade.skill.discover import discover_skills
from skillgrade.skill.model import Skill
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import AgentSpec, DeterministicSpec
from skillgrade.suite.schema import eval_schema
from skillgrade.suite.starter import starter_files
from tests.support.suites import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, {"SKILL.md": "---\nname: Über Lint\ndescription: |\n  Lints.\n  Use: it's good.\n---\n# x\n"})
    return write(tmp_path, starter_files(discover_skills(tmp_path, None)[0]))


def test_the_starter_loads_without_a_warning(root: Path) -> None:
    suite = load_suite(root)
    (task,) = suite.tasks
    assert task.name == "ber-lint-first-task"
    assert task.agent == AgentSpec("command")
    assert task.solution == root / "solutions/solve.sh"
    assert suite.warnings == ()
    assert suite.own_files == {
        root / name for name in ("eval.yaml", "graders", "solutions", "solutions/solve.sh", "fixtures/names.txt")
    }


def test_the_first_line_gives_editors_the_schema(root: Path) -> None:
    first, *rest = (root / "eval.yaml").read_text().splitlines()
    assert first == "# yaml-language-server: $schema=.skillgrade/eval.schema.json"
    assert json.loads((root / ".skillgrade/eval.schema.json").read_text()) == eval_schema()
    assert "#   Lints. Use: it's good." in rest
    assert (root / ".skillgrade/.gitignore").read_text() == "*\n"


def test_its_grader_accepts_the_solution_and_nothing_less(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (task,) = load_suite(root).tasks
    workspace = tmp_path_factory.mktemp("workspace")
    (workspace / task.workspace[0].dest).write_bytes(task.workspace[0].src.read_bytes())
    grader = task.graders[0]
    assert isinstance(grader, DeterministicSpec)
    assert grader.run == "bash graders/check.sh"

    def grade() -> tuple[float, list[tuple[bool, str]]]:
        command = ["bash", str(root / "graders/check.sh")]
        done = subprocess.run(command, cwd=workspace, capture_output=True, text=True, check=True)
        answer = json.loads(done.stdout)
        return answer["score"], [(check["passed"], check["message"]) for check in answer["checks"]]

    assert grade() == (0.0, [(False, "there is no file sorted.txt")] * 3)
    (workspace / "sorted.txt").write_text("")
    assert grade() == (0.0, [(False, "sorted.txt is empty")] * 3)
    (workspace / "sorted.txt").write_text("Ada\nAda\nBo\nIda\nOle\n")
    in_order = (True, "sorted.txt is in alphabetical order")
    complete = (True, "names of names.txt that sorted.txt lacks: 0; names of its own: 0")
    assert grade() == (0.67, [in_order, complete, (False, "names that stand in sorted.txt more than once: 1")])
    (workspace / "sorted.txt").write_text('Bo\nAda\n"\\\nIda\n')
    assert grade() == (
        0.33,
        [
            (False, "line 2 of sorted.txt belongs above the one before it"),
            (False, "names of names.txt that sorted.txt lacks: 1; names of its own: 1"),
            (True, "names that stand in sorted.txt more than once: 0"),
        ],
    )
    subprocess.run(["bash", str(root / "solutions/solve.sh")], cwd=workspace, check=True)
    assert grade() == (1.0, [in_order, complete, (True, "names that stand in sorted.txt more than once: 0")])


@pytest.mark.parametrize("text", ["{{ 7 * 7 }}", "a\nb: c", "# x\u2028y: 1", "%}{#", "\x1b[31m", "x" * 5000])
def test_whatever_the_skill_says_stays_in_a_comment(text: str) -> None:
    document = starter_files(Skill(text, text, Path("/nowhere")))["eval.yaml"]
    assert set(yaml.safe_load(document)) == {"version", "defaults", "tasks"}
    assert "\x1b" not in document
    assert "49" not in document

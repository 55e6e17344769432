import os
from pathlib import Path

import pytest

from skillgrade.suite.eval_files import EvalFiles
from skillgrade.suite.load import load_suite
from skillgrade.suite.neighbours import neighbour_suites
from tests.support.suites import GRADERS, write

SUITE = f"tasks:\n- {{name: a, instruction: do it, expected: 42, {GRADERS}}}\n"


def found(root: Path, name: str, content: str | bytes) -> bool:
    write(root, {name: content})
    return list(neighbour_suites(root, EvalFiles(root, allow_outside=False))) == [root / name]


@pytest.mark.parametrize(
    "name", ["evals.yaml", "eval.ci.yml", "eval.yaml.bak", "eval.yaml~", "more.YAML", "a.yml.orig"]
)
def test_names_that_a_suite_may_have(tmp_path: Path, name: str) -> None:
    assert found(tmp_path, name, SUITE)


@pytest.mark.parametrize("name", ["notes.md", "tasks.json", "x.yamlish"])
def test_other_names_are_not_looked_at(tmp_path: Path, name: str) -> None:
    assert not found(tmp_path, name, SUITE)


@pytest.mark.parametrize(
    ("text", "is_suite"),
    [
        ("version: '1'\n\ntasks:  # all\n\n# one\n  - name: a\n", True),
        ("tasks:\r\n- name: a\r\n", True),
        ('"tasks": [{name: a}]\n', True),
        ('{"tasks": [{"name": "a"}]}\n', True),
        ("tasks: [broken", True),
        ("tasks:\n  $import: more\n", True),
        ("tasks: {$import: more}\n", True),
        ("x: \xff\ntasks:\n- a\n", True),
        ("version: '3'\ntasks:\n  build:\n    cmds: [make]\n", False),
        ("- hosts: all\n  tasks:\n    - name: x\n", False),
        ("subtasks:\n- a\n", False),
        ("tasks:\n", False),
        ("", False),
    ],
)
def test_a_suite_has_a_list_of_tasks_at_its_top(tmp_path: Path, text: str, is_suite: bool) -> None:
    assert found(tmp_path, "other.yaml", text.encode("latin-1")) is is_suite


def test_pipes_folders_and_links_out_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path, {"secret": SUITE, "eval/folder.yaml/x": ""})
    os.mkfifo(tmp_path / "eval/pipe.yaml")
    (tmp_path / "eval/link.yaml").symlink_to("../secret")
    assert list(neighbour_suites(tmp_path / "eval", EvalFiles(tmp_path / "eval", allow_outside=False))) == []


def test_suites_beside_the_suite_are_not_of_the_skill(tmp_path: Path) -> None:
    text = SUITE.replace("expected: 42", "solution: answers/a.sh")
    skill = {"SKILL.md": "# S", "config.yaml": "a: 1", "sub/evals.yaml": SUITE, "answers/b.sh": "", "answers/a.sh": ""}
    suite = load_suite(write(tmp_path, {**skill, "eval.yaml": text, "more.yaml": SUITE}))
    assert suite.own_files == {tmp_path / name for name in ("eval.yaml", "more.yaml", "answers", "answers/a.sh")}
    assert sorted(name for name in suite.contents if name.startswith("skill ")) == [
        "skill s: SKILL.md",
        "skill s: config.yaml",
        "skill s: sub/evals.yaml",
    ]


@pytest.mark.parametrize("solution", ["solve.sh", "scripts/solve.sh", "references/solve.sh"])
def test_of_the_skills_own_folders_only_the_solution_is_left_out(tmp_path: Path, solution: str) -> None:
    text = SUITE.replace("expected: 42", f"solution: {solution}")
    suite = load_suite(write(tmp_path, {"SKILL.md": "# S", solution: "", "scripts/tool.py": "", "eval.yaml": text}))
    assert suite.own_files == {tmp_path / "eval.yaml", tmp_path / solution}

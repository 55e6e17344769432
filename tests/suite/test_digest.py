import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from skillgrade.suite.load import load_suite
from tests.support.suites import write

TEXT = """
defaults: {trials: 3, pass_threshold: 0.5}
tasks:
- name: a
  instruction: ask.md
  workspace: [fixtures/app]
  solution: solve.sh
  expected: {a: 1}
  graders:
  - {type: deterministic, run: bash graders/check.sh}
  - {type: llm_rubric, rubric: q.md}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = ("ask.md", "fixtures/app/x.js", "solve.sh", "graders/check.sh", "graders/lib.sh", "q.md", "scripts/tool.py")
    write(tmp_path / "s", {"eval.yaml": TEXT, "SKILL.md": "# S", **{name: f"content of {name}" for name in files}})
    (tmp_path / "s/fixtures/app/link").symlink_to("x.js")
    return tmp_path / "s"


def digest(root: Path) -> str:
    return load_suite(root).digest


def test_it_is_the_same_wherever_the_suite_lies_and_however_it_is_written(root: Path, tmp_path: Path) -> None:
    first = digest(root)
    assert first.startswith("sha256:")
    assert len(first) == 71
    shutil.copytree(root, tmp_path / "elsewhere/s", symlinks=True)
    other = tmp_path / "elsewhere/s"
    assert digest(other) == first
    text = TEXT.replace("trials: 3", "trials: 30, threshold: 1, retries: 4")
    write(other, {"eval.yaml": f"# a comment\n\n{text}", ".skillgrade/runs/x": "", "__pycache__/x.pyc": ""})
    (other / "solve.sh").chmod(0o600)
    assert digest(other) == first


@pytest.mark.parametrize(
    "change",
    [
        lambda root: write(root, {"graders/lib.sh": "other"}),
        lambda root: write(root, {"graders/new.sh": ""}),
        lambda root: write(root, {"fixtures/app/x.js": "other"}),
        lambda root: write(root, {"solve.sh": "other"}),
        lambda root: write(root, {"ask.md": "other"}),
        lambda root: write(root, {"q.md": "other"}),
        lambda root: write(root, {"SKILL.md": "# S\nmore"}),
        lambda root: write(root, {"scripts/tool.py": "other"}),
        lambda root: (root / "fixtures/app/x.js").chmod(0o755),
        lambda root: ((root / "fixtures/app/link").unlink(), (root / "fixtures/app/link").symlink_to("../app/x.js")),
        lambda root: write(root, {"eval.yaml": TEXT.replace("a: 1", "a: 2")}),
        lambda root: write(root, {"eval.yaml": TEXT.replace("pass_threshold: 0.5", "pass_threshold: 0.6")}),
    ],
)
def test_whatever_a_trial_depends_on_changes_it(root: Path, change: Callable[[Path], object]) -> None:
    before = digest(root)
    change(root)
    assert digest(root) != before


def test_nothing_else_does(root: Path) -> None:
    before = digest(root)
    write(root, {"evals.json": "{}", "rubrics/unused.md": "", ".env": "KEY=x"})
    assert digest(root) == before

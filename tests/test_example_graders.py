"""The grader scripts in graders/ answer as docs/graders.md says, on good, bad and empty workspaces."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.typescript import typescript_runner

REPOSITORY = Path(__file__).parent.parent
GRADERS = REPOSITORY / "graders"
EXAMPLE = REPOSITORY / "examples" / "changelog-entry"

EXPECTED: dict[str, object] = {
    "check.sh": None,
    "check.py": {
        "Changed": ["**Breaking:** Read the settings from settings.toml only."],
        "Fixed": ["Close the log file on exit."],
    },
    "check.mjs": {"version": "1.5.0"},
    "check.ts": {"Added": 2, "Fixed": 1},
}
SOLUTIONS = {
    "check.sh": "sort-changes.sh",
    "check.py": "breaking-change.sh",
    "check.mjs": "next-version.sh",
    "check.ts": "count-sections.sh",
}
SCRIPTS = sorted(path.name for path in GRADERS.iterdir())


def command(script: str) -> list[str]:
    """The command that runs a grader, by its suffix; skips the test where its interpreter is missing."""
    if script.endswith(".ts"):
        return [*typescript_runner(), str(GRADERS / script)]
    program = {".sh": "bash", ".py": "python3", ".mjs": "node"}[Path(script).suffix]
    if shutil.which(program) is None:
        pytest.skip(f"no {program} on this machine")
    return [program, str(GRADERS / script)]


def grade(script: str, workspace: Path) -> dict[str, object]:
    """Run a grader in a workspace and return what it printed, the only thing on its stdout."""
    context = {"task": "t", "trial": 0, "turn": 0, "expected": EXPECTED[script], "metadata": {}, "transcript": None}
    run = subprocess.run(
        command(script),
        cwd=workspace,
        env={**os.environ, "SKILLGRADE_INPUT": json.dumps(context)},
        capture_output=True,
        text=True,
    )
    answer = json.loads(run.stdout)
    assert isinstance(answer, dict)
    assert isinstance(answer["details"], str)
    for check in answer["checks"]:
        assert set(check) == {"name", "passed", "message"}
        assert isinstance(check["passed"], bool)
    return answer


def failed(answer: dict[str, object]) -> list[str]:
    checks = answer["checks"]
    assert isinstance(checks, list)
    return [check["name"] for check in checks if not check["passed"]]


def messages(answer: dict[str, object]) -> dict[str, str]:
    checks = answer["checks"]
    assert isinstance(checks, list)
    return {check["name"]: check["message"] for check in checks}


def test_every_script_is_covered() -> None:
    assert sorted(EXPECTED) == SCRIPTS == sorted(SOLUTIONS)


@pytest.mark.parametrize("script", SCRIPTS)
def test_scores_its_solution_one(script: str, tmp_path: Path) -> None:
    subprocess.run(["bash", EXAMPLE / "solutions" / SOLUTIONS[script]], cwd=tmp_path, check=True)
    answer = grade(script, tmp_path)
    assert answer["score"] == 1
    assert failed(answer) == []


@pytest.mark.parametrize("script", SCRIPTS)
def test_scores_an_empty_workspace_zero(script: str, tmp_path: Path) -> None:
    assert grade(script, tmp_path)["score"] == 0


@pytest.mark.parametrize("script", SCRIPTS)
def test_scores_untouched_work_zero(script: str, tmp_path: Path) -> None:
    for fixture in (EXAMPLE / "fixtures").iterdir():
        shutil.copy(fixture, tmp_path)
    assert grade(script, tmp_path)["score"] == 0


def test_bash_names_the_entry_that_is_missing(tmp_path: Path) -> None:
    subprocess.run(["bash", EXAMPLE / "solutions" / "sort-changes.sh"], cwd=tmp_path, check=True)
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("- Dark theme.\n", "- Update the build image.\n"))
    answer = grade("check.sh", tmp_path)
    assert answer["score"] == 0.6
    assert failed(answer) == ["dark-theme", "users-only"]
    assert messages(answer)["dark-theme"] == "Added has 2 entries, none of them is: Dark theme."
    assert messages(answer)["users-only"].endswith("is a chore or docs, which should be left out")


def test_python_names_the_entry_that_stands_elsewhere(tmp_path: Path) -> None:
    subprocess.run(["bash", EXAMPLE / "solutions" / "breaking-change.sh"], cwd=tmp_path, check=True)
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("### Changed", "### Added"))
    answer = grade("check.py", tmp_path)
    assert answer["score"] == 0.33
    assert failed(answer) == ["Changed-1", "nothing-else"]


@pytest.mark.parametrize(
    ("content", "details"),
    [
        ('{"version": "1.4.3"}', 'expected 1.5.0, got "1.4.3"'),
        ('{"version": 1.5}', "expected 1.5.0, got 1.5"),
        ("{}", "expected 1.5.0, got no version"),
        ("null", "expected 1.5.0, got no version"),
        ("1.5.0", "answer.json is not JSON"),
    ],
)
def test_node_says_what_it_got(content: str, details: str, tmp_path: Path) -> None:
    (tmp_path / "answer.json").write_text(content)
    answer = grade("check.mjs", tmp_path)
    assert (answer["score"], answer["details"]) == (0, details)


def test_typescript_gives_part_of_the_score(tmp_path: Path) -> None:
    (tmp_path / "counts.json").write_text('{"Added": 2, "Removed": 1}')
    answer = grade("check.ts", tmp_path)
    assert answer["score"] == 0.33
    assert failed(answer) == ["Fixed", "nothing-else"]

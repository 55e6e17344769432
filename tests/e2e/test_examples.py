"""The examples that come with the project run as they are."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.shell import Shell

PROJECT = Path(__file__).parents[2]
PROVIDERS = [
    pytest.param("docker", marks=pytest.mark.docker),
    pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
    "local",
]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A copy of the project's examples, so that their results do not land in the project."""
    for name in ("examples", "graders", "rubrics", "eval.yaml.example"):
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns(".skillgrade", "node_modules"))
        else:
            shutil.copy(source, tmp_path / name)
    return Shell(tmp_path)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_example_runs_and_shows_a_pass_and_a_failure(shell: Shell, provider: str) -> None:
    done = shell.run(
        "-f", "eval.yaml.example", "--grader=deterministic", f"--provider={provider}", "--trials=1",
        "--not-filter=needs=npm", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    rewards = {task["task"]: task["mean_reward"] for task in json.loads(done.out)["tasks"]}
    assert rewards["sort-changes"] == 1.0
    assert rewards["next-version"] == 1.0
    assert rewards["breaking-change"] == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_example_s_graders_are_proven(shell: Shell, provider: str) -> None:
    done = shell.run(
        "-f", "eval.yaml.example", "--validate", "--ci", f"--provider={provider}", "--not-filter=needs=npm"
    )  # fmt: skip
    assert done.code == 0, done.out + done.err


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_file_for_npm_0_3_runs_unchanged(shell: Shell, provider: str) -> None:
    done = shell.run(
        "-f",
        "examples/from-npm-0.3",
        "--grader=deterministic",
        f"--provider={provider}",
        "--trials=1",
        "--ci",
        "--json",
    )
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["totals"]["passed"] == len(report["tasks"]) >= 2

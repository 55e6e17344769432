"""The examples that come with the project run as they are."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    for name in ("examples", "graders", "rubrics", "judge-recordings", "eval.yaml.example"):
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


JUDGED = ("-f", "eval.yaml.example", "--grader=deterministic,llm_rubric", "--not-filter=needs=node", "--trials=1")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_example_s_recorded_verdicts_are_replayed_without_a_key(shell: Shell, provider: str) -> None:
    done = shell.run(*JUDGED, f"--provider={provider}", "--verdicts=replay", "--json")
    assert done.code == 0, done.err
    tasks = {task["task"]: task["trials"][0]["grader_results"] for task in json.loads(done.out)["tasks"]}
    assert {name: results[1]["score"] for name, results in tasks.items()} == {
        "sort-changes": 1.0,
        "breaking-change": 0.33,
    }
    assert {results[1]["judgement"]["source"] for results in tasks.values()} == {"replay"}


def test_the_example_s_recording_is_what_its_producer_says_today(shell: Shell) -> None:
    recording = shell.root / "judge-recordings" / "eval.json"
    committed = recording.read_bytes()
    with stand_in_judge() as address:
        done = shell.run(
            *JUDGED,
            "--provider=local",
            "--verdicts=record",
            env={"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_MODEL": "stand-in"},
        )
    assert done.code == 0, done.err
    assert recording.read_bytes() == committed
    assert b"examples/stand_in_judge.py" in committed


@contextmanager
def stand_in_judge() -> Iterator[str]:
    """The judge that comes with the examples, at its address."""
    script = PROJECT / "examples" / "stand_in_judge.py"
    with subprocess.Popen([sys.executable, script, "0"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_talk_of_two_turns_works_with_its_skill_and_not_without(shell: Shell, provider: str) -> None:
    talk = ("-f", "examples/packing-list", f"--provider={provider}", "--trials=1", "--json")
    with_skill, without = (json.loads(shell.run(*talk, *more).out)["tasks"][0] for more in ((), ("--no-skill",)))
    assert with_skill["mean_reward"] == 1.0
    assert [result["turn"] for result in with_skill["trials"][0]["grader_results"]] == [0, 1]
    assert [result["score"] for result in without["trials"][0]["grader_results"]] == [0.0, 0.5]


def test_the_talk_s_graders_are_proven_turn_by_turn(shell: Shell) -> None:
    done = shell.run("-f", "examples/packing-list", "--validate", "--ci", "--provider=local")
    assert done.code == 0, done.out + done.err


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_row_of_a_table_is_a_task(shell: Shell, provider: str) -> None:
    done = shell.run("-f", "examples/unit-converter", f"--provider={provider}", "--json")
    assert done.code == 0, done.err
    rewards = {task["task"]: task["mean_reward"] for task in json.loads(done.out)["tasks"]}
    assert rewards == {f"convert-{number}": float(number <= 4) for number in range(1, 7)}


def test_the_rows_graders_are_proven_with_a_solution_each(shell: Shell) -> None:
    done = shell.run("-f", "examples/unit-converter", "--validate", "--ci", "--provider=local")
    assert done.code == 0, done.out + done.err
    listed = shell.run("-f", "examples/unit-converter", "--list", "--eval=convert", "--filter=tier=backwards")
    assert [line.split()[0] for line in listed.out.splitlines()[:-1]] == ["convert-5", "convert-6"]

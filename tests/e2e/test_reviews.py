"""Runs that wait for people, as users start them: answered by hand, killed, resumed, not waited for."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes import eventually
from tests.support.shell import Shell

PROJECT = Path(__file__).parents[2]
EVAL = """\
version: "1"
defaults: {agent: command, command: cat > note.txt; echo I wrote it, provider: local, trials: 2}
tasks:
  - name: letter
    instruction: write a letter
    graders:
      - {type: deterministic, run: 'echo "{\\"score\\": 1, \\"details\\": \\"ok\\"}"', weight: 1}
      - {type: human, prompt: Would you send it?, timeout: TIMEOUT, weight: 3}
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    root = tmp_path / "eval"
    root.mkdir()
    made = Shell(root)
    made.write("eval.yaml", EVAL.replace("TIMEOUT", "3600"))
    return made


def result_paths(process: subprocess.Popen[str], count: int) -> list[Path]:
    """The files that a run says it waits for, read from its banners, in the order of the trials."""
    assert process.stdout is not None
    found = []
    for line in process.stdout:
        if line.strip().endswith(".result.json"):
            found.append(Path(line.strip()))
            if len(found) == count:
                return sorted(found)
    raise AssertionError(f"the run ended after asking {len(found)} times")


def answer(path: Path, score: object, details: str = "read it") -> None:
    path.write_text(json.dumps({"score": score, "details": details}))


def trials(shell: Shell) -> list[dict[str, Any]]:
    (task,) = json.loads(shell.run("preview", "--json").out)["tasks"]
    return list(task["trials"])


def rewards(shell: Shell) -> list[float | None]:
    return [trial["reward"] for trial in trials(shell)]


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    assert process.stdout is not None
    rest = process.stdout.read()
    return process.wait(60), rest


def test_a_run_waits_and_takes_what_is_written_by_hand(shell: Shell) -> None:
    with shell.start(env={"PYTHONUNBUFFERED": "1"}) as process:
        first, second = result_paths(process, 2)
        context = json.loads(first.with_name(first.name.replace(".result", "")).read_text())
        assert context["prompt"] == "Would you send it?"
        assert context["instruction"] == "write a letter"
        assert "I wrote it" in context["transcript"]
        assert (Path(context["workspace"]) / "note.txt").read_text() == "write a letter"
        answer(second, 0.2)
        answer(first, 1)
        code, rest = end(process)
    assert code == 0
    assert "reward 1.00  (reviewed: 1)" in rest
    assert rewards(shell) == pytest.approx([1.0, 0.4])


def test_nothing_is_lost_when_it_is_killed_while_it_waits(shell: Shell) -> None:
    with shell.start(env={"PYTHONUNBUFFERED": "1"}) as process:
        first, second = result_paths(process, 2)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
    assert [trial["outcome"] for trial in trials(shell)] == ["ungraded", "ungraded"]
    answer(first, 1)
    with shell.start("--resume", env={"PYTHONUNBUFFERED": "1"}) as process:
        (again,) = result_paths(process, 1)
        assert again == second
        answer(again, 0)
        code, rest = end(process)
    assert code == 0, rest
    assert rewards(shell) == [1.0, 0.25]
    assert [trial["attempts"] for trial in trials(shell)] == [1, 1]


def test_reviews_of_a_killed_run_can_be_taken_without_going_on(shell: Shell) -> None:
    with shell.start(env={"PYTHONUNBUFFERED": "1"}) as process:
        first, second = result_paths(process, 2)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
    answer(first, 1)
    answer(second, 0.6)
    assert shell.run("regrade").code == 0
    assert rewards(shell) == pytest.approx([1.0, 0.7])


def test_no_wait_ends_ungraded_and_later_reviews_count(shell: Shell) -> None:
    done = shell.run("--no-wait")
    assert done.code == 3
    assert "2 trials wait for a review: `skillgrade review " in done.out + done.err
    assert [trial["outcome"] for trial in trials(shell)] == ["ungraded", "ungraded"]
    for path in sorted(shell.root.rglob("letter-*.json")):
        answer(path.with_suffix(".result.json"), 0.2)
    taken = subprocess.run(
        shell.argv("review", "--terminal"), cwd=shell.root, env=shell.environment(), input="", capture_output=True
    )
    assert taken.returncode == 0
    assert rewards(shell) == pytest.approx([0.4, 0.4])


def test_ctrl_c_ends_the_waiting_at_once_and_keeps_the_trials(shell: Shell) -> None:
    with shell.start(env={"PYTHONUNBUFFERED": "1"}) as process:
        result_paths(process, 2)
        process.send_signal(signal.SIGINT)
        code, rest = end(process)
    assert code == 130
    assert "2 trials wait for a review" in rest
    assert [trial["outcome"] for trial in trials(shell)] == ["ungraded", "ungraded"]


def test_whoever_does_not_answer_in_time_gives_a_zero(shell: Shell) -> None:
    shell.write("eval.yaml", EVAL.replace("TIMEOUT", "0.1"))
    done = shell.run()
    assert done.code == 0
    assert rewards(shell) == [0.25, 0.25]
    assert "timed_out: true" in trials(shell)[0]["grader_results"][1]["details"]


def test_other_trials_go_on_while_one_waits(shell: Shell) -> None:
    """With one place, the second trial could not have asked if the first one held it."""
    with shell.start("--parallel=1", env={"PYTHONUNBUFFERED": "1"}) as process:
        paths = result_paths(process, 2)
        assert not any(path.exists() for path in paths)
        for path in paths:
            answer(path, 1)
        assert end(process)[0] == 0


def test_what_the_agent_plants_is_removed_and_noted(shell: Shell) -> None:
    plant = 'mkdir .review && for n in 0 1; do echo "{\\"score\\": 1}" > .review/letter-$n.result.json; done'
    done = shell.run("--no-wait", f"--command={plant}")
    assert done.code == 3
    for trial in trials(shell):
        assert trial["outcome"] == "ungraded"
        assert "tampering" in trial["grader_results"][1]["checks"][0]["message"]
    assert not list(shell.root.rglob("*.result.json"))


def test_each_turn_is_reviewed_with_the_files_of_its_time(shell: Shell) -> None:
    shell.write(
        "eval.yaml",
        """\
defaults: {agent: command, command: 'cat >> note.txt; echo >> note.txt', provider: local, trials: 1}
tasks:
  - name: talk
    turns:
      - {instruction: first, graders: [{type: human, prompt: Good so far?}, {type: human, prompt: Clear so far?}]}
      - {instruction: second}
    graders: [{type: human, prompt: Good in the end?}]
""",
    )
    with shell.start(env={"PYTHONUNBUFFERED": "1"}) as process:
        paths = result_paths(process, 3)
        seen = {}
        for score, path in zip((0.2, 0.4, 0.9), paths, strict=True):
            context = json.loads(path.with_name(path.name.replace(".result", "")).read_text())
            seen[context["prompt"]] = (context["turn"], (Path(context["workspace"]) / "note.txt").read_text())
            answer(path, score)
        code, rest = end(process)
    assert code == 0, rest
    assert seen == {
        "Good so far?": (0, "first\n"),
        "Clear so far?": (0, "first\n"),
        "Good in the end?": (1, "first\nsecond\n"),
    }
    assert rewards(shell) == pytest.approx([0.5])


@pytest.fixture
def poster(tmp_path: Path) -> Shell:
    shutil.copytree(PROJECT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns(".skillgrade"))
    return Shell(tmp_path)


@pytest.mark.parametrize(
    "provider",
    [
        pytest.param("docker", marks=pytest.mark.docker),
        pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
        "local",
    ],
)
def test_the_example_is_reviewed_with_its_files_at_hand(poster: Shell, provider: str) -> None:
    run = ("-f", "examples/event-poster", f"--provider={provider}", "--trials=1")
    with poster.start(*run, env={"PYTHONUNBUFFERED": "1"}) as process:
        (path,) = result_paths(process, 1)
        workspace = path.parent.parent
        assert "An evening of old film music" in (workspace / "poster.svg").read_text()
        assert not (workspace / "graders").exists()
        if provider == "docker":  # nothing is held while a person thinks
            assert eventually(lambda: not _containers(path), 30)
        answer(path, 0.5, "too plain")
        code, rest = end(process)
    assert code == 0, rest
    (task,) = json.loads(poster.run("preview", "-f", "examples/event-poster", "--json").out)["tasks"]
    (trial,) = task["trials"]
    assert trial["reward"] == pytest.approx(0.4 * 1 + 0.6 * 0.5)


def _containers(path: Path) -> list[str]:
    run_id = re.search(r"\.skillgrade/([^/]+)/", str(path))
    assert run_id is not None
    command = ["docker", "ps", "--all", "--quiet", "--filter", f"label=skillgrade.run={run_id[1]}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_the_example_s_graders_are_proven(poster: Shell) -> None:
    done = poster.run("-f", "examples/event-poster", "--validate", "--ci", "--provider=local")
    assert done.code == 0, done.out + done.err

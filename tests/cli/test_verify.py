"""`skillgrade regrade --verify`: a run adds up, and a forged one does not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_model_agent import FLAGS
from tests.support.model_server import Answer, Asked, ModelServer, Text
from tests.support.rule_judge import SCENARIO, SKILL, judge
from tests.support.shell import Shell


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a suite has run, once for all tests of this module."""

    def answer(asked: Asked) -> Answer:
        return judge(asked) if asked.provider == "openai" else Text("It weighs 3 kg.")

    shell = Shell(tmp_path_factory.mktemp("finished"))
    shell.write("SKILL.md", SKILL)
    checks = [{"grader": "contains", "value": "kg"}, *SCENARIO["expected_behavior"]]
    shell.write("evals.json", json.dumps({"scenarios": [{**SCENARIO, "expected_behavior": checks}]}))
    with ModelServer() as server:
        server.always(answer)
        env = {**server.variables("anthropic"), **server.variables("openai")}
        assert shell.run(*FLAGS, "--trials=2", "--parallel=1", env=env).code == 0
    return shell.root


@pytest.fixture
def place(shell: Shell, finished: Path) -> Shell:
    for path in shell.root.iterdir():
        path.unlink()
    shutil.copytree(finished, shell.root, dirs_exist_ok=True)
    return shell


def run_folder(shell: Shell) -> Path:
    (folder,) = (path for path in (shell.root / ".skillgrade").iterdir() if path.is_dir())
    return folder


def forge(shell: Shell, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the first trial in the journal, and make the report anew as if nothing had happened."""
    journal = run_folder(shell) / "journal.jsonl"
    lines = journal.read_text().splitlines()
    index = next(number for number, line in enumerate(lines) if json.loads(line).get("kind") == "trial")
    document = json.loads(lines[index])
    change(document)
    lines[index] = json.dumps(document)
    journal.write_text("\n".join(lines) + "\n")
    (run_folder(shell) / "report.json").unlink()


def test_an_honest_run_adds_up(place: Shell) -> None:
    done = place.run("regrade", "latest", "--verify")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("every number follows from the record: ")


def grader(number: int, **fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["grader_results"][number].update(fields)


def sample(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["grader_results"][1]["judgement"]["samples"][0].update(fields)


def criterion(document: dict[str, Any]) -> None:
    document["grader_results"][1]["judgement"]["samples"][0]["criteria"][0]["holds"] = False


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda document: document.update(reward=0.5), "weighs #0 reward is 0.5, and 1.0 follows"),
        (lambda document: document.update(outcome="failed"), "weighs #0 outcome is failed, and passed follows"),
        (grader(0, score=0.5), "weighs #0 assertions 0 score is 0.5, and 1.0 follows"),
        (grader(1, score=0.0), "weighs #0 judge 1 score is 0.0, and 1.0 follows"),
        (grader(1, weight=0.0), ""),
        (sample(score=0.0), "weighs #0 judge 1 sample 0 score is 0.0, and 1.0 follows"),
        (criterion, "weighs #0 judge 1 sample 0 score is 1.0, and 0.0 follows"),
        (lambda document: document["grader_results"][0]["assertions"][0].update(status="failed"),
         "weighs #0 assertions 0 assertion 0 (contains) status is failed, and passed follows"),
        (lambda document: document.update(prompt_digest="x"), "weighs #0 prompt_digest is x, and sha256:"),
        (lambda document: document.update(output_digest="x"), "weighs #0 output_digest is x, and sha256:"),
    ],
)  # fmt: skip
def test_a_forged_number_is_named(place: Shell, change: Callable[[dict[str, Any]], None], said: str) -> None:
    forge(place, change)
    done = place.run("regrade", "latest", "--verify")
    if not said:
        assert done.code == 0
        return
    assert done.code == 1
    assert said in done.out


def test_a_forged_answer_is_named(place: Shell) -> None:
    (kept,) = [path for path in run_folder(place).rglob("evidence.json") if "/0/0/" in str(path)]
    kept.write_text(kept.read_text().replace("3 kg", "9 kilos"))
    done = place.run("regrade", "latest", "--verify")
    assert done.code == 1
    assert "weighs #0 output_digest is sha256:" in done.out
    assert "weighs #0 assertions 0 assertion 0 (contains) status is passed, and failed follows" in done.out


def test_a_forged_report_is_named(place: Shell) -> None:
    report = run_folder(place) / "report.json"
    document = json.loads(report.read_text())
    document["tasks"][0]["pass_rate"] = 0.9
    report.write_text(json.dumps(document))
    done = place.run("regrade", "latest", "--verify")
    assert done.code == 1
    assert "report.json: tasks[weighs].pass_rate is 0.9, and 1.0 follows from the record" in done.out


def test_without_the_suite_what_the_record_alone_shows_is_verified(place: Shell) -> None:
    (place.root / "evals.json").unlink()
    done = place.run("regrade", "latest", "--verify")
    assert done.code == 0
    assert "the suite is not what the run ran: assertions were not evaluated again" in done.out
    forge(place, grader(0, score=0.5))
    assert place.run("regrade", "latest", "--verify").code == 1


def test_other_flags_have_no_place_there(place: Shell) -> None:
    done = place.run("regrade", "latest", "--verify", "--judge=openai:mini")
    assert (done.code, "leave the other flags out" in done.err) == (2, True)

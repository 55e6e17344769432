"""`agent: model`: a skill's evals.json answered by a model and judged by another, as users run it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from skillgrade.agents.model_prompt import RUNNER_PROMPT_VERSION
from tests.support.model_server import Answer, Asked, ModelServer, Status, Text
from tests.support.rule_judge import SCENARIO, SKILL, judge
from tests.support.shell import Outcome, Shell

FLAGS = ("--agent=model", "--model=anthropic:haiku", "--judge=openai:mini", "--provider=local", "--retries=0")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    def answer(asked: Asked) -> Answer:
        return judge(asked) if asked.provider == "openai" else Text("It weighs 3 kg.", tokens=(100, 7))

    with ModelServer() as server:
        server.always(answer)
        yield server


@pytest.fixture
def place(shell: Shell) -> Shell:
    (shell.root / "eval.yaml").unlink()
    shell.write("SKILL.md", SKILL)
    checks = [{"grader": "contains", "value": "kg"}, *SCENARIO["expected_behavior"]]
    scenarios = [{**SCENARIO, "expected_behavior": checks, "strictness": "high"}]
    shell.write("evals.json", json.dumps({"scenarios": scenarios}))
    return shell


def run(shell: Shell, server: ModelServer, *arguments: str) -> Outcome:
    env = {**server.variables("anthropic"), **server.variables("openai")}
    return shell.run(*FLAGS, *arguments, env=env)


def test_scenarios_are_answered_with_the_skill_as_instructions(place: Shell, server: ModelServer) -> None:
    done = run(place, server, "--trials=2", "--json")
    assert done.code == 0, done.err
    report: Any = json.loads(done.out)
    (task,) = report["tasks"]
    assert (task["passed"], task["agent"], task["model"]) == (2, "model", "anthropic:haiku")
    assert task["agent_version"] == RUNNER_PROMPT_VERSION
    trial = task["trials"][0]
    assert trial["tokens"] == {"input": 100, "output": 7}
    assert [grader["grader_type"] for grader in trial["grader_results"]] == ["assertions", "judge"]
    asked = next(each for each in server.asked if each.provider == "anthropic")
    assert asked.system.startswith(SKILL.strip())
    assert asked.system.endswith("Give your answer as plain text.")
    assert (asked.user, asked.model) == ("How heavy is the parcel?", "haiku")


def test_without_the_skill_only_the_note_is_told(place: Shell, server: ModelServer) -> None:
    assert run(place, server, "--trials=1", "--no-skill").code == 0
    asked = next(each for each in server.asked if each.provider == "anthropic")
    assert asked.system.startswith("You answer one message, once. You have no tools")


def test_an_answer_that_does_not_come_is_an_error_and_no_failure(place: Shell, server: ModelServer) -> None:
    server.of_model["haiku"] = Status(401)
    done = run(place, server, "--trials=1", "--json")
    assert done.code == 3
    report: Any = json.loads(done.out)
    assert report["tasks"][0]["errored"] == 1
    assert "the model anthropic:haiku gave no answer" in report["tasks"][0]["trials"][0]["error"]["reason"]


def test_an_empty_answer_fails_without_a_judge(place: Shell, server: ModelServer) -> None:
    server.of_model["haiku"] = Text("", tokens=(1, 0))
    done = run(place, server, "--trials=1", "--json")
    report: Any = json.loads(done.out)
    assert report["tasks"][0]["failed"] == 1
    assert not [each for each in server.asked if each.provider == "openai"]


def test_what_it_cannot_do_is_refused(place: Shell, server: ModelServer) -> None:
    def error(*arguments: str) -> str:
        done = run(place, server, "--trials=1", *arguments)
        assert done.code == 2
        return done.err

    assert "name it as PROVIDER:MODEL, with one of gemini, anthropic, openai" in error("--model=haiku")
    assert "GEMINI_API_KEY is not set, which the model of provider gemini needs" in error("--model=gemini:flash")
    turns = "tasks: [{name: a, turns: [{instruction: b c}, {instruction: d e}], graders: [{type: human, prompt: x y}]}]"
    place.write("turns.yaml", turns)
    assert "a task of several turns needs another agent" in error("--file=turns.yaml")
    place.write("used.yaml", "tasks: [{name: a, instruction: b c, expect_skill: parcels}]")
    assert "nobody can see whether it chose to use it" in error("--file=used.yaml")

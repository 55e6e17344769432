"""A trial whose user a model plays: what is said, how it ends, and what becomes of a model that fails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest

from skillgrade.errors import Stage
from skillgrade.judges.base import Verdicts
from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.suite.model import AgentSpec, SimulatedUser
from tests.engine.conftest import Bench
from tests.support.model_server import Asked, ModelServer, Status
from tests.support.tasks import grader, make_task

COUNT = """printf '{"score": 1, "details": "%s"}' "$(($(wc -l < said.txt)))" """


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer() as made:
        for name, value in made.variables("openai").items():
            monkeypatch.setenv(name, value)
        yield made


def says(message: Callable[[Asked], str], *, done: bool = False) -> Callable[[Asked], str]:
    def answer(asked: Asked) -> str:
        (tag,) = set(re.findall(r'"tag" is "(answer-[0-9a-f]{16})"', asked.user))
        return json.dumps({"tag": tag, "message": message(asked), "done": done})

    return answer


def talk(bench: Bench, verdicts: Verdicts = Verdicts.LIVE, *, instruction: str = "", turns: int = 3) -> TrialRecord:
    task = make_task(
        graders=(grader(COUNT),),
        instruction=instruction,
        user=SimulatedUser("in a hurry", max_turns=turns, provider="openai", model="m"),
        agent=AgentSpec("command", command="cat >> said.txt; echo >> said.txt; echo heard"),
    )
    return bench.run_spec(bench.spec(task), verdicts)


def heard(bench: Bench, record: TrialRecord) -> list[str]:
    return [bench.text(record, name) for name in sorted(record.files) if re.fullmatch(r"agent(-\d)?\.stdout", name)]


def test_it_begins_and_speaks_as_often_as_it_may(bench: Bench, server: ModelServer) -> None:
    server.always(says(lambda asked: f"message {len(server.asked)}"))
    record = talk(bench)
    assert (record.outcome, record.grader_results[0].details) == (Outcome.PASSED, "3")
    assert len(server.asked) == 3
    assert "[turn 0, user]\nmessage 1\n\n[turn 0, agent]\nheard\n" in server.asked[1].user


def test_the_instruction_is_its_first_message(bench: Bench, server: ModelServer) -> None:
    server.always(says(lambda asked: "more"))
    record = talk(bench, instruction="Hello.", turns=2)
    assert record.grader_results[0].details == "2"
    assert "Hello." in server.asked[0].user


def test_it_ends_the_conversation_when_it_is_content(bench: Bench, server: ModelServer) -> None:
    server.always(says(lambda asked: "", done=True))
    record = talk(bench, instruction="Hello.")
    assert (record.outcome, record.grader_results[0].details) == (Outcome.PASSED, "1")
    assert heard(bench, record) == ["heard\n"]


def test_a_model_that_refuses_is_an_error_of_the_trial(bench: Bench, server: ModelServer) -> None:
    server.always(Status(403, "not you"))
    record = talk(bench, instruction="Hello.")
    assert record.outcome is Outcome.ERRORED
    assert record.error is not None
    assert record.error.stage is Stage.JUDGE
    assert "not you" in record.error.reason


def test_a_model_that_says_nothing_that_can_be_read_is_one_too(bench: Bench, server: ModelServer) -> None:
    server.always("Hi there!")
    record = talk(bench)
    assert record.error is not None
    assert record.error.reason.startswith("the simulated user said nothing that could be read")
    assert len(server.asked) == 2


def test_a_recorded_conversation_takes_place_again_without_a_model(bench: Bench, server: ModelServer) -> None:
    server.always(says(lambda asked: f"message {len(server.asked)}"))
    recorded = talk(bench, Verdicts.RECORD)
    assert talk(bench, Verdicts.REPLAY).grader_results[0].details == recorded.grader_results[0].details == "3"
    assert len(server.asked) == 3

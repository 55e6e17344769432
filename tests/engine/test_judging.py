from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from skillgrade.engine.judging import open_judging
from skillgrade.errors import ModelError, UsageError
from skillgrade.judges.base import Judge, JudgeSettings, Verdicts
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from tests.support.model_server import Listed, ModelServer, Status


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        made.models = [Listed("gpt-5-mini", 1.7e9), Listed("gpt-6-mini", 1.8e9)]
        yield made


def settings(
    root: Path, judges: set[Judge], variables: Mapping[str, str], verdicts: Verdicts = Verdicts.LIVE
) -> JudgeSettings:
    with open_judging(judges, verdicts, root / "my.yaml", variables, Redactor([]), "skillgrade", Stop()) as session:
        return session.settings


def test_a_judge_that_is_named_needs_no_look_up(tmp_path: Path, server: ModelServer) -> None:
    server.list_answer = Status(500)
    made = settings(tmp_path, {Judge("openai", "mini")}, server.variables("openai"))
    assert made == JudgeSettings(Verdicts.LIVE, tmp_path / "judge-recordings" / "my.json", {})


def test_the_variable_names_the_model_before_the_list_does(tmp_path: Path, server: ModelServer) -> None:
    variables = server.variables("openai")
    assert settings(tmp_path, {Judge("openai")}, variables).models == {"openai": "gpt-6-mini"}
    assert settings(tmp_path, {Judge("openai")}, {**variables, "OPENAI_MODEL": "mine"}).models == {"openai": "mine"}


def test_a_missing_key_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY is not set"):
        settings(tmp_path, {Judge("anthropic", "haiku")}, {})


def test_a_replay_needs_neither_key_nor_network(tmp_path: Path) -> None:
    assert settings(tmp_path, {Judge("anthropic")}, {}, Verdicts.REPLAY).models == {}


def test_a_list_that_cannot_be_had_is_an_error_of_the_provider(tmp_path: Path, server: ModelServer) -> None:
    server.list_answer = Status(401)
    with pytest.raises(ModelError):
        settings(tmp_path, {Judge("openai")}, server.variables("openai"))

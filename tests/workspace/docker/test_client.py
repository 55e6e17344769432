from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import requests
from docker.errors import APIError

from skillgrade.errors import ProviderError, Stage, WorkspaceError
from skillgrade.workspace.docker.client import connect, daemon_problem, translated


def test_a_dead_socket_is_one_sentence_with_its_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dead = f"unix://{tmp_path}/dead.sock"
    monkeypatch.setenv("DOCKER_HOST", dead)
    assert daemon_problem() == f"no Docker daemon answers at {dead}; start Docker and see that `docker info` answers"
    with pytest.raises(ProviderError) as error:
        connect()
    assert error.value.stage is Stage.IMAGE


def test_the_current_context_is_followed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dead = f"unix://{tmp_path}/other.sock"
    meta = tmp_path / "contexts/meta" / hashlib.sha256(b"other").hexdigest() / "meta.json"
    meta.parent.mkdir(parents=True)
    meta.write_text(json.dumps({"Name": "other", "Metadata": {}, "Endpoints": {"docker": {"Host": dead}}}))
    (tmp_path / "config.json").write_text(json.dumps({"currentContext": "other"}))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.delenv("DOCKER_CONTEXT", raising=False)
    problem = daemon_problem()
    assert problem is not None
    assert dead in problem


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        (APIError("500", explanation="no space left on device"), "docker: doing: no space left on device"),
        (requests.ReadTimeout("x"), "the Docker daemon gave no answer in time"),
        (requests.ConnectionError("gone"), "no Docker daemon answers at"),
        (BrokenPipeError("broken"), "docker: doing: broken"),
    ],
)
def test_errors_become_sentences(cause: Exception, expected: str) -> None:
    with pytest.raises(WorkspaceError) as error, translated("doing", WorkspaceError, Stage.COLLECT):
        raise cause
    assert expected in str(error.value)
    assert error.value.stage is Stage.COLLECT

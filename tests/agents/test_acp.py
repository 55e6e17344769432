"""The Agent Client Protocol, with a small agent that speaks it in every provider, and with real ones."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.agents import AGENTS
from skillgrade.agents.base import AgentTurn
from skillgrade.capture import OutputSink
from skillgrade.errors import AgentError
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, DockerSpec
from skillgrade.transcript.conversion import convert, events_in
from skillgrade.transcript.render import render
from skillgrade.workspace import PROVIDERS
from skillgrade.workspace.base import CommandResult, EnvironmentSpec, StagedFile, Workspace, WorkspaceSpec
from tests.support.agent_clis import need, search_path
from tests.support.agent_server import AgentServer, Shell
from tests.support.tasks import make_task

AGENT = AGENTS["acp"]
STAND_IN = Path(__file__).parent.parent / "support" / "acp_stand_in.py"


class Talk:
    """Turns with an agent in one workspace."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self.workspace = workspace
        self.folder = folder
        self.turns = 0
        self.errors = folder / "none"

    def take(
        self, text: str, command: str = "python3 agent.py", timeout: float = 60, env: dict[str, str] | None = None
    ) -> tuple[CommandResult, str]:
        """The next turn: how it ended, and what was done in it."""
        output = self.folder / f"{self.turns}.out"
        self.errors = output.with_suffix(".err")
        turn = AgentTurn(text, env or {}, timeout, OutputSink(output), OutputSink(self.errors), self.turns)
        self.turns += 1
        task = make_task(agent=AgentSpec("acp", acp_command=command, acp_env={"OF_THE_EVAL": "yes"}))
        result = AGENT.act(task, turn, self.workspace, Stop())
        summary = convert(result.stdout, "acp", output.with_suffix(".jsonl"))
        assert AGENT.failure(result, summary) is None or result.timed_out
        return result, render(events_in(output.with_suffix(".jsonl")))


@pytest.fixture(
    params=[
        "local",
        pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
        pytest.param("docker", marks=pytest.mark.docker),
    ]
)
def talk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Talk]:
    output = tmp_path / "output"
    output.mkdir()
    provider, run = PROVIDERS[request.param](), f"test-{uuid.uuid4().hex[:12]}"
    try:
        prepared = provider.prepare(EnvironmentSpec(DockerSpec(base="python:3.11-slim")), run, Stop())
        files = (StagedFile("agent.py", src=STAND_IN),)
        workspace = provider.open(WorkspaceSpec(run, "acp 0.0", prepared, files=files), Stop())
        yield Talk(workspace, output)
        workspace.close()
    finally:
        provider.end_run(run)


def test_it_is_allowed_what_it_asks_for_as_narrowly_as_it_can_be(talk: Talk) -> None:
    result, did = talk.take("ask")
    assert result.exit_code == 0
    assert talk.workspace.read("hello.txt", 100) == b"x-once"
    assert talk.workspace.read("mode.txt", 100) == b"yolo"
    assert "[tool] Edit (edit): ok" in did
    assert "you said: ask" in did


def test_a_later_turn_takes_up_the_session_and_tells_only_its_own_part(talk: Talk) -> None:
    talk.take("first")
    _, did = talk.take("second")
    assert "you said: second" in did
    assert "long ago" not in did
    assert "first" not in did


def test_what_goes_on_after_its_turn_is_ended(talk: Talk) -> None:
    result, did = talk.take("linger", timeout=50)
    assert (result.exit_code, result.timed_out) == (0, False)
    assert "you said: linger" in did
    talk.workspace.end_processes()


def test_a_deadline_ends_it(talk: Talk) -> None:
    result, did = talk.take("hang", timeout=3)
    assert result.timed_out
    assert did == ""


@pytest.fixture
def at_home(tmp_path: Path) -> Iterator[Talk]:
    """In the provider that every machine has."""
    output = tmp_path / "output"
    output.mkdir()
    provider, run = PROVIDERS["local"](), f"test-{uuid.uuid4().hex[:12]}"
    try:
        prepared = provider.prepare(EnvironmentSpec(DockerSpec()), run, Stop())
        files = (StagedFile("agent.py", src=STAND_IN),)
        workspace = provider.open(WorkspaceSpec(run, "acp 0.0", prepared, files=files), Stop())
        yield Talk(workspace, output)
        workspace.close()
    finally:
        provider.end_run(run)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (
            "no-such-agent --acp",
            "`no-such-agent --acp` cannot be started: it ended with exit code 127 and said: .*not found",
        ),
        ("head -n 1 >/dev/null; exit 3", "broke off its turn: it ended with exit code 3 and said nothing"),
        ("true", "broke off its turn: it ended with exit code 0 and said nothing"),
        ("LOGGED_OUT=1 python3 agent.py", "answered with an error: Authentication required"),
    ],
)
def test_an_agent_that_opens_no_session_is_an_error(at_home: Talk, command: str, says: str) -> None:
    with pytest.raises(AgentError, match=says):
        at_home.take("hello", command, timeout=10)


def test_an_error_in_its_turn_is_told_in_its_words(at_home: Talk) -> None:
    with pytest.raises(AgentError, match=r"answered with an error: Internal error .*the engine broke"):
        at_home.take("fail")
    with pytest.raises(AgentError, match="broke off its turn: it ended with exit code 5 and said: out of luck"):
        at_home.take("die")


def test_an_agent_that_takes_up_no_session_has_no_second_turn(at_home: Talk) -> None:
    at_home.take("first", env={"NO_LOAD": "1"})
    with pytest.raises(AgentError, match="cannot take up an earlier session"):
        at_home.take("second", env={"NO_LOAD": "1"})


def test_it_needs_a_command() -> None:
    for command in (None, " "):
        message = AGENT.problem(make_task(agent=AgentSpec("acp", acp_command=command)), {})
        assert message is not None
        assert "--acp-command" in message
    assert AGENT.problem(make_task(agent=AgentSpec("acp", acp_command="x")), {}) is None


REAL = {
    "gemini": ("gemini --acp --skip-trust -m gemini-2.5-flash", "gemini", {}),
    "opencode": ("opencode acp --pure", "anthropic", {"OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"}),
}
CONFIG = '{"model": "anthropic/claude-haiku-4-5", "provider": {"anthropic": {"options": {"baseURL": "%s/v1"}}}}'


@pytest.mark.agents
@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", REAL)
def test_a_real_agent_writes_a_file(at_home: Talk, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    need(name)
    monkeypatch.setenv("PATH", search_path())
    command, provider, env = REAL[name]
    with AgentServer() as server:
        server.script(Shell("printf hello >hello.txt"), "I wrote it.")
        env = {**env, **server.variables(provider), "OPENCODE_CONFIG_CONTENT": CONFIG % server.url}
        result, did = at_home.take("Write hello.txt, please.", command, env=env, timeout=100)
    assert result.exit_code == 0
    assert at_home.workspace.read("hello.txt", 100) == b"hello"
    assert "I wrote it." in did

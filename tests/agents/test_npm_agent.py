"""How the tools from npm are started, asked for their version, installed and refused; no real one is needed."""

from __future__ import annotations

import json
import shlex
import subprocess
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from skillgrade.agents import AGENTS
from skillgrade.agents.base import AgentTurn
from skillgrade.agents.npm_agent import Invocation, NpmAgent, versioned
from skillgrade.capture import OutputSink
from skillgrade.errors import AgentError
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, DockerSpec
from skillgrade.workspace import PROVIDERS
from skillgrade.workspace.base import EnvironmentSpec, Workspace, WorkspaceSpec
from tests.support.stand_ins import stand_in
from tests.support.tasks import make_task

NAMES = ("claude", "codex", "gemini", "opencode")
MODELS = {"opencode": "anthropic/claude-haiku-4-5"}


def agent_named(name: str) -> NpmAgent:
    agent = AGENTS[name]
    assert isinstance(agent, NpmAgent)
    return agent


def turn_with(tmp_path: Path, env: Mapping[str, str] | None = None, number: int = 0, text: str = "do it") -> AgentTurn:
    sinks = (OutputSink(tmp_path / f"{number}.out"), OutputSink(tmp_path / f"{number}.err"))
    return AgentTurn(text, env or {}, 30.0, *sinks, number)


def invocation(name: str, env: Mapping[str, str] | None = None, number: int = 0, **spec: Any) -> Invocation:
    given = {"model": MODELS.get(name), **spec}
    return agent_named(name).invocation(make_task(agent=AgentSpec(name, **given)), env or {}, number)


def problem(name: str, variables: Mapping[str, str] | None = None, **fields: Any) -> str | None:
    spec = fields.pop("agent", AgentSpec(name, model=MODELS.get(name)))
    return AGENTS[name].problem(make_task(agent=spec, **fields), variables or {})


@pytest.fixture(params=["local", pytest.param("bubblewrap", marks=pytest.mark.bubblewrap)])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workspace]:
    provider, run = PROVIDERS[request.param](), f"test-{uuid.uuid4().hex[:12]}"
    try:
        prepared = provider.prepare(EnvironmentSpec(DockerSpec()), run, Stop())
        opened = provider.open(WorkspaceSpec(run, "agents 0.0", prepared), Stop())
        yield opened
        opened.close()
    finally:
        provider.end_run(run)


# What is refused before anything runs


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("claude", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_BASE_URL"]),
        ("codex", ["OPENAI_API_KEY", "OPENAI_BASE_URL"]),
        ("gemini", ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"]),
        ("opencode", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"]),
    ],
)
def test_without_key_address_or_login_it_is_refused_by_what_is_missing(name: str, keys: list[str]) -> None:
    message = problem(name)
    assert message is not None
    assert f'the agent "{name}" has no key: set {keys[0]}' in message
    for key in keys:
        assert problem(name, {key: ""}) == message
        assert problem(name, {key: "x"}) is None
        assert problem(name, env_values={key: "x"}) is None
    assert set(keys) == set(AGENTS[name].key_names(AgentSpec(name, model=MODELS.get(name))))


def test_the_users_own_home_may_hold_a_login() -> None:
    for name in NAMES:
        assert problem(name, agent=AgentSpec(name, home="user")) is None


def test_another_service_counts_only_where_the_task_names_it() -> None:
    assert problem("claude", env_names=("CLAUDE_CODE_USE_BEDROCK",)) is None
    assert problem("claude", {"CLAUDE_CODE_USE_BEDROCK": "1"}) is not None


@pytest.mark.parametrize("model", [None, "haiku", "anthropic/", "/haiku"])
def test_opencode_needs_to_know_whose_model_it_is(model: str | None) -> None:
    message = problem("opencode", {"ANTHROPIC_API_KEY": "k"}, agent=AgentSpec("opencode", model=model))
    assert message is not None
    assert "PROVIDER/MODEL" in message


def test_opencode_gets_the_keys_of_its_models_provider_and_no_others() -> None:
    names = {
        model: AGENTS["opencode"].key_names(AgentSpec("opencode", model="x/y", opencode_model=model))
        for model in ("openai/gpt", "google/gemini", "openrouter/any/thing")
    }
    assert names == {
        "openai/gpt": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
        "google/gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
        "openrouter/any/thing": (),
    }
    assert problem("opencode", agent=AgentSpec("opencode", model="openrouter/any/thing")) is None


def test_the_model_is_the_agents_own_setting_where_it_has_one() -> None:
    spec = AgentSpec("x", model="a/general", opencode_model="b/own")
    assert {name: AGENTS[name].model(spec) for name in (*NAMES, "acp", "command")} == {
        "claude": "a/general",
        "codex": "a/general",
        "gemini": "a/general",
        "opencode": "b/own",
        "acp": None,
        "command": None,
    }


# How it is started


def test_the_model_and_a_later_turn_are_options() -> None:
    assert invocation("claude", model="haiku", number=1).argv[-3:] == ["--model", "haiku", "--continue"]
    assert invocation("codex", model="m", number=1).argv[-5:] == ["--model", "m", "resume", "--last", "-"]
    assert invocation("gemini", model="m", number=1).argv[-4:] == ["--model", "m", "--resume", "latest"]
    opencode = invocation("opencode", model="x/y", opencode_model="a/b", opencode_agent="plan", number=2)
    assert opencode.argv[4:] == ["--model", "a/b", "--agent", "plan", "--continue"]


def test_codex_is_told_where_its_model_is() -> None:
    bare = invocation("codex")
    assert "-c" not in bare.argv
    assert bare.env == {}
    own = invocation("codex", {"OPENAI_API_KEY": "k"})
    assert 'base_url="https://api.openai.com/v1"' in " ".join(own.argv)
    assert own.env == {"OPENAI_API_KEY": "k"}
    other = invocation("codex", {"OPENAI_BASE_URL": 'http://host:1/"proxy"/v1/'})
    assert 'base_url="http://host:1/\\"proxy\\"/v1"' in " ".join(other.argv)
    assert other.env == {"OPENAI_API_KEY": "none"}


def test_an_address_without_a_key_gets_a_word_in_its_place() -> None:
    assert invocation("claude", {"ANTHROPIC_BASE_URL": "u"}).env["ANTHROPIC_AUTH_TOKEN"] == "none"
    assert invocation("gemini", {"GOOGLE_GEMINI_BASE_URL": "u"}).env["GEMINI_API_KEY"] == "none"
    assert invocation("opencode", {"ANTHROPIC_BASE_URL": "u"}).env["ANTHROPIC_API_KEY"] == "none"
    keyed = invocation("claude", {"ANTHROPIC_BASE_URL": "u", "ANTHROPIC_API_KEY": "k"})
    assert "ANTHROPIC_AUTH_TOKEN" not in keyed.env


def test_opencode_is_told_where_its_model_is() -> None:
    env = {"GOOGLE_GEMINI_BASE_URL": "http://host:1", "GEMINI_API_KEY": "k"}
    made = invocation("opencode", env, model="google/new").env
    provider = json.loads(made["OPENCODE_CONFIG_CONTENT"])["provider"]
    assert provider == {"google": {"models": {"new": {}}, "options": {"baseURL": "http://host:1/v1beta"}}}
    assert made["GOOGLE_GENERATIVE_AI_API_KEY"] == "k"
    other = json.loads(invocation("opencode", env, model="local/llama").env["OPENCODE_CONFIG_CONTENT"])
    assert "provider" not in other


def test_gemini_brings_settings_unless_the_home_has_some(tmp_path: Path) -> None:
    made = invocation("gemini", {"GEMINI_API_KEY": "k"})
    (tmp_path / "gemini").write_text("#!/bin/bash\nprintf '%s\\n' \"$@\"\n")
    (tmp_path / "gemini").chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    env = {"HOME": str(home), "PATH": f"{tmp_path}:/usr/bin:/bin"}
    out = subprocess.run(made.argv, env=env, capture_output=True, text=True, check=True).stdout
    assert out.splitlines() == list(made.argv[5:])
    settings = json.loads((home / ".gemini/settings.json").read_text())
    assert settings["security"] == {"auth": {"selectedType": "gemini-api-key"}}
    assert settings["general"]["maxAttempts"] == 2
    (home / ".gemini/settings.json").write_text("mine")
    subprocess.run(made.argv, env=env, capture_output=True, check=True)
    assert (home / ".gemini/settings.json").read_text() == "mine"


@pytest.mark.parametrize(
    ("url", "whole"),
    [
        ("http://h", "http://h/v1"),
        ("http://h/", "http://h/v1"),
        ("http://h/v1", "http://h/v1"),
        ("http://h/v1/", "http://h/v1"),
    ],
)
def test_an_address_ends_in_its_version_once(url: str, whole: str) -> None:
    assert versioned(url, "v1") == whole


# Where it is installed, and where it is not


def test_a_version_that_is_a_command_is_only_a_version(tmp_path: Path) -> None:
    for name in NAMES:
        script = AGENTS[name].install_commands(AgentSpec(name, version="1.0; touch /x"))
        assert script is not None
        assert f"{shlex.quote(f'{agent_named(name).package}@1.0; touch /x')}" in script
        assert subprocess.run(["bash", "-n", "-c", script]).returncode == 0


def test_an_image_without_npm_says_what_is_missing() -> None:
    script = AGENTS["codex"].install_commands(AgentSpec("codex"))
    assert script is not None
    done = subprocess.run(["/bin/bash", "-ec", script], env={"PATH": "/nonexistent"}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    assert "the agent codex needs Node.js and npm: choose a docker.base that has them" in done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_installed_is_said_with_the_command_that_installs_it(
    name: str, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    message = (
        f"the agent {name} is not installed where it should work: npm install --global {agent_named(name).package}@"
    )
    with pytest.raises(AgentError, match=message):
        AGENTS[name].version(workspace, tmp_path, Stop())
    task = make_task(agent=AgentSpec(name, model=MODELS.get(name)))
    with pytest.raises(AgentError, match=message):
        AGENTS[name].act(task, turn_with(tmp_path), workspace, Stop())


def test_its_version_is_the_number_that_it_prints(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in("codex", 'echo "codex-cli 0.171.0-alpha.2"', tmp_path / "prefix", monkeypatch)
    assert AGENTS["codex"].version(workspace, tmp_path, Stop()) == "0.171.0-alpha.2"


def test_a_tool_that_does_not_start_is_told_by_what_it_says(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in("claude", "echo 1.2.3; echo 'librt.so.1: not found' >&2; exit 127", tmp_path / "prefix", monkeypatch)
    with pytest.raises(AgentError, match="does not start: `claude --version` ended with exit code 127 and said: librt"):
        AGENTS["claude"].version(workspace, tmp_path, Stop())


@pytest.mark.parametrize("name", NAMES)
def test_the_instruction_arrives_whole_on_its_standard_input(
    name: str, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(name, "cat", tmp_path / "prefix", monkeypatch)
    text = "--help\n@file /clear\n" + "grüß $HOME 'x' " * 20_000
    task = make_task(agent=AgentSpec(name, model=MODELS.get(name)))
    result = AGENTS[name].act(task, turn_with(tmp_path, text=text), workspace, Stop())
    assert result.stdout.text() == text

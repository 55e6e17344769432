"""A whole run with a real agent: from a suite to a report, in every provider, against a scripted model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillgrade.agents import AGENTS
from skillgrade.agents.npm_agent import NpmAgent
from skillgrade.engine.plan import make_plan
from skillgrade.engine.run import FinishedRun, RunOptions, run
from skillgrade.errors import Stage
from skillgrade.results.records import Outcome
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, DockerSpec, Task
from skillgrade.workspace.docker.client import connect
from tests.support.agent_clis import MODELS, PROVIDERS, need, search_path
from tests.support.agent_server import AgentServer, Shell
from tests.support.judges import judging
from tests.support.listening import Remembering
from tests.support.model_server import Status
from tests.support.stand_ins import stand_in
from tests.support.tasks import grader, make_suite, make_task

HELLO = grader('[ -e hello.txt ] && s=1 || s=0; printf \'{"score": %s, "details": "hello.txt"}\' $s')

pytestmark = pytest.mark.timeout(400)  # an image may have to be built


def execute(root: Path, task: Task, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> FinishedRun:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    plan = make_plan(make_suite(root, task), {}, environ, Stop())
    options = RunOptions(base=root / ".skillgrade", parallel=1)
    return run(plan, options, judging(root), Redactor([]), Remembering(), Stop())


def a_task(name: str = "claude", **fields: Any) -> Task:
    given: dict[str, Any] = {
        "agent": AgentSpec(name, model=MODELS[name]),
        "graders": (HELLO,),
        "retries": 0,
        **fields,
    }
    return make_task("hello", **given)


@pytest.mark.agents
@pytest.mark.parametrize("provider", ["local", pytest.param("bubblewrap", marks=pytest.mark.bubblewrap)])
def test_a_run_on_this_machine(provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("claude")
    monkeypatch.setenv("PATH", search_path())
    with AgentServer() as server:
        server.script(Shell("touch hello.txt"), "I wrote it.")
        task = a_task(provider=provider, timeout=60)
        report = execute(tmp_path, task, server.variables("anthropic"), monkeypatch).report
    assert (report.totals.passed, report.agent) == (1, "claude")
    assert report.agent_version is not None
    assert report.agent_version[0].isdigit()


@pytest.mark.agents
@pytest.mark.docker
@pytest.mark.parametrize(
    ("name", "user"), [("claude", None), ("claude", "root"), ("codex", None), ("gemini", None), ("opencode", None)]
)
def test_a_run_in_docker(name: str, user: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need(name)  # the image gets one of its own: this asks whether agents are wanted at all
    agent = AGENTS[name]
    assert isinstance(agent, NpmAgent)
    gateway = connect().networks.get("bridge").attrs["IPAM"]["Config"][0]["Gateway"]
    with AgentServer(gateway) as server:
        server.script(Shell("touch hello.txt; id -u >uid.txt"), "I wrote it.")
        task = a_task(name, provider="docker", docker=DockerSpec(user=user), timeout=90)
        report = execute(tmp_path, task, server.variables(PROVIDERS[name]), monkeypatch).report
    assert report.totals.passed == 1, report
    assert report.agent_version == agent.tested_version


@pytest.mark.agents
def test_a_model_that_fails_leaves_no_failed_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("claude")
    monkeypatch.setenv("PATH", search_path())
    with AgentServer() as server:
        server.always(Status(401, "that key is wrong"))
        environ = server.variables("anthropic")
        finished = execute(tmp_path, a_task(provider="local", timeout=60), environ, monkeypatch)
    (task,) = finished.report.tasks
    assert (task.graded, task.errored) == (0, 1)
    (trial,) = [trial.record for trial in task.trials]
    assert trial.error is not None
    assert trial.error.stage is Stage.AGENT
    assert "that key is wrong" in trial.error.reason


def test_an_agent_that_is_not_installed_is_told_before_any_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    finished = execute(tmp_path, a_task(provider="local"), {"ANTHROPIC_API_KEY": "k"}, monkeypatch)
    (trial,) = [trial.record for trial in finished.report.tasks[0].trials]
    assert (trial.outcome, trial.agent) == (Outcome.ERRORED, None)
    assert trial.error is not None
    assert "npm install --global @anthropic-ai/claude-code@" in trial.error.reason


def test_the_version_that_worked_is_in_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = [
        '{"type":"system","subtype":"init","session_id":"s","tools":[]}',
        '{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"Done."}]}}',
        '{"type":"result","subtype":"success","is_error":false,"result":"Done."}',
    ]
    says = "; ".join(f"echo '{event}'" for event in events)
    script = f'[ "$1" = --version ] && echo "7.8.9 (Stand-in)" && exit; touch hello.txt; {says}'
    stand_in("claude", script, tmp_path / "prefix", monkeypatch)
    report = execute(tmp_path, a_task(provider="local"), {"ANTHROPIC_API_KEY": "k"}, monkeypatch).report
    assert (report.totals.passed, report.agent_version) == (1, "7.8.9")

"""What the doctor finds of agents, places and judges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillgrade.agents import AGENTS
from skillgrade.engine.doctor import examine
from skillgrade.engine.findings import Examined, Finding, Level
from skillgrade.engine.plan import environment_of
from skillgrade.judges.base import Judge
from skillgrade.judges.recordings import Entry, RecordedSample, Recording, recording_file, write_recording
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, DockerSpec, LlmRubricSpec, Task
from tests.support.stand_ins import stand_in
from tests.support.tasks import make_suite, make_task

RUBRIC = LlmRubricSpec(type="llm_rubric", index=0, rubric="Is it good?")


def looked_at(root: Path, *tasks: Task, **environ: str) -> dict[str, dict[str, Finding]]:
    examined: list[Examined] = list(examine(make_suite(root, *tasks), {}, environ, Stop()))
    return {subject.subject: {finding.check: finding for finding in subject.findings} for subject in examined}


def command(line: str, **fields: Any) -> Task:
    return make_task(**{"agent": AgentSpec("command", command=line), "provider": "local", **fields})


def test_a_program_that_is_missing_is_a_problem_unless_the_task_may_bring_it(tmp_path: Path) -> None:
    levels = {
        line: looked_at(tmp_path, command(line))["agent command"]["installed"].level
        for line in ("cat >out.txt", "no-such-program --now", "./solve.sh", "A=1 no-such-program", "( cat )")
    }
    assert levels == {
        "cat >out.txt": Level.OK,
        "no-such-program --now": Level.PROBLEM,
        "./solve.sh": Level.OK,
        "A=1 no-such-program": Level.PROBLEM,
        "( cat )": Level.OK,
    }
    brought = command("no-such-program", docker=DockerSpec(setup="npm install --global no-such-program"))
    assert looked_at(tmp_path, brought)["agent command"]["installed"].level is Level.OK


def test_variables_that_nobody_sets_are_named(tmp_path: Path) -> None:
    task = command("cat", env_names=("SET", "UNSET"))
    assert "`env` names UNSET," in looked_at(tmp_path, task, SET="1")["agent command"]["env"].text
    assert "env" not in looked_at(tmp_path, task, SET="1", UNSET="2")["agent command"]


def test_tasks_that_differ_are_looked_at_one_by_one_and_others_once(tmp_path: Path) -> None:
    tasks = [command("cat", name="a"), command("cat", name="b"), command("true", name="c")]
    assert list(looked_at(tmp_path, *tasks))[1:] == ["agent command for a and 1 more", "agent command for c"]


def test_an_agent_that_nothing_names_is_a_problem(tmp_path: Path) -> None:
    [found] = looked_at(tmp_path, make_task(provider="local"))["agent (chosen by key)"].values()
    assert (found.level, "--agent=NAME" in found.text) == (Level.PROBLEM, True)


def test_a_version_that_cannot_be_chosen_here_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in("claude", "echo 7.8.9", tmp_path / "prefix", monkeypatch)
    task = make_task(agent=AgentSpec("claude", version="1.0.0"), provider="local")
    found = looked_at(tmp_path, task, ANTHROPIC_API_KEY="k")["agent claude"]["installed"]
    assert found.level is Level.WARNING
    assert "agent_version: 1.0.0 has no effect" in found.text


def test_an_address_is_shown_by_its_host_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in("claude", "echo 7.8.9", tmp_path / "prefix", monkeypatch)
    task = make_task(agent=AgentSpec("claude"), provider="local")
    found = looked_at(tmp_path, task, ANTHROPIC_BASE_URL="https://me:secret@models.example/x")["agent claude"]
    assert found["endpoint"] == Finding("endpoint", Level.OK, "ANTHROPIC_BASE_URL leads to models.example")
    assert found["key"].level is Level.OK
    wrong = looked_at(tmp_path, task, ANTHROPIC_BASE_URL="models.example")["agent claude"]
    assert wrong["endpoint"].level is Level.PROBLEM


def test_a_judge_without_a_key_is_a_problem_unless_its_verdicts_are_recorded(tmp_path: Path) -> None:
    task = command("cat", graders=(RUBRIC,))
    assert looked_at(tmp_path, task)["judge gemini"]["key"].level is Level.PROBLEM
    sample = RecordedSample("gemini-x", "{}")
    entry = Entry("task", "sha256:0", "gemini", "gemini-x", "1", (sample,))
    write_recording(recording_file(tmp_path / "eval.yaml"), Recording(entries=(entry,)))
    found = looked_at(tmp_path, task)
    assert found["judge gemini"]["key"].level is Level.WARNING
    assert found["recorded verdicts"]["recording"].text.endswith("has 1 of them")


def test_the_judge_that_would_be_asked_is_named(tmp_path: Path) -> None:
    task = command("cat", graders=(RUBRIC,), grader_provider="anthropic", grader_model="claude-x")
    found = looked_at(tmp_path, task, ANTHROPIC_API_KEY="k")
    assert found[f"judge {Judge('anthropic', 'claude-x').provider}:claude-x"]["model"].text == "claude-x"
    usual = looked_at(tmp_path, command("cat", graders=(RUBRIC,)), GEMINI_API_KEY="k")["judge gemini"]
    assert "newest small model of gemini" in usual["model"].text


@pytest.mark.bubblewrap
def test_it_looks_inside_a_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in("claude", "echo 7.8.9", tmp_path / "prefix", monkeypatch)
    task = make_task(agent=AgentSpec("claude"), provider="bubblewrap")
    assert looked_at(tmp_path, task, ANTHROPIC_API_KEY="k")["agent claude"]["installed"].text.startswith(
        "version 7.8.9"
    )


@pytest.mark.docker
def test_in_docker_nothing_is_built_or_pulled(tmp_path: Path) -> None:
    from skillgrade.workspace.docker.client import connect

    before = {image.id for image in connect().images.list(all=True)}
    agent = AgentSpec("claude", version="0.0.1")
    here = make_task(agent=agent, provider="docker")
    found = looked_at(tmp_path, here, ANTHROPIC_BASE_URL="http://127.0.0.1:1")["agent claude"]
    assert found["installed"].text.endswith("with @anthropic-ai/claude-code@0.0.1 from npm")
    assert found["endpoint"].level is Level.PROBLEM
    elsewhere = make_task(agent=agent, docker=DockerSpec(base="no-such-image:1"))
    found = looked_at(tmp_path, elsewhere, ANTHROPIC_API_KEY="k")["agent claude"]
    assert "no-such-image:1 can be pulled: it is not on this machine" in found["provider"].text
    assert {image.id for image in connect().images.list(all=True)} == before


@pytest.mark.docker
def test_in_docker_it_asks_what_is_in_the_image(tmp_path: Path) -> None:
    from skillgrade.workspace.docker.client import connect
    from skillgrade.workspace.docker.images import ensure_image

    missing, there = (command(program, provider="docker") for program in ("no-such-program", "node"))
    ensure_image(connect(), environment_of(there, AGENTS["command"]), Stop())
    assert looked_at(tmp_path, missing)["agent command"]["installed"].level is Level.PROBLEM
    assert looked_at(tmp_path, there)["agent command"]["installed"].text == "node is there"

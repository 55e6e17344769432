from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillgrade.engine.plan import Plan, make_plan, make_validation_plan
from skillgrade.errors import UsageError
from skillgrade.skill.model import Skill
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, Assertion, AssertionsSpec, DockerSpec, GraderFile, Task
from skillgrade.workspace.base import EnvironmentSpec
from tests.support.tasks import grader, make_suite, make_task

CLAUDE_STREAM = AgentSpec("command", command="true", output_format="claude-stream-json")


def local(name: str = "task", **fields: Any) -> Task:
    return make_task(name, **{"provider": "local", "agent": AgentSpec("command", command="true"), **fields})


def plan(*tasks: Task, env_file: Mapping[str, str] | None = None, environ: Mapping[str, str] | None = None) -> Plan:
    return make_plan(make_suite(Path("/eval"), *tasks), env_file or {}, environ or {}, Stop())


def refusal(*tasks: Task, **variables: Mapping[str, str]) -> str:
    with pytest.raises(UsageError) as caught:
        plan(*tasks, **variables)
    return str(caught.value)


def test_a_task_gets_its_agent_its_provider_and_its_environment() -> None:
    docker = DockerSpec(setup="apt-get install -y jq")
    task = local(docker=docker, graders=(grader(setup="npm i x"), grader(setup="npm i x", index=1), grader(index=2)))
    (planned,) = plan(task).tasks
    assert (planned.agent, planned.provider) == ("command", "local")
    assert planned.environment == EnvironmentSpec(docker, None, ("npm i x",))


def test_an_agent_that_is_not_there_is_refused_by_name() -> None:
    message = refusal(local(agent=AgentSpec("clod")))
    assert 'task "task": the agent "clod" is not part of this version' in message
    assert "--agent=command" in message


@pytest.mark.parametrize(
    ("agent", "key"), [("gemini", "GEMINI_API_KEY"), ("claude", "ANTHROPIC_API_KEY"), ("codex", "OPENAI_API_KEY")]
)
def test_an_agent_that_would_be_logged_out_is_refused_with_what_would_log_it_in(agent: str, key: str) -> None:
    message = refusal(local(agent=AgentSpec(agent)))
    assert f'task "task": the agent "{agent}" has no key: set {key}' in message
    assert "_BASE_URL for an endpoint that needs none" in message


@pytest.mark.parametrize(
    ("key", "agent"), [("GEMINI_API_KEY", "gemini"), ("ANTHROPIC_API_KEY", "claude"), ("OPENAI_API_KEY", "codex")]
)
def test_where_nothing_says_it_the_one_api_key_says_which_agent(key: str, agent: str) -> None:
    for variables in ({"environ": {key: "k"}}, {"env_file": {key: "k"}}):
        (planned,) = plan(local(agent=AgentSpec()), **variables).tasks
        assert planned.agent == agent


def test_no_key_and_several_keys_say_no_agent() -> None:
    assert "no API key is set" in refusal(local(agent=AgentSpec()))
    both = {"GEMINI_API_KEY": "g", "OPENAI_API_KEY": "o"}
    assert "GEMINI_API_KEY and OPENAI_API_KEY are all set" in refusal(local(agent=AgentSpec()), environ=both)


def test_a_command_alone_means_the_command_agent_whatever_keys_are_set() -> None:
    (planned,) = plan(local(agent=AgentSpec(command="true")), environ={"GEMINI_API_KEY": "g"}).tasks
    assert planned.agent == "command"


@pytest.mark.parametrize("command", [None, "", "   "])
def test_the_command_agent_needs_a_command(command: str | None) -> None:
    assert 'the "command" agent needs a command' in refusal(local(agent=AgentSpec("command", command=command)))


@pytest.mark.parametrize(
    "asked",
    [
        Assertion("skill_used", "s", negated=True),
        Assertion("calls_tool", "Read"),
        Assertion("tool_count", {"max": 3}),
        Assertion("max_tokens", 1000.0),
    ],
)
def test_an_agent_whose_output_cannot_show_it_is_refused_where_that_is_asked(asked: Assertion) -> None:
    spec = AssertionsSpec("assertions", 0, assertions=(asked,))
    assert refusal(local(graders=(spec,))).endswith(
        'task "task": the "command" agent prints plain text, which does not show what skills and tools it uses: say '
        "with `output_format` what it prints, or take `expect_skill` and assertions on skills, tools, tokens and costs "
        "out"
    )
    assert plan(local(graders=(spec,), agent=CLAUDE_STREAM)).tasks


def test_what_plain_text_shows_may_be_asked_of_every_agent() -> None:
    asked = (Assertion("calls_tool", "Read", options={"source": "text"}), Assertion("max_seconds", 3.0))
    assert plan(local(graders=(AssertionsSpec("assertions", 0, assertions=asked),))).tasks


def test_everything_that_is_wrong_is_said_at_once() -> None:
    lines = refusal(local("one", agent=AgentSpec("command")), local("two", graders=(grader(weight=0.0),))).splitlines()
    assert [line.split(": ")[1] for line in lines] == ['task "one"', 'task "two"']


def test_graders_that_all_weigh_nothing_are_refused() -> None:
    assert "weights of the selected graders are all 0" in refusal(local(graders=(grader(weight=0.0),)))


def test_a_task_without_graders_is_refused() -> None:
    assert "it has no graders" in refusal(replace(local(), graders=()))


def test_a_script_that_nothing_says_how_to_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "check.xyz").write_text("hello")
    spec = grader("", script="check.xyz", files=(GraderFile(tmp_path / "check.xyz", "check.xyz"),))
    assert "nothing says how to run this script" in refusal(local(graders=(spec,)))


def test_the_user_is_told_of_a_model_that_is_ignored() -> None:
    task = local(agent=AgentSpec("command", model="big-1", command="true"), graders=(grader(),))
    assert "the \"command\" agent ignores the model 'big-1'" in plan(task).notes


def test_the_user_is_told_where_no_skill_is_evaluated() -> None:
    skill = Skill("s", "", Path("/eval"))
    assert [note for note in plan(local()).notes if "no skill goes in" in note]
    suite = make_suite(Path("/eval"), local(), skills=(skill,))
    assert not make_plan(suite, {}, {}, Stop()).notes


def test_trials_take_turns() -> None:
    made = plan(local("a", trials=2), local("b", trials=1))
    assert [(task_plan.task.name, trial) for task_plan, trial in made.trials()] == [("a", 0), ("b", 0), ("a", 1)]
    assert made.trial_count == 3


def test_a_validation_runs_each_solution_once(tmp_path: Path) -> None:
    solution = tmp_path / "solve.sh"
    solution.write_text("true")
    task = local(trials=30, solution=solution, agent=AgentSpec("claude"))
    made = make_validation_plan(make_suite(tmp_path, task), Stop())
    assert [(task_plan.agent, task_plan.task.trials) for task_plan in made.tasks] == [("solution", 1)]


def test_a_solution_that_nothing_says_how_to_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "solve.xyz").write_text("hello")
    task = replace(local(), solution=tmp_path / "solve.xyz")
    with pytest.raises(UsageError, match="nothing says how to run this script"):
        make_validation_plan(make_suite(tmp_path, task), Stop())


def test_a_skill_in_the_home_in_which_the_agent_works_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".claude/skills/greeting").mkdir(parents=True)
    (tmp_path / ".claude/skills/greeting/SKILL.md").write_text("---\nname: greeting\n---\n")
    agents = {home: AgentSpec("command", command="x", home=home) for home in ("user", "isolated")}
    notes = {home: plan(local(agent=agent)).notes for home, agent in agents.items()}
    assert any("~/.claude/skills/greeting" in note for note in notes["user"])
    assert not any("greeting" in note for note in notes["isolated"])

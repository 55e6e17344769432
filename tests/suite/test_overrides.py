from pathlib import Path

from skillgrade.suite.model import AgentSpec, JudgeSpec, LlmRubricSpec
from skillgrade.suite.overrides import Overrides, apply_overrides
from tests.support.suites import load

TEXT = """
defaults: {agent: claude, model: m, trials: 2, threshold: 0.9, grader_provider: gemini, grader_model: g}
tasks:
- name: a
  instruction: do it
  command: one
  trials: 9
  provider: local
  graders:
  - {type: deterministic, run: x}
  - {type: llm_rubric, rubric: Is it good?, provider: openai, model: gpt, samples: 3}
  - {type: judge, rubric: Is it good?, pass_criteria: [x], provider: gemini}
- {name: b, instruction: do it, graders: [{type: deterministic, run: x}]}
"""


def test_without_flags_nothing_changes(tmp_path: Path) -> None:
    suite = load(tmp_path, TEXT)
    assert apply_overrides(suite, Overrides()) == suite


def test_a_flag_wins_over_the_defaults_and_over_the_tasks(tmp_path: Path) -> None:
    suite = load(tmp_path, TEXT)
    flags = Overrides(
        agent="command",
        model="n",
        provider="docker",
        command="two",
        acp_command="acp",
        opencode_agent="plan",
        opencode_model="p/m",
        trials=1,
        threshold=0.0,
        retries=0,
    )
    changed = apply_overrides(suite, flags)
    agent = AgentSpec("command", "n", "two", acp_command="acp", opencode_agent="plan", opencode_model="p/m")
    assert [task.agent for task in changed.tasks] == [agent, agent]
    assert [(task.provider, task.trials, task.threshold, task.retries) for task in changed.tasks] == [
        ("docker", 1, 0.0, 0)
    ] * 2
    assert changed.tasks[0].graders == suite.tasks[0].graders
    assert changed.digest == suite.digest


def test_the_judge_of_the_command_line_is_the_only_one(tmp_path: Path) -> None:
    task = apply_overrides(load(tmp_path, TEXT), Overrides(grader_provider="anthropic")).tasks[0]
    assert (task.grader_provider, task.grader_model) == ("anthropic", None)
    assert [grader.judges for grader in task.graders] == [(), (), ()]
    assert isinstance(task.graders[1], LlmRubricSpec)
    assert task.graders[1].samples == 3
    judge = task.graders[2]
    assert isinstance(judge, JudgeSpec)
    assert (judge.rubric, judge.pass_criteria, judge.judges) == ("Is it good?", ("x",), ())

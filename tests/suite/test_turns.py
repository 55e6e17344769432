"""Turns, scripted replies and simulated users, as a suite has them."""

from pathlib import Path

from skillgrade.suite.model import (
    Reply,
    SimulatedUser,
    Turn,
)
from tests.support.suites import GRADERS, load, problems


def test_a_turn_is_checked_like_a_task(tmp_path: Path) -> None:
    turn = "{instruction: hi you, graders: [{type: llm_rubric, rubric: q.md}], solution: s.sh}"
    text = f"tasks:\n- name: a\n  turns: [{turn}]\n  {GRADERS}"
    assert [line.split(": ")[1] for line in problems(tmp_path, text)] == [
        "tasks[0].turns[0].graders[0].rubric",
        "tasks[0].turns[0].solution",
    ]


def test_graders_in_turns_are_enough(tmp_path: Path) -> None:
    suite = load(tmp_path, f"tasks:\n- name: a\n  turns: [{{instruction: hi you, {GRADERS}}}]\n")
    assert [(spec.index, spec.turn) for spec in suite.tasks[0].graders] == [(0, 0)]


def test_the_graders_of_a_turn_may_weigh_nothing_where_others_do(tmp_path: Path) -> None:
    unweighed = "{instruction: hi you, graders: [{type: deterministic, run: 'true', weight: 0}]}"
    suite = load(tmp_path, f"tasks:\n- name: a\n  turns: [{unweighed}]\n  {GRADERS}\n")
    assert [spec.weight for spec in suite.tasks[0].graders] == [0.0, 1.0]


def test_a_turn_has_its_replies_its_solution_and_graders_that_follow_on(tmp_path: Path) -> None:
    turns = (
        "[{instruction: hi you, reply: [{when: 'which\\?', content: this}, {content: go on}], solution: s.sh, "
        f"{GRADERS}}}, {{instruction: bye, {GRADERS}}}]"
    )
    suite = load(tmp_path, f"tasks:\n- name: a\n  turns: {turns}\n  {GRADERS}\n", s_sh="true")
    (task,) = suite.tasks
    assert task.turns == (
        Turn("hi you", tmp_path / "s.sh", (Reply("which\\?", "this"), Reply("", "go on"))),
        Turn("bye"),
    )
    assert [(spec.index, spec.turn) for spec in task.graders] == [(0, 0), (1, 1), (2, None)]
    assert tmp_path / "s.sh" in suite.own_files


def test_a_reply_s_pattern_is_checked(tmp_path: Path) -> None:
    text = f"tasks:\n- name: a\n  turns: [{{instruction: hi you, reply: [{{when: '(', content: x}}]}}]\n  {GRADERS}"
    (line,) = problems(tmp_path, text)
    assert "tasks[0].turns[0].reply[0].when" in line
    assert "is no regular expression" in line


def test_a_simulated_user_is_read(tmp_path: Path) -> None:
    user = "{persona: in a hurry, facts: [a, b], max_turns: 3, provider: openai, model: m}"
    suite = load(tmp_path, f"tasks:\n- name: a\n  user: {user}\n  {GRADERS}\n")
    assert suite.tasks[0].user == SimulatedUser("in a hurry", ("a", "b"), 3, "openai", "m")
    assert suite.tasks[0].instruction == ""

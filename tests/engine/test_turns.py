"""Tasks of several turns: what each turn's agent and graders see, and what becomes of turns that were not reached."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from skillgrade.results.records import GraderStatus, Outcome, TrialRecord
from skillgrade.suite.model import AgentSpec, DeterministicSpec, GraderFile, Reply, Task, Turn, WorkspaceFile
from tests.engine.conftest import Bench
from tests.support.tasks import grader, make_task

COUNT_LINES = """printf '{"score": 1, "details": "%s"}' "$(($(wc -l < said.txt))) lines, turn $(
  printf %s "$SKILLGRADE_INPUT" | grep -o '"turn": [0-9]*' | tr -dc 0-9)" """
FAILS = """echo '{"score": 0, "details": "no"}'"""


def talk(*turns: Turn | str, graders: tuple[DeterministicSpec, ...], command: str, **fields: Any) -> Task:
    said = tuple(turn if isinstance(turn, Turn) else Turn(turn) for turn in turns)
    return make_task(
        graders=graders,
        turns=said,
        instruction=said[0].instruction,
        agent=AgentSpec("command", command=command),
        **fields,
    )


def run(bench: Bench, task: Task, **more: Any) -> TrialRecord:
    return bench.run_spec(bench.spec(task, **more))


def test_each_turn_has_its_instruction_and_its_graders_on_what_there_is_by_then(bench: Bench) -> None:
    record = run(
        bench,
        talk(
            "first",
            "second",
            command="cat >> said.txt; echo >> said.txt",
            graders=(grader(COUNT_LINES, turn=0), grader(COUNT_LINES, 1, turn=1), grader(COUNT_LINES, 2)),
        ),
    )
    assert record.outcome is Outcome.PASSED
    assert [(result.turn, result.details) for result in record.grader_results] == [
        (0, "1 lines, turn 0"),
        (1, "2 lines, turn 1"),
        (1, "2 lines, turn 1"),
    ]
    assert {"turn-0/agent.stdout", "turn-1/agent.stdout", "turn-0/grader-0.stdout"} <= record.files.keys()


def test_a_program_is_told_which_turn_it_is_and_what_was_said(bench: Bench) -> None:
    record = run(
        bench,
        talk(
            "first", "second",
            command='echo "turn $SKILLGRADE_TURN"; cat "$SKILLGRADE_CONVERSATION"',
            graders=(grader(),),
        ),
    )  # fmt: skip
    assert bench.text(record, "turn-0/agent.stdout") == "turn 0\n"
    assert bench.text(record, "turn-1/agent.stdout") == ("turn 1\n[turn 0, user]\nfirst\n\n[turn 0, agent]\nturn 0\n")


def test_the_next_turn_sees_nothing_of_graders(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "secret.txt").write_text("42")
    leaves = grader(
        "cat checks/secret.txt > left.txt; " + COUNT_LINES.replace("said.txt", "left.txt"),
        files=(GraderFile(tmp_path / "checks", "checks"),),
        turn=0,
    )
    record = run(bench, talk("a", "b", command="ls -A", graders=(leaves, grader(index=1))))
    assert record.outcome is Outcome.PASSED
    assert bench.text(record, "turn-1/agent.stdout") == ""


def test_a_scripted_user_answers_by_what_the_agent_said_each_rule_once(bench: Bench) -> None:
    first = Turn(
        "start", replies=(Reply("which (one|file)", "The red one."), Reply("never said", "?"), Reply("", "More."))
    )
    record = run(bench, talk(first, command='read -r said; echo "which file? ($said)"', graders=(grader(),)))
    said = [bench.text(record, f"turn-0/agent{suffix}.stdout") for suffix in ("", "-2", "-3")]
    assert said == ["which file? (start)\n", "which file? (The red one.)\n", "which file? (More.)\n"]
    assert "turn-0/agent-4.stdout" not in record.files


def test_a_pattern_that_runs_wild_is_an_error(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillgrade.engine.users._PATIENCE", 0.05)
    wild = Turn("start", replies=(Reply("(a|aa)+$", "no"),))
    record = run(bench, talk(wild, command=f"echo {'a' * 64}b", graders=(grader(),)))
    assert record.outcome is Outcome.ERRORED
    assert record.error is not None
    assert "(a|aa)+$" in record.error.reason
    assert record.error.stage == "agent"


def test_stop_ends_the_conversation_after_a_turn_whose_graders_fail(bench: Bench) -> None:
    graders = (grader(FAILS, turn=0), grader(index=1, turn=1), grader(index=2, weight=2))
    record = run(bench, talk("a", "b", command="true", graders=graders, on_turn_failure="stop"))
    assert (record.outcome, record.reward) == (Outcome.FAILED, 0.0)
    assert [result.details for result in record.grader_results[1:]] == [
        "not reached: the conversation ended after turn 0: its graders did not pass (on_turn_failure: stop)"
    ] * 2
    assert {result.status for result in record.grader_results} == {GraderStatus.OK}
    assert "turn-1/agent.stdout" not in record.files


def test_continue_goes_on_after_a_turn_that_failed(bench: Bench) -> None:
    graders = (grader(FAILS, turn=0), grader(index=1, turn=1), grader(index=2, weight=2))
    record = run(bench, talk("a", "b", command="true", graders=graders))
    assert record.reward == 0.75


def test_stop_ends_it_too_when_the_agent_fails(bench: Bench) -> None:
    record = run(bench, talk("a", "b", command="exit 3", graders=(grader(turn=1),), on_turn_failure="stop"))
    assert "the agent ended with exit code 3" in record.grader_results[0].details


def test_an_agent_that_breaks_in_a_later_turn_keeps_earlier_results_on_record(bench: Bench) -> None:
    task = talk("a", "b", command="./agent", graders=(grader(turn=0), grader(index=1)))
    program = bench.root / "agent"
    program.write_text('#!/bin/bash\nrm "$0"\n')
    program.chmod(0o755)

    record = run(bench, dataclasses.replace(task, workspace=(WorkspaceFile(program, "agent"),)))
    assert record.outcome is Outcome.ERRORED
    assert [(result.turn, result.score) for result in record.grader_results] == [(0, 1.0)]


def test_an_agent_in_its_deadline_has_failed_and_the_rest_is_not_reached(bench: Bench) -> None:
    task = talk("a", "b", command="sleep 60", graders=(grader(turn=0), grader(index=1)), timeout=0.2)
    record = run(bench, task)
    assert (record.outcome, record.reward) == (Outcome.FAILED, 0.0)
    assert "the agent ran into its deadline" in record.grader_results[1].details


def test_solutions_are_run_turn_by_turn(bench: Bench) -> None:
    for number in range(2):
        (bench.root / f"solve-{number}.sh").write_text(f"echo {number} >> said.txt")
    turns = tuple(
        Turn(f"turn {number}", bench.root / f"solve-{number}.sh", (Reply("", "again"),)) for number in range(2)
    )
    record = run(bench, talk(*turns, command="false", graders=(grader(COUNT_LINES),)), agent="solution")
    assert record.grader_results[0].details.startswith("2 lines")


def test_expected_reaches_graders_of_every_turn_and_no_agent(bench: Bench) -> None:
    sees = """printf '{"score": 1, "details": %s}' "$(printf %s "$SKILLGRADE_INPUT" | grep -o '"sesame"')" """
    graders = (grader(sees, turn=0), grader(sees, 1))
    record = run(
        bench, talk("a", "b", command="env; ls -AR / 2>/dev/null | head -0", graders=graders, expected="sesame")
    )
    assert [result.details for result in record.grader_results] == ["sesame", "sesame"]
    assert "sesame" not in json.dumps([bench.text(record, f"turn-{n}/agent.stdout") for n in range(2)])


def test_graders_of_an_earlier_turn_see_links_as_links_wherever_they_lead(bench: Bench) -> None:
    script = """printf '{"score": 1, "details": "%s"}' "$(find . -type l -printf '%P>%l ' | tr -s ' ')" """
    links = "mkdir -p d; echo 1 >d/f; ln -sf nowhere broken; ln -sf d/f link; ln -sfn d folder"
    record = run(bench, talk("a", "b", command=links, graders=(grader(script, turn=0), grader(script, 1))))
    assert [sorted(result.details.split()) for result in record.grader_results] == [
        ["broken>nowhere", "folder>d", "link>d/f"]
    ] * 2


def test_half_a_workspace_is_not_graded_as_if_it_were_all(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillgrade.engine.workspace_grading.COPY_LIMIT", 1 << 20)
    task = talk("a", "b", command="truncate -s 2M large", graders=(grader(turn=0), grader(index=1)))
    record = run(bench, task)
    assert record.outcome is Outcome.ERRORED
    assert record.error is not None
    assert "for the graders of a turn before the last" in record.error.reason
    assert "(more than 1 MiB): large" in record.error.reason
    assert run(bench, dataclasses.replace(task, graders=(grader(index=1),))).outcome is Outcome.PASSED

"""What was observed of skills, from the agent's stream to the record, the evidence and the reward."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillgrade.engine.record_grading import RecordGrading
from skillgrade.errors import Stage
from skillgrade.results import evidence
from skillgrade.results.records import GraderStatus, Outcome, TrialRecord, Trigger, TriggerStatus
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, Assertion, AssertionsSpec, Reply, Task, Turn
from skillgrade.workspace.base import SkillSnapshot
from tests.engine.conftest import Bench
from tests.support.judges import judging
from tests.support.streams import FOLDER, format_of
from tests.support.tasks import grader, make_task

CLAUDE, GEMINI = FOLDER / "claude-skill.jsonl", FOLDER / "gemini-skill.jsonl"
USED, UNUSED = "ws-claude-skills", "home-claude-skills"
TOOL = "the agent called its skill tool"


def expects(skill: str, *, negated: bool = False, **fields: Any) -> AssertionsSpec:
    return AssertionsSpec("assertions", 1, assertions=(Assertion("skill_used", skill, negated=negated),), **fields)


def play(*streams: Path) -> str:
    """A command that prints one stream after another, one each time that it is told something."""
    cases = " ".join(f"{n}) cat {shlex.quote(str(stream))};;" for n, stream in enumerate(streams))
    return f"n=$(cat .n 2>/dev/null || echo 0); echo $((n + 1)) > .n; case $n in {cases} esac"


def task(command: str, *graders: AssertionsSpec, output_format: str = format_of(CLAUDE), **fields: Any) -> Task:
    spec = AgentSpec("command", command=command, output_format=output_format)
    return make_task(graders=(grader(), *graders), agent=spec, **fields)


def run(bench: Bench, task: Task, skills: Sequence[str] = (USED, UNUSED), **more: Any) -> TrialRecord:
    snapshots = []
    for name in skills:
        folder = bench.root / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Does it.\n---\n")
        snapshots.append(SkillSnapshot(name, folder, "sha256:0", 50))
    return bench.run_spec(replace(bench.spec(task, **more), skills=tuple(snapshots)))


def seen(record: TrialRecord) -> list[tuple[str, str]]:
    return [(trigger.skill, str(trigger.status)) for trigger in record.triggers]


def test_the_record_has_what_was_observed_of_each_skill_of_the_run(bench: Bench) -> None:
    record = run(bench, task(play(CLAUDE)))
    assert record.triggers == (
        Trigger(USED, TriggerStatus.TRIGGERED, f"event 3: {TOOL}"),
        Trigger(UNUSED, TriggerStatus.NOT_TRIGGERED, "nothing that it did opened the skill (tool calls: 1)"),
    )


@pytest.mark.parametrize(
    ("skill", "negated", "reward"), [(USED, False, 1.0), (UNUSED, False, 0.5), (USED, True, 0.5), (UNUSED, True, 1.0)]
)
def test_what_is_expected_of_a_skill_enters_the_reward(bench: Bench, skill: str, negated: bool, reward: float) -> None:
    record = run(bench, task(play(CLAUDE), expects(skill, negated=negated)))
    assert (record.reward, record.error) == (reward, None)
    assert [result.grader_type for result in record.grader_results] == ["deterministic", "assertions"]


def test_it_is_kept_for_later_grading(bench: Bench) -> None:
    asked = task(play(CLAUDE), expects(USED))
    record = run(bench, asked)
    folder = bench.folder.attempt_path(record.task, 0, 0)
    assert evidence.load(folder).triggers == record.triggers
    grading = RecordGrading(asked, 0, folder, {}, Redactor([]), judging(bench.root))
    turned = expects(USED, negated=True)
    assert grading.grade(turned, record.grader_results, folder, Stop()).score == 0.0


def test_plain_text_tells_nothing_and_an_agent_that_never_ran_neither(bench: Bench) -> None:
    record = run(bench, task("echo hello", output_format="text"))
    plain = "the agent prints plain text, which does not show what it does"
    assert record.triggers == tuple(Trigger(name, TriggerStatus.UNKNOWN, plain) for name in (USED, UNUSED))
    assert run(bench, task("echo hello"), (), act=False).triggers == ()


def test_what_cannot_be_told_leaves_the_trial_without_a_verdict(bench: Bench) -> None:
    record = run(bench, task(play(CLAUDE), expects(UNUSED), instruction=f"/{UNUSED} now"))
    assert (record.outcome, record.reward, record.answered_reward) == (Outcome.ERRORED, None, 1.0)
    assert record.error is not None
    assert record.error.stage is Stage.JUDGE
    assert record.error.reason.startswith(f"assertions grader 1: whether the skill {UNUSED} was used cannot be told: ")
    assert record.grader_results[1].status is GraderStatus.ERROR


def test_an_agent_that_could_not_work_has_its_triggers_too(bench: Bench) -> None:
    record = run(bench, task(play(FOLDER / "claude-error-429.jsonl"), expects(USED)))
    assert record.outcome is Outcome.ERRORED
    assert seen(record) == [(USED, "unknown"), (UNUSED, "unknown")]


def test_a_secret_that_an_agent_printed_is_not_in_the_evidence(bench: Bench) -> None:
    (bench.root / ".env").write_text("TOKEN=hunter2hunter2\n")
    said = '{"type": "result", "is_error": true, "result": "bad token hunter2hunter2"}'
    record = run(bench, task(f"echo {shlex.quote(said)}"))
    assert record.triggers[0].evidence.startswith("the agent gave up on an error: bad token ")
    assert "hunter2" not in str(record.triggers)


def test_each_turn_is_graded_on_what_was_seen_until_then_and_the_record_has_all(bench: Bench) -> None:
    first, last = expects("ws-agents-skills", turn=0), replace(expects("ws-agents-skills"), index=2)
    plain = FOLDER / "gemini.jsonl"
    record = run(
        bench,
        task(
            play(plain, GEMINI),
            first,
            last,
            output_format=format_of(GEMINI),
            turns=(Turn("one"), Turn("two")),
        ),
        ("ws-agents-skills",),
    )
    assert [(result.turn, result.score) for result in record.grader_results] == [(1, 1.0), (0, 0.0), (1, 1.0)]
    assert record.triggers == (Trigger("ws-agents-skills", TriggerStatus.TRIGGERED, f"event 3: {TOOL} in turn 1"),)


def test_the_answer_in_which_a_skill_was_used_is_named(bench: Bench) -> None:
    plain = FOLDER / "claude.jsonl"
    turns = (Turn("one", replies=(Reply(".", "go on"),)),)
    record = run(bench, task(play(plain, CLAUDE, plain), expects(USED), turns=turns))
    assert record.triggers[0].evidence == f"event 3: {TOOL} in turn 0, answer 2"
    assert record.reward == 1.0

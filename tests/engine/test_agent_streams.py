"""Agents that print events: what graders read of them, what the record says, and which of them could not work."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from skillgrade.errors import Stage
from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.suite.model import AgentSpec, Task, Turn
from skillgrade.transcript.conversion import events_in
from skillgrade.transcript.events import CallStatus, End, ToolCall
from tests.engine.conftest import Bench
from tests.support.streams import FOLDER, STREAMS, format_of
from tests.support.tasks import grader, make_task

SHOW = """file=$(jq -r .transcript <<<"$SKILLGRADE_INPUT"); jq -Rsc '{score: 1, details: .}' < "$file" """
PASS = """echo '{"score": 1, "details": "fine"}'"""


def task(command: str, format_name: str, run: str = PASS, **fields: Any) -> Task:
    spec = AgentSpec("command", command=command, output_format=format_name)
    return make_task(graders=(grader(run),), agent=spec, **fields)


def replay(bench: Bench, stream: str, run: str = PASS) -> TrialRecord:
    path = FOLDER / stream
    return bench.run_spec(bench.spec(task(f"cat {shlex.quote(str(path))}; echo log >&2", format_of(path), run)))


def test_graders_read_what_the_agent_did_instead_of_what_it_printed(bench: Bench) -> None:
    record = replay(bench, "codex.jsonl", SHOW)
    assert record.outcome is Outcome.PASSED, record.error
    golden = (FOLDER.parent / "golden" / "codex.jsonl.txt").read_text("utf-8")
    assert record.grader_results[0].details.strip() == golden.strip()
    assert bench.text(record, "agent.stdout") == (FOLDER / "codex.jsonl").read_text("utf-8")
    events = list(events_in(bench.folder.path / record.files["transcript.jsonl"]))
    assert [event.status for event in events if isinstance(event, ToolCall)] == [CallStatus.OK]
    assert events[-1] == End("turn.completed", ok=True)


def test_usage_stands_in_the_record(bench: Bench) -> None:
    record = replay(bench, "claude.jsonl")
    assert (record.tokens, record.cost_usd) == ({"input": 214, "cached_input": 14, "output": 40}, 0.002007)
    record = replay(bench, "codex.jsonl")
    assert (record.tokens, record.cost_usd) == (
        {"input": 200, "cached_input": 14, "output": 40, "reasoning": 10},
        None,
    )


def test_plain_text_has_neither_events_nor_usage(bench: Bench) -> None:
    record = bench.run("echo hello", SHOW)
    assert "transcript.jsonl" not in record.files
    assert (record.tokens, record.cost_usd) == (None, None)
    assert record.grader_results[0].details.strip() == "hello"


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        ("claude-error-429.jsonl", "an error (429): API Error: Request rejected (429) · fake 429"),
        ("claude-malformed-reply.jsonl", "API Error: Failed to parse JSON"),
        ("claude-permission-denied.jsonl", "the agent was not allowed to do anything: Write was denied"),
        ("codex-error-500.jsonl", "high demand"),
        ("opencode-error-401.jsonl", "an error (401): fake 401"),
    ],
)
def test_an_agent_that_could_not_work_is_an_error_and_no_failure(bench: Bench, stream: str, reason: str) -> None:
    record = replay(bench, stream)
    assert (record.outcome, record.reward) == (Outcome.ERRORED, None)
    assert record.error is not None
    assert record.error.stage is Stage.AGENT
    assert reason in record.error.reason
    assert "transcript.jsonl" in record.files


def test_what_an_errored_agent_used_is_counted(bench: Bench) -> None:
    assert replay(bench, "claude-permission-denied.jsonl").cost_usd == 0.002007


def test_an_agent_that_prints_no_event_is_an_error_that_quotes_it(bench: Bench) -> None:
    record = bench.run_spec(bench.spec(task("echo Please run /login", "claude-stream-json")))
    assert record.error is not None
    assert "no event of claude-stream-json; it said: Please run /login" in record.error.reason


def test_an_agent_that_called_no_tool_is_noted(bench: Bench) -> None:
    record = replay(bench, "codex-readonly-no-work.jsonl")
    assert record.outcome is Outcome.PASSED
    assert any(note.startswith("the agent called no tool") for note in record.notes)


def test_a_deadline_is_a_failure_although_the_stream_has_no_end(bench: Bench) -> None:
    started = """echo '{"type": "thread.started"}'; sleep 600"""
    record = bench.run_spec(bench.spec(task(started, "codex-jsonl", timeout=0.5)))
    assert record.outcome is Outcome.FAILED
    assert record.agent is not None
    assert record.agent.timed_out


def test_every_turn_has_its_events_and_the_usage_is_of_all(bench: Bench) -> None:
    stream = FOLDER / "claude.jsonl"
    record = bench.run_spec(bench.spec(task(f"cat {stream}", "claude-stream-json", turns=(Turn("one"), Turn("two")))))
    assert record.outcome is Outcome.PASSED, record.error
    assert {"turn-0/transcript.jsonl", "turn-1/transcript.jsonl"} <= set(record.files)
    assert record.cost_usd == pytest.approx(2 * 0.002007)
    assert record.tokens == {"input": 428, "cached_input": 28, "output": 80}


def test_every_recorded_stream_runs(bench: Bench) -> None:
    for stream in STREAMS:
        record = replay(bench, stream.name)
        assert record.outcome in (Outcome.PASSED, Outcome.ERRORED)
        assert record.error is None or record.error.stage is Stage.AGENT


def test_what_is_noted_of_several_turns_is_noted_once(bench: Bench) -> None:
    command = f"cat {FOLDER / 'codex-readonly-no-work.jsonl'}"
    record = bench.run_spec(bench.spec(task(command, "codex-jsonl", turns=(Turn("one"), Turn("two")))))
    assert sum(note.startswith("the agent called no tool") for note in record.notes) == 1
    assert record.tokens == {"input": 200, "cached_input": 14, "output": 40, "reasoning": 10}

"""What is made of what agents print: what they did, what they said, and whether they could work at all."""

from __future__ import annotations

import json
import shlex
from typing import Any

from skillgrade.errors import Stage
from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.suite.model import AgentSpec
from tests.engine.conftest import Bench
from tests.support.tasks import grader, make_task

BEGUN = {"type": "turn.started"}
SAID = {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": "It is done, my friend."}}
DONE = {"type": "turn.completed", "usage": {"input_tokens": 10, "output_tokens": 2}}
FAILED = {"type": "turn.failed", "error": {"message": "unexpected status 401: sk-canary-0123456789 is wrong"}}
READS = """
path=$(grep -o '"transcript": *"[^"]*' <<<"$SKILLGRADE_INPUT" | cut -d'"' -f4)
grep -q '^It is done, my friend.$' "$path" && ! grep -q agent_message "$path" && s=1 || s=0
printf '{"score": %s, "details": "the transcript"}' "$s"
"""


def run(bench: Bench, *events: dict[str, Any], then: str = "true", **fields: Any) -> TrialRecord:
    """A trial of a command that prints Codex's events, and ends in some way."""
    lines = "\n".join(json.dumps(event) for event in events)
    spec = AgentSpec("command", command=f"printf '%s\\n' {shlex.quote(lines)}; {then}", output_format="codex-jsonl")
    return bench.run_spec(bench.spec(make_task(graders=(grader(READS),), agent=spec, **fields)))


def test_graders_read_what_the_agent_did_not_how_its_tool_prints_it(bench: Bench) -> None:
    record = run(bench, BEGUN, SAID, DONE, then="exit 3")
    assert (record.outcome, record.reward, record.error) == (Outcome.PASSED, 1.0, None)
    assert [json.loads(line)["event"] for line in bench.text(record, "transcript.jsonl").splitlines()] == [
        "message",
        "usage",
        "end",
    ]


def test_an_agent_that_could_not_work_is_an_error_in_its_own_words_without_secrets(bench: Bench) -> None:
    (bench.root / ".env").write_text("KEY=sk-canary-0123456789\n")
    record = run(bench, BEGUN, FAILED)
    assert record.outcome is Outcome.ERRORED
    assert record.error is not None
    assert record.error.stage is Stage.AGENT
    assert "unexpected status 401" in record.error.reason
    assert "canary" not in record.error.reason
    assert record.agent is not None
    assert record.agent.exit_code == 0
    assert record.grader_results == ()


def test_a_stream_of_another_format_is_an_error(bench: Bench) -> None:
    record = run(bench, {"type": "result", "result": "fine"})
    assert record.outcome is Outcome.ERRORED
    assert record.error is not None
    assert "codex-jsonl" in record.error.reason


def test_an_agent_cut_at_its_deadline_is_graded_by_what_it_did(bench: Bench) -> None:
    record = run(bench, BEGUN, SAID, then="exec sleep 100", timeout=2)
    assert record.agent is not None
    assert record.agent.timed_out
    assert record.outcome is Outcome.FAILED

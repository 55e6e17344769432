"""Agents that could not work are told from agents that worked badly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillgrade.results.encoding import decode, dump, encode, load_document
from skillgrade.transcript.failure import failure, notes
from skillgrade.transcript.summary import TranscriptSummary
from tests.support.streams import FOLDER, STREAMS, converted, summary_of

BUSY = "We’re currently experiencing high demand, which may cause temporary errors."
DENIED = "Claude requested permissions to write to a.txt, but you haven't granted it yet."


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (
            "claude-error-429.jsonl",
            "the agent gave up on an error (429): API Error: Request rejected (429) · fake 429",
        ),
        ("claude-malformed-reply.jsonl", "the agent gave up on an error: API Error: Failed to parse JSON"),
        ("claude-permission-denied.jsonl", "the agent was not allowed to do anything: Write was denied"),
        ("codex-error-500.jsonl", f"the agent gave up on an error: {BUSY}"),
        ("opencode-error-401.jsonl", "the agent gave up on an error (401): fake 401"),
    ],
)
def test_recorded_failures(stream: str, reason: str, tmp_path: Path) -> None:
    assert failure(converted(FOLDER / stream, tmp_path)[0]) == reason


def test_an_agent_that_calls_no_tool_is_noted_since_a_read_only_sandbox_looks_the_same(tmp_path: Path) -> None:
    summary, _ = converted(FOLDER / "codex-readonly-no-work.jsonl", tmp_path)
    assert failure(summary) is None
    assert notes(summary) == (
        "the agent called no tool: if the task needs one, look at its permissions and its sandbox",
    )
    assert notes(converted(FOLDER / "gemini-single.json", tmp_path)[0]) == ()


def result(**more: Any) -> dict[str, Any]:
    return {"type": "result", "subtype": "success", "is_error": False, **more}


def use(name: str, tool: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": name, "name": tool, "input": {}}]}}


def answer(name: str, content: str, *, is_error: bool) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": name, "content": content, "is_error": is_error}
    return {"type": "user", "message": {"content": [block]}}


@pytest.mark.parametrize(
    ("format_name", "documents", "reason"),
    [
        ("claude-stream-json", [], "the agent printed no event of claude-stream-json"),
        (
            "claude-stream-json",
            ["Please run /login"],
            'the agent printed no event of claude-stream-json; it said: "Please run /login"',
        ),
        (
            "claude-stream-json",
            [use("a", "Read"), answer("a", "text", is_error=False), use("b", "Write"),
             answer("b", DENIED, is_error=True), result()],
            f"the agent was not allowed to do anything: Write was denied ({DENIED})",
        ),
        (
            "claude-stream-json",
            [{"type": "system", "subtype": "permission_denied", "tool_use_id": "b"}, use("b", "Bash"),
             answer("b", "no", is_error=True), result()],
            "the agent was not allowed to do anything: Bash was denied (no)",
        ),
        (
            "claude-stream-json",
            [use("a", "Bash"), answer("a", "No such file", is_error=True), result()],
            None,
        ),
        ("claude-stream-json", [use("a", "Bash")], "the agent stopped before it said that it is done"),
        ("claude-stream-json", [result(subtype="error_max_turns", is_error=True)], None),
        (
            "claude-stream-json",
            [result(subtype="error_during_execution", is_error=True, errors=["boom"])],
            "the agent gave up on an error (error_during_execution): boom",
        ),
        (
            "codex-jsonl",
            [
                {"type": "item.completed", "item": {
                    "id": "1", "type": "command_execution", "command": "ls", "status": "failed", "exit_code": 1,
                    "aggregated_output": "bwrap: No permissions to create new namespace\n"}},
                {"type": "turn.completed", "usage": {}},
            ],
            "the agent was not allowed to do anything: Bash was denied (bwrap: No permissions to create new namespace)",
        ),
        (
            "codex-jsonl",
            [{"type": "turn.started"}, {"type": "error", "message": "stream disconnected"}],
            "the agent stopped before it said that it is done; its last error: stream disconnected",
        ),
        (
            "gemini-stream-json",
            [{"type": "result", "status": "error", "error": {"type": "ApiError", "message": "[API Error: 401]"}}],
            "the agent gave up on an error (ApiError): [API Error: 401]",
        ),
        (
            "opencode-json",
            [{"type": "error", "error": {"name": "APIError", "data": {"message": "busy", "statusCode": 429}}},
             {"type": "step_finish", "part": {"id": "p", "reason": "stop"}}],
            None,
        ),
        (
            "acp",
            [{"jsonrpc": "2.0", "id": 3, "error": {"code": -32000, "message": "Authentication required"}}],
            "the agent gave up on an error (-32000): Authentication required",
        ),
        ("acp", [{"id": 3, "result": {"stopReason": "max_tokens"}}], None),
        ("text", [], None),
    ],
)  # fmt: skip
def test_rules(format_name: str, documents: list[Any], reason: str | None, tmp_path: Path) -> None:
    assert failure(summary_of(documents, format_name, tmp_path)) == reason


def test_a_denial_beside_work_that_was_done_is_noted(tmp_path: Path) -> None:
    documents = [
        use("a", "Bash"), answer("a", "done", is_error=False), use("b", "Write"), answer("b", DENIED, is_error=True),
        result(),
    ]  # fmt: skip
    summary = summary_of(documents, "claude-stream-json", tmp_path)
    assert failure(summary) is None
    assert notes(summary) == (f"the agent was denied a tool: Write was denied ({DENIED})",)


def test_a_summary_is_kept_as_json_and_read_back(tmp_path: Path) -> None:
    for stream in STREAMS:
        summary, _ = converted(stream, tmp_path)
        assert decode(TranscriptSummary, load_document(dump(encode(summary)))) == summary

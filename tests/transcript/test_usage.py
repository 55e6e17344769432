from __future__ import annotations

from pathlib import Path

from skillgrade.transcript.events import Usage
from skillgrade.transcript.summary import TranscriptSummary
from skillgrade.transcript.usage import total_usage
from tests.support.streams import FOLDER, converted, summary_of


def test_tokens_are_of_those_that_know_them_and_the_cost_of_all_or_none(tmp_path: Path) -> None:
    claude, _ = converted(FOLDER / "claude.jsonl", tmp_path)
    codex, _ = converted(FOLDER / "codex.jsonl", tmp_path)
    silent, _ = converted(FOLDER / "acp-codex.jsonl", tmp_path)
    assert total_usage([claude, claude]) == Usage({"input": 428, "cached_input": 28, "output": 80}, 2 * 0.002007)
    both = {"input": 414, "cached_input": 28, "output": 80, "reasoning": 10}
    assert total_usage([claude, codex]) == Usage(both, None)
    assert total_usage([claude, silent]) == Usage({"input": 214, "cached_input": 14, "output": 40}, None)
    assert total_usage([silent]) is None
    assert total_usage([]) is None


def test_what_counts_from_the_beginning_of_a_conversation_counts_once(tmp_path: Path) -> None:
    def codex(thread: str, tokens: int) -> TranscriptSummary:
        usage = {"input_tokens": tokens, "output_tokens": tokens}
        documents = [{"type": "thread.started", "thread_id": thread}, {"type": "turn.completed", "usage": usage}]
        return summary_of(documents, "codex-jsonl", tmp_path)

    def acp(session: str, cost: float) -> TranscriptSummary:
        update = {"sessionUpdate": "usage_update", "cost": {"amount": cost, "currency": "USD"}}
        documents = [
            {"method": "session/update", "params": {"sessionId": session, "update": update}},
            {"id": 1, "result": {"stopReason": "end_turn", "usage": {"inputTokens": 5, "outputTokens": 1}}},
        ]
        return summary_of(documents, "acp", tmp_path)

    assert total_usage([codex("a", 100), codex("a", 250)]) == Usage({"input": 250, "output": 250})
    failed = summary_of([{"type": "thread.started", "thread_id": "a"}], "codex-jsonl", tmp_path)
    assert total_usage([codex("a", 100), failed]) == Usage({"input": 100, "output": 100})
    assert total_usage([codex("a", 100), codex("b", 250)]) == Usage({"input": 350, "output": 350})
    assert total_usage([acp("a", 0.5), acp("a", 0.75)]) == Usage({"input": 10, "output": 2}, 0.75)
    assert total_usage([acp("a", 0.5), acp("b", 0.75)]) == Usage({"input": 10, "output": 2}, 1.25)

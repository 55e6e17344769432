"""The recorded streams of real agents, as they are shown and as they are summed up."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.transcript.events import CallStatus, End
from skillgrade.transcript.failure import failure, notes
from skillgrade.transcript.render import render, spoken
from tests.support.streams import FOLDER, STREAMS, converted

GOLDEN = Path(__file__).parent / "golden"
CLAUDE = {"input": 214, "cached_input": 14, "output": 40}
OPENAI = {"input": 200, "cached_input": 14, "output": 40, "reasoning": 10}
GEMINI = {"input": 200, "cached_input": 14, "output": 50, "reasoning": 10}
NOTHING = {"input": 0, "cached_input": 0, "output": 0}


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
def test_a_stream_is_shown_as_it_was(stream: Path, tmp_path: Path) -> None:
    summary, events = converted(stream, tmp_path)
    assert render(events) == (GOLDEN / f"{stream.name}.txt").read_text("utf-8")
    assert summary.noise == 0
    assert summary.events == len(events)


@pytest.mark.parametrize(
    ("name", "tokens", "cost_usd", "end"),
    [
        ("claude.jsonl", CLAUDE, 0.002007, End("success", ok=True)),
        ("claude-error-429.jsonl", NOTHING, 0.0, End("success", ok=False)),
        ("codex.jsonl", OPENAI, None, End("turn.completed", ok=True)),
        ("codex-error-500.jsonl", None, None, End("turn.failed", ok=False)),
        ("gemini.jsonl", GEMINI, None, End("success", ok=True)),
        ("gemini-single.json", GEMINI, None, End("response", ok=True)),
        ("opencode.jsonl", OPENAI, 0.0, End("stop", ok=True)),
        ("opencode-error-401.jsonl", None, None, End("APIError", ok=False)),
        ("acp-claude.jsonl", CLAUDE, 0.002007, End("end_turn", ok=True)),
        ("acp-codex.jsonl", None, None, End("end_turn", ok=True)),
        ("acp-gemini.jsonl", {"input": 200, "output": 40}, None, End("end_turn", ok=True)),
        (
            "acp-opencode.jsonl",
            {"input": 100, "cached_input": 7, "output": 20, "reasoning": 5},
            0.0,
            End("end_turn", ok=True),
        ),
    ],
)
def test_usage_and_end(
    name: str, tokens: dict[str, int] | None, cost_usd: float | None, end: End, tmp_path: Path
) -> None:
    summary, _ = converted(FOLDER / name, tmp_path)
    assert (summary.tokens, summary.cost_usd, summary.end) == (tokens, cost_usd, end)


@pytest.mark.parametrize(
    "name",
    ["claude.jsonl", "codex.jsonl", "gemini.jsonl", "opencode.jsonl", "acp-claude.jsonl", "acp-codex.jsonl",
     "acp-gemini.jsonl", "acp-opencode.jsonl"],
)  # fmt: skip
def test_the_one_call_is_counted_once(name: str, tmp_path: Path) -> None:
    summary, events = converted(FOLDER / name, tmp_path)
    assert summary.calls == {CallStatus.OK: 1}
    assert summary.acted == 1
    assert spoken(events).endswith("Done: the file was written.")
    assert failure(summary) is None
    assert notes(summary) == ()


def test_the_streams_say_nothing_of_the_machine_that_recorded_them() -> None:
    for stream in STREAMS:
        text = stream.read_text("utf-8")
        assert "/root" not in text
        assert "/tmp" not in text
        assert "127.0.0.1:18080" not in text

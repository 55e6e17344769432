from __future__ import annotations

from pathlib import Path

from skillgrade.transcript.events import Usage
from skillgrade.transcript.usage import total_usage
from tests.support.streams import FOLDER, converted


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

"""What asking a judge about a huge transcript costs on our side: against copying that transcript in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.measure import Row, Size, compare, milliseconds
from skillgrade.judges.prompt import rubric_question
from skillgrade.results.evidence import Evidence
from skillgrade.suite.model import LlmRubricSpec

CHARACTERS = 5_000_000
LINES = {
    "ASCII": "the agent reads app.js and writes it anew\n",
    "non-ASCII": "der Agent liest „app.js“ – und schreibt sie neu\n",
}
REPEATED = 20
SPEC = LlmRubricSpec("llm_rubric", 0, rubric="Is it good?")


def run(size: Size, folder: Path) -> Iterator[Row]:  # noqa: ARG001  (as every benchmark is called)
    length = max(100_000, round(CHARACTERS * size.scale))
    for name, line in LINES.items():
        transcript = line * (length // len(line))
        _prompt(transcript)  # the templates are compiled once per run
        yield compare(
            "judge_prompt",
            f"a prompt with a transcript of {length / 1e6:g} million characters, {name}; floor: copying it",
            partial(_took, partial(_copy, transcript)),
            partial(_took, partial(_prompt, transcript)),
            size.rounds * 3,
            3.0,
        )


def _took(action: Callable[[], object]) -> float:
    def repeat() -> None:
        for _ in range(REPEATED):
            action()

    return milliseconds(repeat) / REPEATED


def _copy(transcript: str) -> str:
    return transcript + "\n"


def _prompt(transcript: str) -> object:
    return rubric_question(SPEC, None, Evidence(0, "Do it.", transcript, ""), ())

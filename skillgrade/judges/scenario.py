"""What a judge is asked about an answer that passes or fails by criteria.

Each text that somebody else wrote stands in a tag made from the sha256 of all of them, so that none can contain its own
tag or another's. Nothing random is in the prompt, and no time, id or host path: the same answer gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillgrade.judges.base import Prompt
from skillgrade.judges.scenario_reply import verdict_schema
from skillgrade.judges.templates import TAG_DIGITS, digest, render
from skillgrade.judges.untrusted import ARTIFACT, INSTRUCTION, TRANSCRIPT, Excerpt, excerpt, visible
from skillgrade.suite.model import JudgeSpec

SCENARIO_PROMPT_VERSION = "scenario-1"
"""The version of the templates; recordings of another one are stale."""

SCENARIO_TEMPLATES = ("scenario-system.j2", "scenario-user.j2")


@dataclass(frozen=True, slots=True)
class ScenarioQuestion:
    """A prompt, and what its answer must have.

    Attributes:
        prompt: What is sent.
        passing: The ids of the criteria that must hold, in order.
        failing: Those of which none may hold.
        quotable: The texts that quotes may come from, as the judge gets them.
    """

    prompt: Prompt
    passing: tuple[str, ...]
    failing: tuple[str, ...]
    quotable: tuple[str, ...]


def scenario_question(
    spec: JudgeSpec, prompt: str, answer: str, files: Mapping[str, str | None] | None = None
) -> ScenarioQuestion:
    """The question whether an answer passes.

    Args:
        spec: The grader: its rubric and its criteria.
        prompt: What the agent was told.
        answer: What it answered; not blank.
        files: Workspace files that count as part of the answer, by path; None for one that was not there.
    """
    passing = _criteria("pass", spec.pass_criteria)
    failing = _criteria("fail", spec.fail_criteria)
    parts = [
        ("What the agent was told:", excerpt(prompt, INSTRUCTION)),
        ("What it answered:", excerpt(answer, TRANSCRIPT)),
    ]
    parts += [(_title(path, text), excerpt(text or "", ARTIFACT)) for path, text in (files or {}).items()]
    ids = [each["id"] for each in (*passing, *failing)]
    system = render(SCENARIO_TEMPLATES[0], rubric=visible(spec.rubric), passing=passing, failing=failing)
    user = render(SCENARIO_TEMPLATES[1], parts=list(_tagged(parts)))
    return ScenarioQuestion(
        Prompt(SCENARIO_PROMPT_VERSION, system, user, verdict_schema(ids)),
        tuple(each["id"] for each in passing),
        tuple(each["id"] for each in failing),
        tuple(shown.text for _, shown in parts[1:]),
    )


def _criteria(kind: str, texts: Sequence[str]) -> list[Mapping[str, str]]:
    """Criteria as the template takes them, each on one line."""
    return [{"id": f"{kind}-{number}", "text": " ".join(visible(text).split())} for number, text in enumerate(texts, 1)]


def _title(path: str, text: str | None) -> str:
    name = json.dumps(visible(path), ensure_ascii=False)
    return f"The file {name} of its answer, which is not there:" if text is None else f"The file {name} of its answer:"


def _tagged(parts: Sequence[tuple[str, Excerpt]]) -> Iterator[Mapping[str, object]]:
    seal = digest(SCENARIO_PROMPT_VERSION, *(text for title, shown in parts for text in (title, shown.text)))
    for index, (title, shown) in enumerate(parts):
        held = digest(seal, str(index), shown.text)
        yield {"title": title, "tag": f"data-{held[:TAG_DIGITS]}", "missing": shown.missing, "text": shown.text}

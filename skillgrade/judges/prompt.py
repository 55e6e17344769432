"""What a judge is asked about a trial: instructions, and the records of the work as untrusted data.

Every record stands in a tag that is made from the sha256 of what all of them hold, so no record can contain its own
tag, or another's, and close or imitate it. The tag of the answer is made likewise, from the rubric and the expected
answer too: a verdict that the agent planted lacks it. Nothing random is in a prompt, and no time, id, duration or host
path: the same trial gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillgrade.judges import untrusted
from skillgrade.judges.base import Prompt
from skillgrade.judges.reply import reply_schema, section_key
from skillgrade.judges.templates import TAG_DIGITS, digest, render
from skillgrade.judges.untrusted import Budget, Excerpt, excerpt, visible
from skillgrade.results.evidence import Evidence
from skillgrade.results.records import Check, GraderResult
from skillgrade.suite.model import LlmRubricSpec
from skillgrade.suite.rubric_sections import RubricSection

PROMPT_VERSION = "1"
"""The version of the templates; recordings of another one are stale."""

RUBRIC_TEMPLATES = ("rubric-system.j2", "rubric-user.j2")

_OPINIONS = frozenset({"llm_rubric", "judge", "human"})
"""Graders whose results a judge does not get: it should not follow another's opinion, and what a person says later must
not change what it was asked."""


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt, and what its answer must have.

    Attributes:
        prompt: What is sent.
        tag: The tag that the answer must echo.
        sections: The sections of the rubric, each of which the answer must score; empty for one score.
    """

    prompt: Prompt
    tag: str
    sections: tuple[RubricSection, ...]


def rubric_question(
    spec: LlmRubricSpec, expected: object, evidence: Evidence, earlier: Iterable[GraderResult]
) -> Question:
    """The question how well a trial meets a rubric.

    Args:
        spec: The grader: its rubric, and the files of the workspace that the judge gets.
        expected: The expected answer, any YAML value; None where there is none.
        evidence: What was kept of the trial, those files among it.
        earlier: What other graders said. Those that measure count, those that have opinions do not.
    """
    sections = spec.sections
    rubric = visible(spec.rubric)
    answer = None if expected is None else visible(json.dumps(expected, ensure_ascii=False, indent=2, default=str))
    records = list(_records(evidence, spec.artifacts, earlier))
    held = (text for record in records for text in (record.title, record.excerpt.text if record.excerpt else ""))
    seal = digest(PROMPT_VERSION, rubric, answer or "", *held)
    tag = f"answer-{seal[:TAG_DIGITS]}"
    system = render(
        RUBRIC_TEMPLATES[0],
        rubric=rubric,
        expected=answer,
        sections=[_shown_section(index, section) for index, section in enumerate(sections)],
        answer_tag=tag,
    )
    parts = [_part(index, record, seal) for index, record in enumerate(records)]
    user = render(RUBRIC_TEMPLATES[1], parts=parts, answer_tag=tag)
    return Question(Prompt(PROMPT_VERSION, system, user, reply_schema(sections)), tag, sections)


def request_digest(prompt: Prompt) -> str:
    """What names a prompt in recordings and records: ``sha256:`` over its version and its two texts."""
    return f"sha256:{digest(prompt.version, prompt.system, prompt.user)}"


@dataclass(frozen=True, slots=True)
class _Record:
    """One thing that a judge is told: a sentence of ours, and, below it, what somebody else wrote."""

    title: str
    name: str
    excerpt: Excerpt | None = None


def _records(evidence: Evidence, artifacts: Sequence[str], earlier: Iterable[GraderResult]) -> Iterator[_Record]:
    yield _record("What the agent was told:", "instruction", evidence.instruction, untrusted.INSTRUCTION)
    facts = "\n\n".join(_measured(result) for result in earlier if result.grader_type not in _OPINIONS)
    if facts:
        yield _record("What programs measured on the agent's work:", "graders", facts, untrusted.FACTS)
    if evidence.diff:
        yield _record("What changed in the workspace, as the harness saw it:", "diff", evidence.diff, untrusted.DIFF)
    elif evidence.diff is not None:
        yield _Record("Nothing changed in the workspace, as the harness saw it.", "diff")
    for path in artifacts:
        content = evidence.artifacts.get(path)
        name = json.dumps(visible(path), ensure_ascii=False)
        if content is None:
            yield _Record(f"The workspace had no readable file {name} when the agent stopped.", path)
        else:
            yield _record(f"The file {name} when the agent stopped:", path, content, untrusted.ARTIFACT)
    if evidence.transcript and not evidence.transcript.isspace():
        yield _record("What the agent said and did:", "transcript", evidence.transcript, untrusted.TRANSCRIPT)
    else:
        yield _Record("The agent said nothing.", "transcript")


def _record(title: str, name: str, text: str, budget: Budget) -> _Record:
    return _Record(title, name, excerpt(text, budget))


def _measured(result: GraderResult) -> str:
    """What a grader measured; not its weight, which is no fact about the work."""
    score = result.status.value if result.score is None else f"score {result.score:g}"
    lines = [f"{result.grader_type}: {score}", result.details, *map(_checked, result.checks)]
    return "\n".join(line for line in lines if line)


def _checked(check: Check) -> str:
    outcome = "passed" if check.passed else "not passed"
    return f"- {check.name}: {outcome}" + (f" ({check.message})" if check.message else "")


def _part(index: int, record: _Record, seal: str) -> Mapping[str, object]:
    """A record as the template takes it."""
    if record.excerpt is None:
        return {"title": record.title, "tag": None}
    held = digest(seal, str(index), record.excerpt.text)
    return {
        "title": record.title,
        "tag": f"data-{held[:TAG_DIGITS]}",
        "name": json.dumps(visible(record.name), ensure_ascii=False),
        "missing": record.excerpt.missing,
        "text": record.excerpt.text,
    }


def _shown_section(index: int, section: RubricSection) -> Mapping[str, str]:
    low, high = f"{section.low:g}", f"{section.high:g}"
    return {"key": section_key(index), "title": visible(section.title), "low": low, "high": high}

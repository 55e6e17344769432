"""Graders that ask judges: from what the file says to specs."""

from __future__ import annotations

from itertools import combinations

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.suite.judge_keys import read_artifacts, read_judges
from skillgrade.suite.model import Calibration, JudgeSpec, LlmRubricSpec
from skillgrade.suite.rubric_sections import section_problems

JUDGE = "judge"
LLM_RUBRIC = "llm_rubric"

_ANSWERS = ("known_right", "known_wrong", "vague", "subtle_wrong")


def read_llm_rubric(grader: Cursor, rubric: str, index: int, weight: float, findings: Findings) -> LlmRubricSpec:
    """A grader that scores by a rubric.

    Args:
        grader: What the file says.
        rubric: The rubric's text.
        index: The grader's number.
        weight: Its weight.
        findings: Gets the problems.
    """
    place = grader.get("rubric") or grader
    for problem in section_problems(rubric):
        findings.warn(place.mark, place.path, problem)
    optional = grader.get("optional")
    return LlmRubricSpec(
        type=LLM_RUBRIC,
        index=index,
        weight=weight,
        rubric=rubric,
        artifacts=read_artifacts(grader, findings),
        samples=_samples(grader),
        judges=read_judges(grader, findings),
        calibration=_calibration(grader, findings),
        is_optional=optional is not None and optional.value is True,
    )


def read_judge(grader: Cursor, rubric: str, index: int, weight: float, findings: Findings) -> JudgeSpec:
    """A grader that decides by criteria; see `read_llm_rubric`."""
    return JudgeSpec(
        type=JUDGE,
        index=index,
        weight=weight,
        rubric=rubric,
        pass_criteria=_texts(grader, "pass_criteria", findings),
        fail_criteria=_texts(grader, "fail_criteria", findings),
        calibration=_calibration(grader, findings),
        anti_patterns=_texts(grader, "anti_patterns", findings),
        artifacts=read_artifacts(grader, findings),
        samples=_samples(grader),
        judges=read_judges(grader, findings),
    )


def _samples(grader: Cursor) -> int:
    samples = grader.get("samples")
    count = samples.number() if samples else None
    return 1 if count is None else int(count)


def _texts(grader: Cursor, key: str, findings: Findings) -> tuple[str, ...]:
    listed = grader.get(key)
    texts = []
    for item in listed.items() if listed else ():
        text = item.text() or ""
        if item.text() is not None and not text.strip():
            findings.error(item.mark, item.path, "is blank")
        texts.append(text)
    return tuple(texts)


def _calibration(grader: Cursor, findings: Findings) -> Calibration | None:
    """The calibration answers; blank ones, and two that are the same, are noted as errors."""
    written = grader.get("calibration")
    if written is None or not isinstance(written.value, dict):
        return None
    texts = {}
    for name in _ANSWERS:
        answer = written.get(name)
        texts[name] = (answer.text() or "") if answer else ""
        if answer is not None and answer.text() is not None and not texts[name].strip():
            findings.error(answer.mark, answer.path, "is blank, so it calibrates nothing")
    for one, other in combinations(_ANSWERS, 2):
        place = written.get(other)
        if place is not None and texts[one].strip() and texts[one].strip() == texts[other].strip():
            findings.error(
                place.mark, place.path, f"is the same answer as {one}, whose verdict is another thing to know"
            )
    return Calibration(**texts)

"""What makes scenarios weaker than they could be, without making them wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgrade.checks.findings import Finding, warning
from skillgrade.checks.integrity.rules import Subject
from skillgrade.wording import shown

RUBRIC_LENGTH = warning(
    "rubric-length", "A rubric of a judge has one to four sentences.",
    "A long rubric is a second list of criteria, and judges weigh it against the first.",
    "say the mechanism in the rubric, and the rest in criteria",
)  # fmt: skip
VAGUE_LENGTH = warning(
    "vague-length", "The vague calibration answer has one to three sentences.",
    "A long one shows something by accident.",
    "let it name the direction and no more",
)  # fmt: skip
PROSE = warning(
    "anti-pattern-prose", "An anti-pattern is a construct, not prose.",
    "A sentence is found where it was copied from, and nowhere else.",
    "name the literal construct: a call, a comment, a type",
)  # fmt: skip
WARNING_CLAUSE = warning(
    "warning-clause", "A fail criterion that names an anti-pattern says that warning of it is no failure.",
    "A right answer may name it in order to warn of it.",
    "add to it: mentioning it only to warn of it is no failure",
)  # fmt: skip
RULES = (RUBRIC_LENGTH, VAGUE_LENGTH, PROSE, WARNING_CLAUSE)

_SENTENCE = re.compile(r"[.!?]+(?=\s|$)")
_MOST_RUBRIC, _MOST_VAGUE, _MOST_WORDS = 4, 3, 4
_CLAUSE = re.compile(r"\b(?:warn\w*|mention\w*|not a failure|no failure|caution\w*)\b", re.IGNORECASE)


def advice_on(subject: Subject) -> Iterator[Finding]:
    """What could be better."""
    for each in subject.scenarios:
        if each.judge is None:
            continue
        name = shown(each.name)
        if _sentences(each.judge.rubric) > _MOST_RUBRIC:
            yield Finding(
                RUBRIC_LENGTH, f"the rubric of {name} has {_sentences(each.judge.rubric)} sentences", *each.place
            )
        vague = each.judge.calibration.vague if each.judge.calibration is not None else ""
        if _sentences(vague) > _MOST_VAGUE:
            yield Finding(VAGUE_LENGTH, f"the vague answer of {name} has {_sentences(vague)} sentences", *each.place)
        for pattern in each.anti_patterns:
            if len(pattern.split()) > _MOST_WORDS and re.fullmatch(r"[\w\s,.'-]+", pattern):
                yield Finding(PROSE, f"the anti-pattern {shown(pattern)} of {name} is prose", *each.place)
        for text in each.judge.fail_criteria:
            named = next((one for one in each.anti_patterns if one.lower() in text.lower()), None)
            if named is not None and not _CLAUSE.search(text):
                message = f"a fail criterion of {name} names {shown(named)} and does not say that warning of it is fine"
                yield Finding(WARNING_CLAUSE, message, *each.place)


def _sentences(text: str) -> int:
    text = text.strip()
    ends = len(_SENTENCE.findall(text))
    return ends if not text or text[-1] in ".!?" else ends + 1

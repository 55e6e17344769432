"""The integrity rules I1 to I11, but for what a recording has to show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

from skillgrade.checks.findings import Finding, Rule, Severity
from skillgrade.checks.integrity.scenarios import Scenario
from skillgrade.graders.assertions import Subjects, check_assertions
from skillgrade.judges.canned import ECHO
from skillgrade.results.records import AssertionStatus
from skillgrade.skill.model import Skill
from skillgrade.skill.tokens import words
from skillgrade.suite.model import Assertion, Suite
from skillgrade.wording import shown

_GRAM = 6
_SHORTEST_PATTERN = 4
_NEAR_COPY = 0.5
_WORD = re.compile(r"[a-z0-9]+")
_ANSWER_KEY = re.compile(
    r"verbatim|exact sentence|open your answer|your first sentence|first sentence (?:names|must|should)|"
    r"begin your (?:answer|reply) with",
    re.IGNORECASE,
)
_NEGATION_ONLY = re.compile(r"\s*(?:mentioning|merely mentioning|naming)\b", re.IGNORECASE)
_ANSWERS = ("known_right", "known_wrong", "vague", "subtle_wrong")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a rule looks at.

    Attributes:
        suite: The suite.
        scenarios: Its scenarios.
        skill: The skill that it is about; None where it is about none, or several.
        text: All of its SKILL.md; empty without one.
    """

    suite: Suite
    scenarios: tuple[Scenario, ...]
    skill: Skill | None
    text: str

    @property
    def skill_file(self) -> Path:
        """The SKILL.md."""
        return (self.skill.folder if self.skill is not None else self.suite.root) / "SKILL.md"

    def line_of(self, offset: int) -> int:
        """The line of a place in SKILL.md."""
        return self.text.count("\n", 0, offset) + 1


Breach: TypeAlias = tuple[str, Path, int | None]
Check: TypeAlias = Callable[[Subject], Iterator[Breach]]


def i1_empty(subject: Subject) -> Iterator[Breach]:
    """The empty answer passes where programs alone decide, and none of them looks for anything."""
    for each in subject.scenarios:
        if each.judge is None and each.is_whole and each.passes(""):
            yield f"the empty answer passes {shown(each.name)}", *each.place


def i2_echo(subject: Subject) -> Iterator[Breach]:
    """The echo of the task passes its checks; what judges say of it is in the recording."""
    for each in subject.scenarios:
        if each.judge is None and each.is_whole and each.passes(ECHO + each.task.instruction):
            yield f"an answer that only repeats the task passes {shown(each.name)}", *each.place


def i3_substance(subject: Subject) -> Iterator[Breach]:
    """A scenario asks for something that is not in its task already; a judge has all it needs to be tried."""
    for each in subject.scenarios:
        if each.judge is None:
            positive = [check for check in each.checks if not _forbids(check)]
            prompt = each.task.instruction
            if each.is_whole and not any(_is_new(check, prompt) for check in positive):
                yield f"nothing that {shown(each.name)} asks for is missing from its own task", *each.place
            continue
        if each.judge.calibration is None:
            yield f"the judge of {shown(each.name)} has no calibration answers", *each.place
            continue
        texts = {name: getattr(each.judge.calibration, name).strip() for name in _ANSWERS}
        missing = [name for name, text in texts.items() if not text]
        if missing:
            yield f"the judge of {shown(each.name)} lacks {', '.join(missing)}", *each.place
        for one, other in combinations(texts, 2):
            if texts[one] and texts[one] == texts[other]:
                yield f"{one} and {other} of {shown(each.name)} are the same answer", *each.place


def i4_pasted(subject: Subject) -> Iterator[Breach]:
    """The task's words stand in SKILL.md."""
    grams = dict(reversed(_grams(subject.text)))
    for each in subject.scenarios:
        found = next((gram for gram, _ in _grams(each.task.instruction) if gram in grams), None)
        if found is not None:
            message = f"the task of {shown(each.name)} stands in SKILL.md: {shown(' '.join(found))}"
            yield message, subject.skill_file, subject.line_of(grams[found])


def i5_answer_key(subject: Subject) -> Iterator[Breach]:
    """SKILL.md tells an agent how to word an answer."""
    for match in _ANSWER_KEY.finditer(subject.text):
        yield f"{shown(match[0])} tells how to word an answer", subject.skill_file, subject.line_of(match.start())


def i6_taught(subject: Subject) -> Iterator[Breach]:
    """Anti-patterns are in SKILL.md."""
    yield from _patterns(subject, lambda _: subject.text, "SKILL.md says nothing of the anti-pattern")


def i7_committed(subject: Subject) -> Iterator[Breach]:
    """Anti-patterns are in the answer that is known to be wrong."""
    judged = [each for each in subject.scenarios if each.judge is not None]
    yield from _patterns(subject, lambda each: each.known_wrong, "known_wrong does not show the anti-pattern", judged)


def i7b_specific(subject: Subject) -> Iterator[Breach]:
    """Anti-patterns are no short words."""
    for each in subject.scenarios:
        for pattern in each.anti_patterns:
            if len(pattern) < _SHORTEST_PATTERN and re.fullmatch("[a-zA-Z]*", pattern):
                yield f"the anti-pattern {shown(pattern)} of {shown(each.name)} is in many a text", *each.place


def i7c_told(subject: Subject) -> Iterator[Breach]:
    """The judge is told of the anti-patterns."""
    judged = [each for each in subject.scenarios if each.judge is not None]

    def told(each: Scenario) -> str:
        return "\n".join((each.judge.rubric, *each.judge.fail_criteria)) if each.judge is not None else ""

    yield from _patterns(subject, told, "neither the rubric nor a fail criterion names the anti-pattern", judged)


def i8_no_absence(subject: Subject) -> Iterator[Breach]:
    """Where a judge decides, no word is forbidden."""
    for each in subject.scenarios:
        if each.judge is not None:
            for check in filter(_forbids, each.checks):
                yield f"{shown(each.name)} has a judge and forbids {shown(check.target)} as a word", *each.place


def i9_judged(subject: Subject) -> Iterator[Breach]:
    """Every scenario has a judge."""
    for each in subject.scenarios:
        if each.judge is None:
            yield f"{shown(each.name)} has no judge", *each.place


def i10_no_notes(subject: Subject) -> Iterator[Breach]:
    """No fail criterion is a note that says what is no failure."""
    for each in subject.scenarios:
        for text in each.judge.fail_criteria if each.judge is not None else ():
            if _NEGATION_ONLY.match(text):
                yield f"a fail criterion of {shown(each.name)} says what is no failure: {shown(text)}", *each.place


def i11_no_copies(subject: Subject) -> Iterator[Breach]:
    """No prompt that must trigger is a near copy of a trigger."""
    if subject.suite.triggers is None or subject.skill is None:
        return
    for prompt in subject.suite.triggers.positive:
        for trigger in subject.skill.triggers:
            likeness = _jaccard(words(prompt), words(trigger))
            if likeness >= _NEAR_COPY:
                message = f"the prompt {shown(prompt)} is a near copy of the trigger {shown(trigger)} ({likeness:.2f})"
                yield message, subject.suite.file, None


def _rule(identity: str, asks: str, why: str, mend: str, *, is_warning: bool = False) -> Rule:
    return Rule(identity, asks, why, mend, Severity.WARNING if is_warning else Severity.ERROR)


RULES: Mapping[str, tuple[Rule, Check]] = {
    rule.id: (rule, check)
    for rule, check in (
        (_rule("I1", "The empty answer fails.", "An agent that says nothing has not used the skill.",
               "add a check that something must be there"), i1_empty),
        (_rule("I2", "An answer that only repeats the task fails.",
               "Whatever is in the task already proves nothing about the skill.",
               "check for something that the task does not say"), i2_echo),
        (_rule("I3", "A scenario asks for something new, and its judge has four different calibration answers.",
               "Without them nobody can tell whether the scenario measures anything.",
               "add a positive check, or all four calibration answers"), i3_substance),
        (_rule("I4", "The task shares no six words in a row with SKILL.md.",
               "A skill that holds its own exam question is measured on memory.",
               "word the task as users do, or take it out of SKILL.md"), i4_pasted),
        (_rule("I5", "SKILL.md does not say how to word an answer.",
               "Words that are there for the grader make the numbers good and the skill no better.",
               "say what to do, and let the judge recognise it", is_warning=True), i5_answer_key),
        (_rule("I6", "Every anti-pattern stands in SKILL.md.",
               "What the skill never forbids is no mistake of the agent.",
               "teach it in SKILL.md, or drop the anti-pattern"), i6_taught),
        (_rule("I7", "Every anti-pattern stands in known_wrong.",
               "The wrong answer has to make the mistake that the scenario is about.",
               "let known_wrong make the mistake"), i7_committed),
        (_rule("I7b", "Every anti-pattern has four characters or one that is no letter.",
               "A short common word is found everywhere.",
               "name the construct, such as `: any` instead of any"), i7b_specific),
        (_rule("I7c", "Every anti-pattern stands in the rubric or in a fail criterion.",
               "What the judge is not told plays no part in the verdict.",
               "name it in a fail criterion"), i7c_told),
        (_rule("I8", "A scenario with a judge forbids no words.",
               "A right answer may warn of the very word.",
               "say in a fail criterion what must not be done"), i8_no_absence),
        (_rule("I9", "Every scenario has a judge.",
               "Words alone can be had without the behaviour.",
               "add a judge", is_warning=True), i9_judged),
        (_rule("I10", "No fail criterion only says what is no failure.",
               "Any fail criterion that holds fails the answer, also one that was meant as a note.",
               "put the note into the fail criterion that it belongs to"), i10_no_notes),
        (_rule("I11", "No prompt that must trigger is a near copy of a trigger.",
               "Such a prompt tests the copy, not the description.",
               "word the prompt as somebody would who has not read the skill", is_warning=True), i11_no_copies),
    )
}  # fmt: skip
"""Every rule with its check, by id."""


def broken_rules(subject: Subject) -> Iterator[Finding]:
    """The breaches of all rules, in their order."""
    for rule, check in RULES.values():
        for message, file, line in check(subject):
            yield Finding(rule, message, file, line)


def _patterns(
    subject: Subject, holder: Callable[[Scenario], str], message: str, scenarios: list[Scenario] | None = None
) -> Iterator[Breach]:
    for each in subject.scenarios if scenarios is None else scenarios:
        for pattern in each.anti_patterns:
            if pattern.lower() not in holder(each).lower():
                yield f"{message} {shown(pattern)} of {shown(each.name)}", *each.place


def _forbids(check: Assertion) -> bool:
    """Whether a check asks for something not to be there."""
    return (check.type == "not_contains") is not check.negated


def _is_new(check: Assertion, prompt: str) -> bool:
    (result,) = check_assertions([check], Subjects.of_answer(prompt))
    return result.status is not AssertionStatus.PASSED


def _grams(text: str) -> list[tuple[tuple[str, ...], int]]:
    """Every six words in a row of a text, with the place of the first."""
    found = [(match[0], match.start()) for match in _WORD.finditer(text.lower())]
    return [
        (tuple(word for word, _ in found[index : index + _GRAM]), found[index][1])
        for index in range(len(found) - _GRAM + 1)
    ]


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0

"""Assertions: from what a grader, or `expect_skill` of a task, says to specs."""

from __future__ import annotations

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.model import SKILL_USED, Assertion, AssertionsSpec, GraderSpec
from skillgrade.suite.references import TEMPLATE_MARK, References
from skillgrade.wording import did_you_mean, shown

ASSERTIONS = "assertions"
"""The grader type."""

NO_SKILL = "none"
"""What `expect_skill` says where no skill must be used."""


def read_assertions(grader: Cursor, references: References) -> tuple[Assertion, ...]:
    """The assertions of a grader; what cannot be used is noted as an error."""
    listed = grader.get("assertions")
    if listed is None:
        return ()
    read = tuple(_assertion(item, references) for item in listed.items())
    if read and all(assertion.weight == 0 for assertion in read):
        message = "all weights are 0, so there is nothing to score; give one assertion a weight above 0"
        references.findings.error(listed.mark, listed.path, message)
    return read


def read_expected_skill(task: Cursor, index: int, references: References) -> tuple[AssertionsSpec, ...]:
    """The grader that `expect_skill` of a task is short for; empty where the task does not say it.

    A name that is a template of a dataset's rows is not looked up.

    Args:
        task: The task.
        index: The number of the grader.
        references: Knows the skills, and gets the problems.
    """
    expected = task.get("expect_skill")
    name = expected.label() if expected else None
    if expected is None or name is None:
        return ()
    is_template = task.get("dataset") is not None and TEMPLATE_MARK in name
    if not is_template and (problem := expectation_problem(name, references)):
        references.findings.error(expected.mark, expected.path, problem)
    return (expected_skill(name, index, references),)


def expected_skill(name: str, index: int, references: References) -> AssertionsSpec:
    """The grader by which a skill is expected to be used, or every skill of the suite to be left alone.

    Args:
        name: The skill, or `NO_SKILL`.
        index: The number of the grader.
        references: Knows the skills.
    """
    if name == NO_SKILL:
        assertions = tuple(Assertion(SKILL_USED, skill.name, negated=True) for skill in references.skills)
    else:
        assertions = (Assertion(SKILL_USED, name),)
    return AssertionsSpec(ASSERTIONS, index, assertions=assertions)


def expectation_problem(name: str, references: References) -> str | None:
    """Why a skill cannot be expected; None where it can."""
    known = [skill.name for skill in references.skills]
    if not known:
        return "the suite has no skill; name its folder with `skill` at the top"
    if name == NO_SKILL or name in known:
        return None
    return f"there is no skill {shown(name)}{did_you_mean(name, known)}; there are {', '.join(map(shown, known))}"


def asks_about_skills(spec: GraderSpec) -> bool:
    """Whether a grader wants to know which skills the agent used."""
    return isinstance(spec, AssertionsSpec) and any(assertion.type == SKILL_USED for assertion in spec.assertions)


def _assertion(item: Cursor, references: References) -> Assertion:
    kind, target, weight, negated = (item.get(key) for key in ("type", "target", "weight", "not"))
    number = weight.number() if weight else None
    name = (kind.text() if kind else None) or ""
    value = target.plain() if target else None
    if name == SKILL_USED:
        value = target.label() if target else None
        if value is None:
            place = target or item
            references.findings.error(place.mark, place.path, f"{SKILL_USED} needs the name of a skill as its `target`")
        elif problem := expectation_problem(value, references):
            references.findings.error((target or item).mark, (target or item).path, problem)
    return Assertion(name, value, 1.0 if number is None else float(number), negated is not None and bool(negated.value))

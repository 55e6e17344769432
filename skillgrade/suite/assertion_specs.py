"""Assertions: from what a grader, or `expect_skill` of a task, says to specs."""

from __future__ import annotations

import dataclasses

from skillgrade.suite.assertion_targets import TargetError, file_path, read_target
from skillgrade.suite.assertion_types import FLAGS, OF_CASE, OF_TEXT, OF_THE_STREAM, SHAPES, Shape
from skillgrade.suite.cursor import Cursor
from skillgrade.suite.model import SKILL_USED, Assertion, AssertionsSpec, GraderSpec, Subject
from skillgrade.suite.patterns import PYTHON
from skillgrade.suite.references import TEMPLATE_MARK, References
from skillgrade.wording import did_you_mean, shown

ASSERTIONS = "assertions"
"""The grader type."""

NO_SKILL = "none"
"""What `expect_skill` says where no skill must be used."""

FILE_CONTAINS = "file_contains"

TEXT_SOURCE = "text"
"""The `source` of an assertion that looks for tools in the agent's words."""

_IDLE_FLAGS = frozenset("dguvy")
"""Flags of JavaScript that do not change whether something is found."""


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


def needs_a_stream(spec: GraderSpec) -> bool:
    """Whether a grader wants to know what only an agent's stream shows: skills, tools, tokens, costs."""
    return isinstance(spec, AssertionsSpec) and any(
        SHAPES.get(each.type) in OF_THE_STREAM and each.options.get("source") != TEXT_SOURCE for each in spec.assertions
    )


def _assertion(item: Cursor, references: References) -> Assertion:
    """One assertion; in a file of another tool, what cannot be used becomes its fault."""
    kind, target, weight, negated = (item.get(key) for key in ("type", "target", "weight", "not"))
    number = weight.number() if weight else None
    name = (kind.text() if kind else None) or ""
    assertion = Assertion(
        type=name,
        target=target.plain() if target else None,
        weight=1.0 if number is None else float(number),
        negated=negated is not None and negated.value is True,
        group=_label(item, "group"),
    )
    try:
        return _completed(assertion, item, target, references)
    except TargetError as error:
        if references.is_foreign:
            return dataclasses.replace(assertion, fault=str(error))
        references.findings.error(error.place.mark, error.place.path, str(error))
        return assertion


def _completed(assertion: Assertion, item: Cursor, target: Cursor | None, references: References) -> Assertion:
    """An assertion with its target, and with what its type takes besides.

    Raises:
        TargetError: Something cannot be used.
    """
    shape = SHAPES.get(assertion.type)
    if shape is None:
        raise _unknown_type(item, assertion.type, is_foreign=references.is_foreign)
    _refuse_idle(item, assertion.type, shape)
    pattern_flags, syntax = _flags(item, shape)
    if target is None:
        raise TargetError(item, f"{assertion.type} needs a `target`")
    value = read_target(assertion.type, target, pattern_flags, syntax)
    if shape is Shape.SKILL and (problem := expectation_problem(str(value), references)):
        raise TargetError(target, problem)
    file = item.get("file")
    if assertion.type == FILE_CONTAINS and file is None:
        raise TargetError(item, f"{FILE_CONTAINS} needs the `file` to look at")
    options: dict[str, object] = {}
    if shape is Shape.PATTERN:
        options = {"flags": pattern_flags, "syntax": syntax}
    if (source := item.get("source")) is not None:
        options["source"] = source.value
    case = item.get("case_sensitive")
    on = item.get("on")
    return dataclasses.replace(
        assertion,
        target=value,
        subject=next((each for each in Subject if on is not None and on.value == each), Subject.ANSWER),
        file=file_path(file) if file is not None else None,
        is_case_sensitive=case.value is True if case is not None else None,
        options=options,
    )


def _unknown_type(item: Cursor, name: str, *, is_foreign: bool) -> TargetError:
    if is_foreign:
        return TargetError(item, f"Unknown assertion type: {name}")
    hint = did_you_mean(name, SHAPES) or f"; known are {', '.join(SHAPES)}"
    return TargetError(item.get("type") or item, f"there is no assertion {shown(name)}{hint}")


def _refuse_idle(item: Cursor, name: str, shape: Shape) -> None:
    """Refuse keys that would do nothing: whoever wrote them expects something of them."""
    is_text = shape in OF_TEXT
    idle = {
        "on": not is_text or item.get("file") is not None,
        "file": not is_text,
        "case_sensitive": shape not in OF_CASE or (shape is Shape.PATTERN and item.get("flags") is not None),
        "flags": shape is not Shape.PATTERN,
        "syntax": shape is not Shape.PATTERN,
        "source": shape is not Shape.TOOL,
    }
    for key, is_idle in idle.items():
        value = item.get(key)
        if value is not None and is_idle:
            beside = next((other for other in ("file", "flags") if item.get(other) is not None), None)
            why = f"beside `{beside}`" if beside and key in ("on", "case_sensitive") else f"on {name}"
            raise TargetError(value, f"`{key}` has no effect {why}")


def _flags(item: Cursor, shape: Shape) -> tuple[str, str]:
    """The flags of a pattern, and its syntax; by default upper and lower case are alike, and lines are lines."""
    if shape is not Shape.PATTERN:
        return "", PYTHON
    syntax, flags, case = (item.get(key) for key in ("syntax", "flags", "case_sensitive"))
    if flags is None:
        written = "m" if case is not None and case.value is True else "im"
    else:
        written = "".join(sorted(set(flags.label() or "") - _IDLE_FLAGS))
    if set(written) - FLAGS:
        raise TargetError(flags or item, f"`flags` may be some of {', '.join(sorted(FLAGS))}, not {shown(written)}")
    return written, str(syntax.value) if syntax is not None else PYTHON


def _label(item: Cursor, key: str) -> str | None:
    value = item.get(key)
    return value.label() if value else None

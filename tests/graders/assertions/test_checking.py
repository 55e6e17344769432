"""What assertions say of an answer, of files and of what an agent did."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.graders.assertions import CHECKS, Subjects, check_assertions, share
from skillgrade.results.evidence import Call
from skillgrade.results.records import AssertionResult, AssertionStatus
from skillgrade.suite.assertion_types import SHAPES
from skillgrade.suite.model import Assertion, Subject

PASSED, FAILED, ERROR = AssertionStatus.PASSED, AssertionStatus.FAILED, AssertionStatus.ERROR


def check(assertion: Assertion, subjects: Subjects | str) -> AssertionResult:
    seen = Subjects.of_answer(subjects) if isinstance(subjects, str) else subjects
    (result,) = check_assertions([assertion], seen)
    return result


def holds(kind: str, target: Any, text: str, **more: Any) -> bool:
    status = check(Assertion(kind, target, **more), text).status
    assert status in (PASSED, FAILED)
    negated = check(Assertion(kind, target, **more, negated=True), text).status
    assert {status, negated} == {PASSED, FAILED}
    return status is PASSED


def test_every_type_has_a_check() -> None:
    assert CHECKS.keys() == SHAPES.keys()


@pytest.mark.parametrize(
    ("kind", "target", "text", "expected"),
    [
        ("contains", "Risk", "no RISKS here", True),
        ("contains", "a  b", "a b", False),
        ("contains", "STRASSE", "straße", False),
        ("not_contains", "TODO", "all done", True),
        ("not_contains", "TODO", "a todo", False),
        ("contains_any", ("x", "B"), "abc", True),
        ("contains_any", ("x", "y"), "abc", False),
        ("contains_all", ("a", "C"), "abc", True),
        ("contains_all", ("a", "d"), "abc", False),
        ("equals", " Yes ", "yes\n", True),
        ("equals", "yes", "yes!", False),
        ("starts_with", "dear", "\n Dear Sir", True),
        ("starts_with", "dear", "My dear", False),
        ("matches_regex", "HIGH|LOW", "severity: high", True),
        ("matches_regex", "(?-i:HIGH)", "severity: high", False),
        ("matches_regex", "^second$", "first\nsecond\nthird", True),
        ("matches_regex", "a.b", "a\nb", False),
        ("matches_regex", "(?i)^x", "X", True),
    ],
)
def test_text(kind: str, target: Any, text: str, expected: bool) -> None:
    assert holds(kind, target, text) is expected


def test_case_may_matter() -> None:
    assert not holds("contains", "Risk", "risk", is_case_sensitive=True)
    assert not holds("equals", "Risk", "risk", is_case_sensitive=True)
    assert not holds("matches_regex", "Risk", "risk", options={"flags": "m"})


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("json", ' {"a": 1}\n', True),
        ("json", "3", True),
        ("json", "NaN", True),
        ("json", '```json\n{"a": 1}\n```', False),
        ("json", "[" * 100_000, False),
        ("markdown_table", "| a | b |\n|---|---|\n| 1 | 2 |", True),
        ("markdown_table", "| a | b |\r\n|:--|--:|\r\n", True),
        ("markdown_table", "|a|\n|-|\n", True),
        ("markdown_table", "| a |\n|  |\n", True),
        ("markdown_table", "| a | b |\n  |---|---|\n", False),
        ("markdown_table", "a | b\n--- | ---\n1 | 2", False),
        ("markdown_table", "```\n| a | b |\n|---|---|\n```", True),
        ("numbered_list", "so:\n  1. first", True),
        ("numbered_list", "2026. year", True),
        ("numbered_list", "1) first", False),
        ("numbered_list", "1.5 is more", False),
        ("yaml", "Note: hi", True),
        ("yaml", "- a: b", False),
        ("yaml", "key:value", False),
        ("code_block", "```\nx\n```", True),
        ("code_block", "```py\nx ```sh\ny", True),
        ("code_block", "~~~\nx\n~~~", False),
        ("bullet_list", "so:\n* first", True),
        ("bullet_list", "a - b", False),
        ("headings", "x\n## Risks", True),
        ("headings", "#hashtag", False),
        ("html", "<p class=a>x</P>", True),
        ("html", "a < b and b > c </p>", False),
        ("csv", 'a,b\n1,"2,3"\n', True),
        ("csv", "a,b\n1\n", False),
        ("csv", "a,b", False),
        ("csv", "one\ntwo", False),
    ],
)
def test_forms(name: str, text: str, expected: bool) -> None:
    assert holds("output_format", name, text) is expected


SCHEMA = {"type": "object", "required": ["kg"], "properties": {"kg": {"type": "number"}, "id": {"pattern": "^[A-Z]+$"}}}


@pytest.mark.parametrize(
    ("text", "expected", "why"),
    [
        ('{"kg": 3}', True, "it is what the schema says"),
        ('```json\n{"kg": 3, "id": "AB"}\n```', True, "it is what the schema says"),
        ('{"kg": "3"}', False, "$.kg: \"'3' is not of type 'number'\""),
        ('{"kg": 3, "id": "ab"}', False, "$.id: \"'ab' does not match '^[A-Z]+$'\""),
        ("3 kg", False, "the text is no JSON: Extra data: line 1 column 3 (char 2)"),
    ],
)
def test_json_schema(text: str, expected: bool, why: str) -> None:
    assert holds("json_schema", SCHEMA, text) is expected
    assert check(Assertion("json_schema", SCHEMA), text).detail == why


def test_a_schema_fetches_nothing() -> None:
    result = check(Assertion("json_schema", {"$ref": "http://127.0.0.1:9/x.json"}), "{}")
    assert result.status is ERROR
    assert result.detail.startswith("the schema cannot be applied: ")


WORK = Subjects(answer="done", created={"b.md": "the WEIGHT", "a.md": "x"}, files={"a.md": "3 kg", "gone.md": None})


def test_files_and_the_work() -> None:
    assert check(Assertion("contains", "kg", file="a.md"), WORK).status is PASSED
    assert check(Assertion("file_contains", "kg", file="a.md"), WORK).subject == "a.md"
    assert check(Assertion("contains", "weight"), WORK).status is FAILED
    assert check(Assertion("contains", "weight", subject=Subject.WORK), WORK).status is PASSED
    assert check(Assertion("equals", "done\n\n--- FILE: a.md ---\nx\n\n--- FILE: b.md ---\nthe weight",
                           subject=Subject.WORK), WORK).status is PASSED  # fmt: skip
    assert check(Assertion("file_exists", "a.md"), WORK).status is PASSED
    gone = check(Assertion("file_exists", "gone.md"), WORK)
    assert (gone.status, gone.detail, gone.subject) == (FAILED, "the file gone.md is not there", "gone.md")


@pytest.mark.parametrize("negated", [True, False])
def test_a_file_that_is_not_there_fails_either_way(negated: bool) -> None:
    for kind in ("contains", "not_contains"):
        result = check(Assertion(kind, "kg", file="gone.md", negated=negated), WORK)
        assert (result.status, result.detail) == (FAILED, "the file gone.md is not there")


@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        (Assertion("contains", "kg", file="other.md"), "the run kept nothing of other.md: start a new run"),
        (Assertion("contains", "kg", subject=Subject.TRANSCRIPT), "the run kept no transcript: start a new run"),
        (Assertion("calls_tool", "Read"), "the agent's output does not show which tools it called"),
        (Assertion("max_cost", 1.0), "the agent's output does not say how many US dollars it took"),
        (Assertion("max_tokens", 1.0), "the agent's output does not say how many tokens it took"),
        (Assertion("skill_used", "notes"), "nothing was kept of whether the skill notes was used: start a new run"),
        (Assertion("smells", "x", fault="Unknown assertion type: smells"), "Unknown assertion type: smells"),
    ],
)
@pytest.mark.parametrize("negated", [True, False])
def test_what_cannot_be_told_is_an_error_and_never_a_verdict(assertion: Assertion, why: str, negated: bool) -> None:
    from dataclasses import replace

    result = check(replace(assertion, negated=negated), WORK)
    assert (result.status, result.detail) == (ERROR, why)


def test_measures() -> None:
    seen = Subjects(tokens={"input": 900, "cached_input": 800, "output": 100}, cost_usd=0.25, agent_ms=1500)
    limits = {"max_tokens": 1000, "max_cost": 0.25, "max_seconds": 1.5}
    for kind, limit in limits.items():
        assert check(Assertion(kind, float(limit)), seen).status is PASSED
        assert check(Assertion(kind, limit - 0.01), seen).status is FAILED
    assert check(Assertion("max_tokens", 999.0), seen).detail == "1000 tokens of 999 at most"


CALLS = Subjects(
    answer="I used the Grep tool.",
    calls=(
        Call("Read", "Read", {"file_path": "/workspace/a.py", "limit": 1}, "ok"),
        Call("run_shell_command", "Bash", {"command": "pytest -q"}, "error"),
        Call("mcp__db__query", "mcp__db__query", {"sql": "select 1"}, "ok"),
        Call("Write", "Write", {"file_path": "x"}, "denied"),
    ),
)


@pytest.mark.parametrize(
    ("kind", "target", "expected"),
    [
        ("calls_tool", "Read", True),
        ("calls_tool", "read_file", True),
        ("calls_tool", "Bash", True),
        ("calls_tool", "run_shell_command", True),
        ("calls_tool", "Write", False),
        ("calls_tool", "Grep", False),
        ("tool_args", {"name": "Bash", "args": {"command": "pytest -q"}}, True),
        ("tool_args", {"name": "Bash", "args": {"command": {"contains": "test"}}}, True),
        ("tool_args", {"name": "Bash", "args": {"command": {"matches": r"^py\w+"}}}, True),
        ("tool_args", {"name": "Read", "args": {"limit": 1}}, True),
        ("tool_args", {"name": "Read", "args": {"limit": {"equals": True}}}, False),
        ("tool_args", {"name": "Read", "args": {"limit": 1}, "mode": "exact"}, False),
        ("tool_args", {"pattern": "mcp__*", "args": {"sql": {"contains": "select"}}}, True),
        ("tool_args", {"name": "Write", "args": {"file_path": "x"}}, False),
        ("tool_count", {"name": "Read", "min": 1, "max": 1}, True),
        ("tool_count", {"name": "Write", "max": 0}, True),
        ("tool_count", {"min": 4}, False),
        ("tool_count", {"pattern": "*", "max": 3}, True),
        ("tool_sequence", {"steps": [{"name": "Read"}, {"pattern": "mcp__*"}], "mode": "in_order"}, True),
        ("tool_sequence", {"steps": [{"name": "Bash"}, {"name": "Read"}], "mode": "in_order"}, False),
        ("tool_sequence", {"steps": [{"name": "Read"}, {"name": "Bash"}], "mode": "exact"}, False),
        ("tool_sequence", {"steps": [{"name": "Read"}, {"name": "Bash"}, {"pattern": "*"}], "mode": "exact"}, True),
        (
            "tool_sequence",
            {"steps": [{"name": "Bash", "args": {"command": {"contains": "ruff"}}}], "mode": "in_order"},
            False,
        ),
    ],
)
def test_tools_are_judged_by_the_calls_that_ran(kind: str, target: Any, expected: bool) -> None:
    assert (check(Assertion(kind, target), CALLS).status is PASSED) is expected


def test_what_was_called_is_told_where_it_was_not_the_right_thing() -> None:
    assert check(Assertion("calls_tool", "Grep"), CALLS).detail == (
        "Grep was not called; called were Read, Bash, mcp__db__query"
    )
    assert check(Assertion("calls_tool", "Grep"), Subjects(calls=())).detail == (
        "Grep was not called; no tool was called"
    )
    result = check(Assertion("tool_args", {"name": "Read", "args": {"limit": 2}}), CALLS)
    assert result.detail == r'Read was called, with "{"file_path": "/workspace/a.py", "limit": 1}" last'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I used the Grep tool.", True),
        ("Calling `Grep` now", True),
        ('<invoke name="Grep">', True),
        ("I did not use Grep.", False),
        ("I searched. Nothing was used. Grep is a tool.", False),
        ("Didn't find it. I used Grep then.", True),
    ],
)
def test_words_count_only_where_they_are_asked_for(text: str, expected: bool) -> None:
    said = Assertion("calls_tool", "Grep", options={"source": "text"})
    assert (check(said, text).status is PASSED) is expected
    assert check(said, text).subject == "answer"


def test_every_assertion_is_evaluated_and_kept_in_its_order() -> None:
    asked = [
        Assertion("matches_regex", r"\d", 0.8, group="numbers"),
        Assertion("matches_regex", "(", 0.5),
        Assertion("contains", "x", 0.2, negated=True),
        Assertion("matches_regex", "kg", 1.0),
    ]
    results = check_assertions(asked, Subjects.of_answer("3 kg"))
    assert [each.status for each in results] == [PASSED, ERROR, PASSED, PASSED]
    assert results[0] == AssertionResult("matches_regex", r"\d", 0.8, PASSED, "it matches", group="numbers")
    assert results[1].detail.startswith("the pattern is no regular expression: ")


def test_a_set_that_weighs_nothing_never_passes() -> None:
    assert share(check_assertions([Assertion("contains", "a", 0.0)], Subjects.of_answer("a"))) == 0.0
    assert share([]) == 0.0


@given(st.text(), st.text(min_size=1))
def test_containing_is_what_the_lower_letters_say(text: str, target: str) -> None:
    assert (check(Assertion("contains", target), text).status is PASSED) is (target.lower() in text.lower())


@given(st.sampled_from(sorted(SHAPES)), st.one_of(st.none(), st.text(), st.integers(), st.lists(st.text())), st.text())
def test_whatever_the_target_nothing_crashes(kind: str, target: Any, text: str) -> None:
    if kind in ("output_format", "json_schema"):  # their targets are checked where they are read
        return
    assert check(Assertion(kind, target), text).status in (PASSED, FAILED, ERROR)

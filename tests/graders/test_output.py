from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import GraderError
from skillgrade.graders.output import GraderAnswer, read_answer
from skillgrade.results.records import Check

BRACELESS = st.characters(exclude_categories=["Cs"], exclude_characters="{")
GOOD = '{"score": 0.5, "details": "half"}'


def test_score_details_and_checks_are_read() -> None:
    answer = read_answer(
        json.dumps(
            {
                "score": 0.67,
                "details": "2/3 checks passed",
                "checks": [{"name": "file", "passed": True, "message": "there"}, {"name": "style", "passed": False}],
            }
        )
    )
    assert answer == GraderAnswer(
        0.67, "2/3 checks passed", (Check("file", True, "there"), Check("style", passed=False, message=""))
    )


@pytest.mark.parametrize(
    "stdout",
    [
        GOOD,
        f"{GOOD}\n\n\n",
        f"\ufeff{GOOD}\r\n",
        f"\x00{GOOD}\x00\x00",
        f"checking {{ files }}\n{{not json}}\n{GOOD}",
        f'{{"level": "info", "msg": "starting"}}\n{GOOD}\n{{"level": "info", "msg": "done"}}',
        f'{{"score": 1, "details": "an earlier answer"}}\n{GOOD}',
        f"```json\n{GOOD}\n```",
        f"}}}} ]] {GOOD} {{",
    ],
)
def test_other_output_is_tolerated_and_the_last_object_with_a_score_counts(stdout: str) -> None:
    assert read_answer(stdout) == GraderAnswer(0.5, "half", ())


def test_an_object_inside_the_verdict_is_no_answer() -> None:
    stdout = '{"score": 0.25, "details": "outer", "parts": [{"score": 1, "details": "inner"}]}'
    assert read_answer(stdout).score == 0.25


def test_raw_newlines_in_strings_are_read_since_shell_graders_print_them() -> None:
    assert read_answer('{"score": 1, "details": "line one\nline two\ttabbed"}').details == "line one\nline two\ttabbed"


@pytest.mark.parametrize(
    ("score", "named"),
    [("2", "2"), ("-1", "-1"), ("NaN", "nan"), ("Infinity", "inf"), ('"0.8abc"', "0.8abc"), ("true", "True"),
     ("null", "None"), ("[1]", "[1]"), ("1.0000001", "1.0000001")],
)  # fmt: skip
def test_a_score_that_is_no_number_from_0_to_1_is_an_error_that_names_it(score: str, named: str) -> None:
    with pytest.raises(GraderError) as caught:
        read_answer(f'{{"score": {score}, "details": "d"}}')
    assert named in str(caught.value)
    assert "score" in str(caught.value)


@pytest.mark.parametrize(
    ("rest", "named"),
    [
        ("", "details"),
        (', "details": 5', "5"),
        (', "details": "d", "checks": "all good"', "all good"),
        (', "details": "d", "checks": [true]', "True"),
        (', "details": "d", "checks": [{"name": "a", "passed": "yes"}]', "yes"),
        (', "details": "d", "checks": [{"passed": true}]', "name"),
    ],
)
def test_another_shape_is_an_error_that_names_what_came(rest: str, named: str) -> None:
    with pytest.raises(GraderError) as caught:
        read_answer(f'{{"score": 1{rest}}}')
    assert named in str(caught.value)


@pytest.mark.parametrize("stdout", ["", "  \n ", "all fine", '{"passed": true}', '{"score": 1, "details": "cut'])
def test_no_verdict_is_an_error_that_quotes_the_output_and_says_what_to_do(stdout: str) -> None:
    with pytest.raises(GraderError) as caught:
        read_answer(stdout)
    message = str(caught.value)
    assert "send all other output to stderr" in message
    quoted = f"«{stdout.strip()}»" if stdout.strip() else "nothing"
    assert f"the grader printed {quoted}" in message


def test_a_long_output_is_quoted_in_part() -> None:
    with pytest.raises(GraderError) as caught:
        read_answer("a" * 10_000 + "b" * 10_000)
    assert len(str(caught.value)) < 600


def test_deep_and_endless_nesting_ends() -> None:
    with pytest.raises(GraderError):
        read_answer('{"a":' * 100_000)
    with pytest.raises(GraderError):
        read_answer("[{" * 200_000)
    assert read_answer('{"a":' * 2_000 + "\n" + GOOD).score == 0.5


@given(
    st.text(),
    st.text(BRACELESS),
    st.floats(min_value=0, max_value=1),
    st.text(),
)
def test_whatever_stands_around_it_the_verdict_is_found(before: str, after: str, score: float, details: str) -> None:
    before = before.replace('"', "'")  # an open string before it would swallow it
    answer = read_answer(f"{before}\n{json.dumps({'score': score, 'details': details})}\n{after}")
    assert math.isclose(answer.score, score)
    assert answer.details == details


@given(st.text())
def test_any_text_gives_a_verdict_or_an_error_of_the_grader(text: str) -> None:
    try:
        answer = read_answer(text)
    except GraderError:
        return
    assert 0 <= answer.score <= 1


@pytest.mark.parametrize(
    ("stdout", "named"),
    [
        ('{"scor": 1, "details": "d"}', "an object without a score"),
        ('{"score":, "details": "d"}', "which is no valid JSON"),
        ("{'score': 1.0, 'details': 'd'}", "json.dumps"),
        ("all good", "where a JSON object with a score belongs"),
    ],
)
def test_the_message_says_which_mistake_it_is(stdout: str, named: str) -> None:
    with pytest.raises(GraderError, match=named):
        read_answer(stdout)

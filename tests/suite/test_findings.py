from pathlib import Path

import pytest

from skillgrade.errors import SuiteError
from skillgrade.suite.findings import Findings, did_you_mean, shown
from skillgrade.yaml_values import Mark


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("timout", ' (did you mean "timeout"?)'),
        ("TRIALS", ' (did you mean "trials"?)'),
        ("zzz", ""),
        ("timeout" * 100_000, ""),
    ],
)
def test_a_near_word_is_suggested(word: str, hint: str) -> None:
    assert did_you_mean(word, ["trials", "timeout"]) == hint


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", '"a"'),
        ("x" * 61, f'"{"x" * 57}..."'),
        (None, "nothing"),
        (True, "true"),
        ({}, "a mapping"),
        ([1], "a list"),
        (1.5, "1.5"),
        (10**80, f"1{'0' * 56}..."),
    ],
)
def test_values_are_quoted_short(value: object, text: str) -> None:
    assert shown(value) == text


def test_errors_come_in_the_order_of_the_files_and_once() -> None:
    findings = Findings()
    findings.raise_errors()
    for file, line, column in (("b", 1, 1), ("a", 10, 1), ("a", 2, 5), ("a", 2, 1), ("a", 2, 5)):
        findings.error(Mark(Path(file), line, column), "k", "is wrong")
    with pytest.raises(SuiteError) as caught:
        findings.raise_errors()
    assert str(caught.value).splitlines() == [
        "a:2:1: k: is wrong",
        "a:2:5: k: is wrong",
        "a:10:1: k: is wrong",
        "b:1:1: k: is wrong",
    ]

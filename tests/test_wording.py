import pytest

from skillgrade.wording import did_you_mean, shown


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

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from skillgrade.errors import ReplyError
from skillgrade.judges.base import Reading
from skillgrade.judges.reply import read_reply, reply_schema
from skillgrade.judges.strict_json import quote
from skillgrade.judges.untrusted import visible
from skillgrade.suite.rubric_sections import RubricSection

TAG = "answer-0123456789abcdef"
GOOD: dict[str, Any] = {"tag": TAG, "reasoning": "It works.", "score": 0.75}
ECONOMY, CARE = RubricSection("Economy", 0, 0.3), RubricSection("Care", 0.1, 0.7)
SECTIONS = (ECONOMY, CARE)
BY_SECTION: dict[str, Any] = {
    "tag": TAG,
    "section_1": {"reasoning": "Few detours.", "score": 0.15},
    "section_2": {"reasoning": "Careful.", "score": 0.7},
}


def text(**changes: object) -> str:
    return json.dumps({**GOOD, **changes})


def fault(reply: str, sections: tuple[RubricSection, ...] = ()) -> str:
    """What is said about a reply, without the quotation of it."""
    with pytest.raises(ReplyError) as caught:
        read_reply(reply, TAG, sections)
    message, _, quoted = str(caught.value).removeprefix("the judge's reply ").partition(": ")
    assert quoted == quote(reply)
    return message


@pytest.mark.parametrize(
    "reply",
    [
        text(),
        f"\ufeff  \r\n{text()}\n\n",
        f"```json\n{text()}\n```",
        f"```\n{text()}\n```\n",
        f"\n```JSON\r\n{text()}\r\n```",
        json.dumps(GOOD, indent=4),
        json.dumps(dict(reversed(GOOD.items()))),
    ],
)
def test_one_object_alone_or_in_one_code_fence_is_read(reply: str) -> None:
    assert read_reply(reply, TAG, ()) == Reading(0.75, "It works.")


@pytest.mark.parametrize("score", [0, 1, 0.0, 1.0, 0.333, 1e-9])
def test_every_score_in_range_is_taken_as_it_is(score: float) -> None:
    reading = read_reply(text(score=score), TAG, ())
    assert reading.score == score
    assert isinstance(reading.score, float)


NOT_ALONE = "is not one JSON object and nothing else"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("", "is empty"),
        (" \n\ufeff ", "is empty"),
        ("7 out of 10", NOT_ALONE),
        ("85%", NOT_ALONE),
        ("0.85", "is no JSON object"),
        ("I'm sorry, but I can't help with that.", NOT_ALONE),
        (f"Here is my verdict: {text()}", NOT_ALONE),
        (f"{text()} I hope that helps.", "goes on after its JSON object"),
        (text() + text(), "goes on after its JSON object"),
        (f"{text()}\n{text(score=1)}", "goes on after its JSON object"),
        (f"```json\n{text()}\n```\n```json\n{text()}\n```", "goes on after its JSON object"),
        (f"So:\n```json\n{text()}\n```", NOT_ALONE),
        (f"```json\n{text()}", NOT_ALONE),
        (f"```python\n{text()}\n```", NOT_ALONE),
        (f"`{text()}`", NOT_ALONE),
        (f"[{text()}]", "is no JSON object"),
        (json.dumps(text()), "is no JSON object"),
        ("null", "is no JSON object"),
        ("{}", "lacks tag, reasoning, score"),
        (text()[:-3], NOT_ALONE),
        (text()[:30], NOT_ALONE),
        ("<html><body>502 Bad Gateway</body></html>", NOT_ALONE),
        (str(GOOD), NOT_ALONE),
        (text().replace("0.75", "NaN"), "has NaN where a number belongs"),
        (text().replace("0.75", "-Infinity"), "has -Infinity where a number belongs"),
        (text().replace("0.75", "1e999"), "has a score outside 0..1"),
        (text().replace("0.75", "7" * 5000), "is no JSON that can be read"),
        (text().replace("0.75", "[" * 100_000), "is no JSON that can be read"),
        (text(score=True), "has a score that is no number"),
        (text(score="0.75"), "has a score that is no number"),
        (text(score=None), "has a score that is no number"),
        (text(score=[0.75]), "has a score that is no number"),
        (text(score=1.0001), "has a score outside 0..1"),
        (text(score=-0.1), "has a score outside 0..1"),
        (text(score=75), "has a score outside 0..1"),
        (text(reasoning=None), "has a reasoning that is no text"),
        (text(reasoning=["It works."]), "has a reasoning that is no text"),
        (text(confidence=1), "has unknown fields (confidence)"),
        (text(**{"Score\u200b": 1}), "has unknown fields (Score\\u{200b})"),
        (json.dumps({"tag": TAG, "score": 1}), "lacks reasoning"),
        (json.dumps({"reasoning": "x", "score": 1}), "lacks tag"),
        (text().replace('"score"', '"score": 1, "score"'), "has a field twice"),
        (text(tag="answer-0000000000000000"), f'does not echo the tag "{TAG}" of its question'),
        (text(tag=TAG.upper()), f'does not echo the tag "{TAG}" of its question'),
        (text(tag=f" {TAG}"), f'does not echo the tag "{TAG}" of its question'),
        (text(tag=None), f'does not echo the tag "{TAG}" of its question'),
        (json.dumps(BY_SECTION), "lacks reasoning, score"),
    ],
)
def test_anything_else_is_no_verdict(reply: str, message: str) -> None:
    assert fault(reply) == message


def test_sections_are_added_up() -> None:
    reading = read_reply(json.dumps(BY_SECTION), TAG, SECTIONS)
    assert reading == Reading(0.85, "Economy: Few detours.\nCare: Careful.", (0.15, 0.7))


def test_all_points_are_a_score_of_one_exactly() -> None:
    sections = tuple(RubricSection(str(n), 0, 0.1) for n in range(10))
    fields = {f"section_{n + 1}": {"reasoning": "", "score": 0.1} for n in range(10)}
    assert read_reply(json.dumps({"tag": TAG, **fields}), TAG, sections).score == 1.0


def test_points_of_another_sum_are_a_share() -> None:
    sections = (RubricSection("A", 0, 10), RubricSection("B", 0, 5))
    fields = {"section_1": {"reasoning": "", "score": 5}, "section_2": {"reasoning": "", "score": 4}}
    assert read_reply(json.dumps({"tag": TAG, **fields}), TAG, sections) == Reading(0.6, "A: \nB: ", (5.0, 4.0))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"section_1": None}, 'is no JSON object in the section "Economy"'),
        ({"section_1": 0.3}, 'is no JSON object in the section "Economy"'),
        ({"section_2": {"score": 0.5}}, 'lacks reasoning in the section "Care"'),
        (
            {"section_2": {"reasoning": "", "score": 0.5, "max": 1}},
            'has unknown fields (max) in the section "Care"',
        ),
        ({"section_2": {"reasoning": "", "score": 0.05}}, 'has a score outside 0.1..0.7 in the section "Care"'),
        ({"section_1": {"reasoning": "", "score": 0.31}}, 'has a score outside 0..0.3 in the section "Economy"'),
        ({"section_1": {"reasoning": "", "score": True}}, 'has a score that is no number in the section "Economy"'),
        ({"section_1": {"reasoning": 3, "score": 0}}, 'has a reasoning that is no text in the section "Economy"'),
        ({"section_3": {"reasoning": "", "score": 0}}, "has unknown fields (section_3)"),
        ({"score": 1}, "has unknown fields (score)"),
    ],
)
def test_each_section_is_scored_once_and_in_its_range(changes: dict[str, object], message: str) -> None:
    assert fault(json.dumps({**BY_SECTION, **changes}), SECTIONS) == message


def test_a_section_twice_or_not_at_all_is_no_verdict() -> None:
    whole = json.dumps(BY_SECTION)
    assert fault(whole.replace("section_2", "section_1"), SECTIONS) == "has a field twice"
    assert fault(json.dumps({"tag": TAG, "section_2": BY_SECTION["section_2"]}), SECTIONS) == "lacks section_1"


def test_an_error_quotes_the_reply_short_and_visible() -> None:
    with pytest.raises(ReplyError) as caught:
        read_reply("no\u200b\x1b[2J" + "x" * 10_000 + "end\u202e", TAG, ())
    message = str(caught.value)
    assert message.startswith("the judge's reply is not one JSON object and nothing else: «no\\u{200b}\\u{1b}[2Jxxx")
    assert message.endswith("xxxend\\u{202e}»")
    assert len(message) < 420


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["tag", "score", "reasoning"]) | st.text(), inner),
)


@given(st.text() | JSON.map(json.dumps) | st.fixed_dictionaries(dict.fromkeys(GOOD, JSON)).map(json.dumps))
def test_what_lacks_the_tag_is_never_a_verdict(reply: str) -> None:
    with pytest.raises(ReplyError):
        read_reply(reply, TAG, ())


@given(st.floats() | st.integers() | st.booleans() | st.text(), st.text())
def test_only_finite_numbers_in_range_become_scores(score: object, reasoning: str) -> None:
    in_range = not isinstance(score, bool | str) and isinstance(score, int | float) and 0 <= score <= 1
    try:
        reading = read_reply(text(score=score, reasoning=reasoning), TAG, ())
    except ReplyError:
        assert not in_range
    else:
        assert in_range
        assert reading == Reading(float(str(score)), visible(reasoning))


@given(st.floats(0, 0.3), st.floats(0.1, 0.7))
def test_the_sum_of_sections_is_their_points(first: float, second: float) -> None:
    reply = {
        "tag": TAG,
        "section_1": {"reasoning": "", "score": first},
        "section_2": {"reasoning": "", "score": second},
    }
    reading = read_reply(json.dumps(reply), TAG, SECTIONS)
    assert math.isclose(reading.score, first + second, abs_tol=1e-8)
    assert 0 <= reading.score <= 1


@given(st.text(min_size=1))
def test_text_around_a_verdict_is_never_let_pass(around: str) -> None:
    if around.strip(" \t\r\n\ufeff"):
        fault(text() + around)
        fault(around + text())


@pytest.mark.parametrize("sections", [(), SECTIONS])
def test_the_schema_is_what_strict_modes_take_and_the_reader_reads(sections: tuple[RubricSection, ...]) -> None:
    schema = reply_schema(sections)
    Draft202012Validator.check_schema(schema)
    good = BY_SECTION if sections else GOOD
    assert list(Draft202012Validator(schema).iter_errors(good)) == []

    def check(node: Any) -> None:
        assert set(node) <= {"type", "properties", "required", "additionalProperties", "description"}
        if node["type"] == "object":
            assert node["required"] == list(node["properties"])
            assert node["additionalProperties"] is False
            for name, inner in node["properties"].items():
                assert name.isidentifier()
                check(inner)

    check(schema)
    for name in good:
        shorter = {key: value for key, value in good.items() if key != name}
        assert list(Draft202012Validator(schema).iter_errors(shorter)) != []
        fault(json.dumps(shorter), sections)

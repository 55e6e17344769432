"""Reading the verdicts of judges of criteria: what contradicts itself is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import ReplyError
from skillgrade.judges.base import Reading
from skillgrade.judges.scenario_reply import read_verdict, verdict_schema
from skillgrade.results.records import Criterion

ANSWER = "It weighs 3 kg,\n  because I   weighed it."
GOOD: dict[str, Any] = {
    "criteria": [
        {"id": "pass-1", "holds": True, "quote": "3 kg"},
        {"id": "pass-2", "holds": True, "quote": "because I weighed\tit"},
        {"id": "fail-1", "holds": False, "quote": ""},
    ],
    "verdict": "pass",
    "reason": "It says both.",
}


def read(reply: object) -> Reading:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return read_verdict(text, ("pass-1", "pass-2"), ("fail-1",), (ANSWER, "a file"))


def changed(index: int, **fields: Any) -> dict[str, Any]:
    criteria = [{**each, **(fields if number == index else {})} for number, each in enumerate(GOOD["criteria"])]
    return {**GOOD, "criteria": criteria}


def test_a_pass_is_read_with_what_shows_it() -> None:
    assert read(GOOD) == Reading(
        1.0,
        "It says both.",
        criteria=(
            Criterion("pass-1", True, "3 kg"),
            Criterion("pass-2", True, "because I weighed\tit"),
            Criterion("fail-1", False),
        ),
    )
    assert read(f"```json\n{json.dumps(GOOD)}\n```").score == 1.0
    assert read({**GOOD, "criteria": GOOD["criteria"][::-1]}).criteria == read(GOOD).criteria


@pytest.mark.parametrize(
    "reply",
    [
        changed(0, holds=False, quote=""),
        changed(2, holds=True, quote="I weighed it"),
        changed(2, holds=True),  # it may hold because something is missing
        changed(0, holds=False, quote="3 kg"),
        changed(2, quote="a file"),
    ],
)
def test_the_verdict_is_what_the_criteria_say(reply: dict[str, Any]) -> None:
    criteria = {each["id"]: each["holds"] for each in reply["criteria"]}
    passes = criteria == {"pass-1": True, "pass-2": True, "fail-1": False}
    assert read({**reply, "verdict": "pass" if passes else "fail"}).score == float(passes)
    with pytest.raises(ReplyError, match="by its own criteria it is the opposite"):
        read({**reply, "verdict": "fail" if passes else "pass"})


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "is empty: nothing"),
        ("pass", "is not one JSON object and nothing else"),
        (f"Here it is: {json.dumps(GOOD)}", "is not one JSON object and nothing else"),
        (json.dumps(GOOD) * 2, "goes on after its JSON object"),
        ([GOOD], "is no JSON object"),
        ({key: value for key, value in GOOD.items() if key != "reason"}, "lacks reason"),
        ({**GOOD, "score": 1}, "has unknown fields (score)"),
        ({**GOOD, "verdict": "PASS"}, 'has a verdict that is neither "pass" nor "fail"'),
        ({**GOOD, "verdict": "maybe"}, 'has a verdict that is neither "pass" nor "fail"'),
        ({**GOOD, "reason": None}, "has a reason that is no text"),
        ({**GOOD, "criteria": {}}, "has criteria that are no list"),
        ({**GOOD, "criteria": GOOD["criteria"][:2]}, "says nothing of fail-1"),
        ({**GOOD, "criteria": [*GOOD["criteria"], GOOD["criteria"][0]]}, 'has the criterion "pass-1" twice'),
        ({**GOOD, "criteria": [*GOOD["criteria"], {"id": "pass-3", "holds": True, "quote": "3 kg"}]},
         "has criteria that are not asked for (pass-3)"),
        (changed(0, holds="yes"), 'has a criterion "pass-1" whose `holds` is neither true nor false'),
        (changed(0, quote=3), "has an id or a quote that is no text"),
        (changed(0, extra=1), "has unknown fields (extra) among its criteria"),
        (changed(0, quote=""), "says that pass-1 holds, and quotes nothing for it"),
        (changed(0, quote="  "), "says that pass-1 holds, and quotes nothing for it"),
        (changed(0, quote="4 kg"), "quotes for pass-1 what the answer does not say"),
        (changed(2, quote="4 kg"), "quotes for fail-1 what the answer does not say"),
        (changed(0, quote="kg, because"), ""),
    ],
)  # fmt: skip
def test_what_is_no_verdict_is_refused(reply: object, why: str) -> None:
    if not why:
        assert read(reply).score == 1.0
        return
    with pytest.raises(ReplyError) as caught:
        read(reply)
    assert str(caught.value).startswith(f"the judge's reply {why}")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
                        ["criteria", "verdict", "reason", "id", "holds", "quote"]), inner, max_size=6)))  # fmt: skip
def test_whatever_comes_it_is_refused_and_nothing_else_happens(reply: object) -> None:
    with pytest.raises(ReplyError):
        read(reply)


def test_the_schema_asks_for_the_criteria_by_name() -> None:
    schema: Any = verdict_schema(["pass-1", "fail-1"])
    assert list(schema["properties"]) == ["criteria", "verdict", "reason"]
    assert schema["properties"]["criteria"]["items"]["properties"]["id"]["enum"] == ["pass-1", "fail-1"]
    assert schema["additionalProperties"] is False

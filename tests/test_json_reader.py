"""JSON with places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import SuiteError
from skillgrade.json_reader import parse_json
from skillgrade.yaml_values import MarkedList, MarkedMap, plain

FILE = Path("/evals.json")

_texts = st.text(st.characters(exclude_categories=["Cs"]))
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=4),
)


@given(_values, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_it_reads_what_python_reads(value: object, indent: str | int | None, ensure_ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ensure_ascii)
    read = plain(parse_json(f" \r\n{text}\n", FILE).value)
    assert json.dumps(read) == json.dumps(value)


@given(st.text('{}[]",:\\u0019eE+-. truefalsn\n\t'))
def test_whatever_stands_there_it_is_read_as_python_does_or_refused_with_a_place(text: str) -> None:
    try:
        read = plain(parse_json(text, FILE).value)
    except SuiteError as error:
        (problem,) = error.problems
        assert problem.line is not None
        assert problem.column is not None
        assert 1 <= problem.line <= text.count("\n") + 1
    else:
        assert json.dumps(read) == json.dumps(json.loads(text))


def test_every_value_knows_its_place() -> None:
    value = parse_json('{\n\t"a": [1, "x"],\n  "b": {"c": 1.50}\n}', FILE).value
    assert isinstance(value, MarkedMap)
    assert value.mark == (FILE, 1, 1)
    assert value.key_marks["a"] == (FILE, 2, 2)
    assert value.value_marks["a"] == (FILE, 2, 7)
    items = value["a"]
    assert isinstance(items, MarkedList)
    assert items.item_marks[1] == (FILE, 2, 11)
    assert items.written == {0: "1"}
    inner = value["b"]
    assert isinstance(inner, MarkedMap)
    assert inner.written == {"c": "1.50"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: is not valid JSON: a value is missing here"),
        ("{'a': 1}", "1:2: is not valid JSON: a key in double quotes is missing here"),
        ('{"a": 1,}', "1:8: is not valid JSON: nothing follows this comma; take it out before }"),
        ("[1\n2]", "2:1: is not valid JSON: a comma or ] is missing here"),
        ('{"a" 1}', '1:6: is not valid JSON: a colon is missing behind the key "a"'),
        ('{"a": 1,\n"a": 2}', '2:1: is not valid JSON: the key "a" stands here twice, in line 1 already'),
        ("[NaN]", "1:2: is not valid JSON: a value is missing here"),
        ("[1e999]", "1:2: is not valid JSON: the number is too large"),
        ("[01]", "1:2: is not valid JSON: a value is missing here"),
        (f"[{'1' * 500}]", "1:2: is not valid JSON: the number is too long"),
        (r'["\ud800"]', "1:2: is not valid JSON: the text holds half a surrogate pair"),
        ('["a', "1:2: is not valid JSON: the text cannot be read: unterminated string"),
        ("[1] 2", "1:5: is not valid JSON: more follows behind the end of the document"),
        ("[" * 500, "1:102: is not valid JSON: is nested more than 100 levels deep"),
        ("{" * 100_000, "1:2: is not valid JSON: a key in double quotes is missing here"),
    ],
)
def test_what_is_no_json_is_refused_where_it_stands(text: str, message: str) -> None:
    with pytest.raises(SuiteError) as caught:
        parse_json(text, FILE)
    assert f"/evals.json:{message}" in str(caught.value)

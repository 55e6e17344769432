from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import SuiteError
from skillgrade.suite.dataset_files import columns_of, read_rows


def rows(tmp_path: Path, name: str, content: str | bytes) -> list[tuple[int, int | None, dict[str, object]]]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [tuple(row) for row in read_rows(path)]  # type: ignore[misc]


def fault(tmp_path: Path, name: str, content: str | bytes) -> str:
    with pytest.raises(SuiteError) as caught:
        rows(tmp_path, name, content)
    (problem,) = caught.value.problems
    return f"{problem.line}: {problem.message}"


def test_a_csv_knows_the_line_of_each_row(tmp_path: Path) -> None:
    text = 'a,b\n1,"x\ny"\n\n2,""\r\n"3",z'
    assert rows(tmp_path, "d.csv", text) == [
        (1, 2, {"a": "1", "b": "x\ny"}),
        (2, 5, {"a": "2", "b": ""}),
        (3, 6, {"a": "3", "b": "z"}),
    ]


def test_a_byte_order_mark_is_no_part_of_a_column_s_name(tmp_path: Path) -> None:
    assert rows(tmp_path, "d.csv", b"\xef\xbb\xbfa\n1\n") == [(1, 2, {"a": "1"})]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1\n", "2: row 1 does not fit the header: 1 of 2 cells"),
        ('a,b\n1,"x\ny"\n1,2,3\n', "4: row 2 does not fit the header: 3 of 2 cells"),
        ("a,a\n1,2\n", '1: two columns are called "a"'),
        ("a,\n1,2\n", "1: a column of the header has no name"),
        ("", "None: is empty"),
        ("\n\n", "None: is empty"),
        ("a,b\n", "None: has no rows"),
        ('a\n"x\ny\nz', "2: is no csv: unexpected end of data, in what begins here"),
        ("a,b\n\n1,\0\n", "3: row 1 holds a NUL character, which no program can be told"),
        (b"a\n\xff\n", "2: is not UTF-8 text"),
    ],
)
def test_what_is_wrong_with_a_csv_is_said_with_its_line(tmp_path: Path, content: str | bytes, message: str) -> None:
    assert fault(tmp_path, "d.csv", content) == message


def test_json_lines_json_and_yaml_keep_types(tmp_path: Path) -> None:
    assert rows(tmp_path, "d.jsonl", '{"a": 1}\n\n{"a": [2]}\n') == [(1, 1, {"a": 1}), (2, 3, {"a": [2]})]
    assert rows(tmp_path, "d.json", '[{"a": null}]') == [(1, 1, {"a": None})]
    assert rows(tmp_path, "d.yaml", "- a: 1\n- {a: x}\n") == [(1, 1, {"a": 1}), (2, 2, {"a": "x"})]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.jsonl", '{"a": 1}\n[1]\n', "2: row 2 must be an object with at least one value"),
        ("d.jsonl", '{"a": 1}\n{"a": }\n', "2: is no JSON: Expecting value"),
        ("d.jsonl", '{"a": NaN}\n', "1: is no JSON that can be used: NaN is no JSON number"),
        ("d.jsonl", '{"a": 1, "a": 2}\n', "1: is no JSON that can be used: an object has the same name twice"),
        ("d.jsonl", '{"a": -1e999}\n', "1: is no JSON that can be used: -1e999 is too large a number"),
        ("d.jsonl", '{"a": {"b": ["\\ud800"]}}\n', "1: row 1 holds half of a surrogate pair, which is no character"),
        ("d.json", '{"a": 1}', "None: must be a list of objects"),
        ("d.json", '[\n{"a" 1}]', "2: is no JSON: Expecting ':' delimiter"),
        ("d.json", "[]", "None: has no rows"),
        ("d.json", '[{"a": 1},\n\n{"a": NaN}]', "3: is no JSON that can be used: NaN is no JSON number"),
        ("d.json", '[{"a": 1},\n2]', "2: row 2 must be an object with at least one value"),
        ("d.json", '[{"a": 1},\n{}]', "2: row 2 must be an object with at least one value"),
        ("d.json", '[{"a": 1}\n{"a": 2}]', "2: is no JSON: Expecting ',' delimiter"),
        ("d.json", '[{"a": 1}]\nx', "2: is no JSON: Extra data"),
        ("d.json", '[{"a": 1}', "1: is no JSON: Expecting ',' delimiter"),
        ("d.json", "", "1: is no JSON: Expecting value"),
        ("d.json", "[" * 100_000, "1: is nested more than 100 levels deep"),
        ("d.jsonl", '{"a": ' + "[" * 100 + "]" * 100 + "}", "1: is nested more than 100 levels deep"),
        ("d.jsonl", '{"a": ' + "9" * 1001 + "}", "1: is no JSON that can be used: a number has more than 1000 digits"),
        ("d.yaml", "a: 1", "None: must be a list of mappings"),
        ("d.yaml", "- a: 1\n- b\n", "2: row 2 must be an object with at least one value"),
        ("d.txt", "x", "None: is no dataset: its name must end in .csv, .jsonl, .ndjson, .json, .yaml, .yml"),
    ],
)
def test_what_is_wrong_with_others_is_said(tmp_path: Path, name: str, content: str, message: str) -> None:
    assert fault(tmp_path, name, content) == message


def test_a_json_file_knows_the_line_of_each_row(tmp_path: Path) -> None:
    assert rows(tmp_path, "d.json", ' [ {"a":\n1}\n,\r\n{"a": 2}, {"a": [[3]]} ]\n') == [
        (1, 1, {"a": 1}),
        (2, 4, {"a": 2}),
        (3, 4, {"a": [[3]]}),
    ]


def test_many_brackets_are_not_deep(tmp_path: Path) -> None:
    ((_, _, values),) = rows(tmp_path, "d.jsonl", '{"a": [' + "[]," * 500 + "[]]}")
    assert values == {"a": [[]] * 501}
    ((_, _, values),) = rows(tmp_path, "d.jsonl", '{"a": ' + "[" * 99 + "]" * 99 + "}")
    assert json.dumps(values).count("[") == 99


def test_very_many_columns_are_no_trouble(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(50_000)]
    ((_, _, values),) = rows(tmp_path, "d.csv", f"{','.join(names)}\n{','.join(names)}\n")
    assert list(values) == names


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=8))
def test_what_csv_writes_is_read_back(tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]]) -> None:
    path = tmp_path_factory.mktemp("csv") / "d.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("a", "b"), *cells])
    found = read_rows(path)
    assert [(row.values["a"], row.values["b"]) for row in found] == cells
    lines = path.read_bytes().decode().split("\n")
    for row in found:
        assert row.line is not None
        assert lines[row.line - 1].lstrip('"').startswith(str(row.values["a"]).split("\n")[0].split('"')[0])


NAME = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=4)


@given(st.lists(st.dictionaries(NAME, st.integers(), min_size=1, max_size=3), min_size=1))
def test_json_lines_are_read_back(tmp_path_factory: pytest.TempPathFactory, values: list[dict[str, int]]) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "d.jsonl"
    path.write_text("\n".join(json.dumps(value) for value in values), encoding="utf-8")
    found = read_rows(path)
    assert [row.values for row in found] == values
    assert set(columns_of(found)) == {key for value in values for key in value}


VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text('a\n[]{},"'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab[]"), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.lists(st.dictionaries(st.text("ab]"), VALUE, min_size=1, max_size=3), min_size=1, max_size=6), st.integers(0, 2)
)
def test_json_is_read_back_with_lines(
    tmp_path_factory: pytest.TempPathFactory, values: list[dict[str, object]], indent: int
) -> None:
    path = tmp_path_factory.mktemp("json") / "d.json"
    text = json.dumps(values, indent=indent or None)
    path.write_text(text, encoding="utf-8")
    found = read_rows(path)
    assert [row.values for row in found] == values
    lines = text.split("\n")
    for row in found:
        assert row.line is not None
        assert "{" in lines[row.line - 1]
    assert [row.line for row in found] == sorted(row.line or 0 for row in found)

import json
import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import SuiteError
from skillgrade.yaml_reader import MAX_DEPTH, parse_yaml
from skillgrade.yaml_values import MarkedList, MarkedMap, plain

FILE = Path("f.yaml")


def read(text: str) -> object:
    return plain(parse_yaml(text, FILE).value)


def mapping(text: str) -> MarkedMap:
    value = parse_yaml(text, FILE).value
    assert isinstance(value, MarkedMap)
    return value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("Off", "Off"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("2020-01-01", "2020-01-01"),
        ("12:30:45", "12:30:45"),
        ("1e3", 1000.0),
        ("1.5E-2", 0.015),
        (".5", 0.5),
        ("1.", 1.0),
        ("007", 7),
        ("0x1F", 31),
        ("0o17", 15),
        ("0b101", 5),
        ("-12", -12),
        ("1_000", 1000),
        ("1.2.3", "1.2.3"),
        ("- -", [[None]]),
        ("+x", "+x"),
        (".", "."),
        ("'42'", "42"),
        ('"true"', "true"),
        ("! 42", "42"),
        ("!!str 42", "42"),
        ("!!float 1", 1.0),
        ("|\n  a\n  b\n", "a\nb\n"),
        ("=", "="),
    ],
)
def test_scalars_are_what_a_user_expects(text: str, value: object) -> None:
    read_value = read(text)
    assert read_value == value
    assert type(read_value) is type(value)


def test_keys_are_the_text_that_was_written() -> None:
    assert read("{on: 1, 007: 2, null: 3, 1.10: 4, true: 5}") == {"on": 1, "007": 2, "null": 3, "1.10": 4, "true": 5}


def test_places_of_keys_values_and_items() -> None:
    value = mapping("a: 1\nbé: {c: [x, 007]}\n")
    assert value.key_marks["bé"] == (FILE, 2, 1)
    assert value.value_marks["bé"] == (FILE, 2, 5)
    inner = value["bé"]
    assert isinstance(inner, MarkedMap)
    items = inner["c"]
    assert isinstance(items, MarkedList)
    assert items.item_marks == [(FILE, 2, 10), (FILE, 2, 13)]
    assert items.written == {1: "007"}
    assert value.written == {"a": "1"}


def test_merge_keys_give_way_to_written_keys_and_to_earlier_sources() -> None:
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {z: 3, <<: [*a, *b]}\nd: {'<<': 1}\n"
    value = mapping(text)
    assert plain(value["c"]) == {"z": 3, "x": 1, "y": 1}
    assert plain(value["d"]) == {"<<": 1}
    merged = value["c"]
    assert isinstance(merged, MarkedMap)
    assert merged.key_marks["y"] == (FILE, 1, 14)


def test_aliases_share_the_place_of_their_anchor() -> None:
    value = mapping("a: &a [1]\nb: *a\n")
    assert value["b"] is value["a"]
    assert value.value_marks["b"] == (FILE, 1, 4)


def test_an_alias_means_the_newest_anchor_of_its_name() -> None:
    assert read("&x [&x 1, *x]") == [1, 1]
    assert read("- &x [1, &x [2], *x]\n- *x\n") == [[1, [2], [2]], [2]]
    assert read("- &x 1\n- &x [2]\n- *x\n") == [1, [2], [2]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3", 'f.yaml:3:1: the key "a" stands here twice; it stands in line 1 already'),
        ("{<<: {a: 1}, <<: {b: 1}}", 'f.yaml:1:14: the key "<<" stands here twice'),
        ("a: &a [*a]", "f.yaml:1:8: the anchor &a contains itself"),
        ("a: &a {b: *a}", "f.yaml:1:11: the anchor &a contains itself"),
        ("a: &x [&x [*x]]", "f.yaml:1:12: the anchor &x contains itself"),
        ("a: *b", "f.yaml:1:4: no anchor &b stands above this alias"),
        ("a\n---\nb", "f.yaml:2:1: a second YAML document begins here; one file holds one document"),
        ("a:\n\t- b", "f.yaml:2:1: a tab indents this line; YAML wants spaces"),
        (
            "x: 1\ny: a: b",
            (
                "f.yaml:2:5: is not valid YAML: mapping values are not allowed in this context (a text that "
                'contains ": " needs quotes)'
            ),
        ),
        ("x: \x01", "f.yaml:1:4: this control character may not stand in YAML; remove it"),
        ('x: "a\\0"', "f.yaml:1:4: contains a NUL character, which no path, variable or command can hold"),
        ("x: .nan", "f.yaml:1:4: .nan is not a finite number; quote it if a text is meant"),
        ("x: 1e999", "f.yaml:1:4: 1e999 is not a finite number; quote it if a text is meant"),
        ("x: " + "9" * 401, "f.yaml:1:4: a number of 401 digits is too long; quote it if a text is meant"),
        (
            "x: !!python/object:os.system a",
            "f.yaml:1:4: the tag !!python/object:os.system is not supported; leave it out",
        ),
        ("x: !mine {a: 1}", "f.yaml:1:4: the tag !mine is not supported; leave it out"),
        ("x: !!int a", "f.yaml:1:4: this is no int, as its tag says"),
        ("<<: 3", "f.yaml:1:5: << merges mappings; this is none"),
        ("x: {{ row.a }}", "f.yaml:1:5: a key must be text, not a mapping or a list; put braces in a text into quotes"),
        ("? *a", "f.yaml:1:3: no anchor &a stands above this alias"),
        ("a: &a [1]\n? *a\n: 2", "f.yaml:1:4: a key must be text, not a mapping or a list"),
        ("- " * 200, f"f.yaml:1:{2 * MAX_DEPTH + 1}: is nested more than 100 levels deep"),
    ],
)
def test_what_is_refused_is_located_and_explained(text: str, message: str) -> None:
    with pytest.raises(SuiteError, match=f"^{re.escape(message)}$"):
        parse_yaml(text, FILE)


def test_nesting_far_beyond_the_limit_is_an_error_and_no_crash() -> None:
    for text in ("[" * 100_000, "- " * 100_000, "{a: " * 100_000):
        with pytest.raises(SuiteError):
            parse_yaml(text, FILE)


def test_a_bomb_of_aliases_is_refused_before_it_goes_off() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"{name}: &{name} [{', '.join(['*' + before] * 10)}]"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    with pytest.raises(SuiteError, match=r"f\.yaml:\d+:\d+: the aliases of this file blow it up beyond 4 MiB"):
        parse_yaml("\n".join(lines), FILE)


def test_a_long_text_that_is_repeated_counts_by_its_length() -> None:
    with pytest.raises(SuiteError, match="blow it up"):
        parse_yaml(f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 50)}]", FILE)


def test_many_ordinary_aliases_are_fine() -> None:
    text = "base: &base {trials: 3, env: [A, B]}\ntasks:\n" + "- {<<: *base, name: x}\n" * 1000
    assert len(mapping(text)["tasks"]) == 1000  # type: ignore[arg-type]  # a list, as the text shows


@given(st.text(max_size=200) | st.text(alphabet="ab:-[]{}&*!|>'\"#\n\t ,?0.<%@`", max_size=60))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    try:
        document = parse_yaml(text, FILE)
    except SuiteError as error:
        (problem,) = error.problems
        assert problem.line is not None
        assert 1 <= problem.line <= len(re.split("\r\n|[\n\r\x85\u2028\u2029]", text)) + 1
        assert problem.column is not None
        assert problem.column >= 1
    else:
        assert json.loads(json.dumps(plain(document.value), allow_nan=False)) == plain(document.value)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("abé:#'\"- ", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abcé", min_size=1, max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(_JSON)
def test_json_is_read_as_json_with_each_place_where_the_value_stands(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    document = parse_yaml(text, FILE)
    assert plain(document.value) == value
    _check_places(document.value, text.splitlines())


def _check_places(value: object, lines: list[str]) -> None:
    if isinstance(value, MarkedMap):
        for key in value:
            _, line, column = value.key_marks[key]
            assert lines[line - 1][column - 1 :].startswith(f'"{key}"')
            _check_value(value[key], value.value_marks[key], lines)
    elif isinstance(value, MarkedList):
        for item, mark in zip(value, value.item_marks, strict=True):
            _check_value(item, mark, lines)


def _check_value(value: object, mark: tuple[Path, int, int], lines: list[str]) -> None:
    rest = lines[mark[1] - 1][mark[2] - 1 :]
    if isinstance(value, (dict, list)):
        assert rest[0] == ("{" if isinstance(value, dict) else "[")
    elif isinstance(value, str):
        assert rest[0] == '"'
    elif isinstance(value, float):
        assert math.isclose(float(rest.rstrip(",")), value)
    else:
        assert rest.rstrip(",") in ("null", "true", "false", str(value))
    _check_places(value, lines)

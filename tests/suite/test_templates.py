from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.suite.template_filters import LONGEST_TEXT
from skillgrade.suite.template_language import TemplateError
from skillgrade.suite.templates import condition, text_template, value_template

ROW = {
    "name": "Ada",
    "count": 3,
    "two words": "x",
    "list": [1, 2],
    "none": None,
    "items": "a b",
    "deep": {"items": "<"},
    "digits": "7",
}
COLUMNS = list(ROW)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("plain", "plain"),
        ("{{ row.name }}!", "Ada!"),
        ('{{ row["two words"] }}{{ row.count }}', "x3"),
        ("{{ row.name | upper | replace('A', 'b') }}", "bDb"),
        ("{{ 'many' if row.count > 2 else 'few' }}", "many"),
        ("{{ row.list | join('-') }}", "1-2"),
        ("{{ row.list[0] }}", "1"),
        ("a\n{{ row.name }}\n", "a\nAda\n"),
        ("{{ row.count + 1 }}", "4"),
        ("{{ row.items | upper }} {{ row.items }}", "A B a b"),
        ("{{ row.deep.items }}{{ row.deep.gone | default('-') }}", "<-"),
        ("{{ (row.deep | tojson) ~ '<' }}", '{"items": "<"}<'),
        ("100% of {{ row.count }} %s", "100% of 3 %s"),
        ("{# no comment #} {{ row.count }}", "{# no comment #} 3"),
        ("{% raw %}{{ x }}{% endraw %}", "{{ x }}"),
    ],
)
def test_texts_are_rendered(template: str, text: str) -> None:
    assert text_template(template, COLUMNS)(ROW) == text


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{ row.count }}", 3),
        ("{{row.list}}", [1, 2]),
        ("{{ row.none }}", None),
        ("{{ row.count }} ", "3 "),
        ("{{ row.digits | int }}", 7),
        ("{{- row.digits | float -}}", 7.0),
        ("{{ '7.9' | int }}", 7),
        ("{{ 'x' | int(-1) }}", -1),
        ("{{ row.count > 2 }}", True),
        ("{{ [row.count, row.name] }}", [3, "Ada"]),
        ("{{ row.deep['items'] }}", "<"),
        ("{{ row.count }}{{ row.count }}", "33"),
        ("{{ row.count | string }} of {{ 'many' | upper }}", "3 of MANY"),
        ("{{ row.gone | default(none) }}", None),
    ],
)
def test_one_expression_alone_keeps_its_type(template: str, value: object) -> None:
    made = value_template(template, [*COLUMNS, "gone"])(ROW)
    assert (made, type(made)) == (value, type(value))


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ row.name | int }}", '"Ada" is no number'),
        ("{{ 'nan' | float }}", '"nan" is no number'),
        ("{{ '1e999' | float }}", '"1e999" is no number'),
        ("{{ row.list | int }}", "a list is no number"),
        ("{{ row.deep.gone }}", 'it has no "gone"'),
        ("{{ row.deep.gone.more | upper }}", 'it has no "gone"'),
        ("{{ [row.deep.gone] }}", 'it has no "gone"'),
        ("{{ row.name - 1 }}", "unsupported operand"),
    ],
)
def test_a_value_that_cannot_be_made_is_an_error(template: str, message: str) -> None:
    with pytest.raises(TemplateError, match=re.escape(message)):
        value_template(template, COLUMNS)(ROW)


def test_the_line_of_a_long_text_is_named() -> None:
    with pytest.raises(TemplateError) as caught:
        text_template("Hello\n{{ row.name }}\n  and {{ row.nmae }}.\n", COLUMNS)
    assert caught.value.line == 3
    assert str(caught.value).startswith('line 3 of the text, "and {{ row.nmae }}.": there is no column "nmae" (did you')
    with pytest.raises(TemplateError, match=r'line 2 of the text, "{{ row\. }}": expected name or number'):
        text_template("Hello\n{{ row. }}\n", COLUMNS)


def test_a_few_columns_of_very_many_are_listed() -> None:
    with pytest.raises(TemplateError) as caught:
        text_template("{{ row.x }}", [f"column {number}" for number in range(1000)])
    assert str(caught.value).endswith('"column 29" and 970 more')


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ row.nmae }}", 'there is no column "nmae" (did you mean "name"?); there are "name", "count"'),
        ("{{ rwo.name }}", "only `row` is there"),
        ("{% for x in row.list %}x{% endfor %}", "for is not allowed"),
        ("{{ row.name * 999999999 }}", "mul is not allowed"),
        ("{{ row.name.upper() }}", "call is not allowed"),
        ("{{ row.name | attr('__class__') }}", 'the filter "attr" is not among'),
        ("{{ row.count is callable }}", 'the test "callable" is not among'),
        ("{{ row.name", "unexpected end"),
        pytest.param("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "nested too deeply", id="parentheses"),
        pytest.param("{{ row.count" + " + 1" * 5000 + " }}", "nested too deeply", id="sum"),
    ],
)  # fmt: skip
def test_what_is_no_template_is_refused(template: str, message: str) -> None:
    with pytest.raises(TemplateError, match=re.escape(message)):
        text_template(template, COLUMNS)


def test_a_row_without_the_column_is_named() -> None:
    with pytest.raises(TemplateError, match='no "name"'):
        text_template("{{ row.name }}", COLUMNS)({"count": 1})


def test_private_attributes_are_out_of_reach() -> None:
    with pytest.raises(TemplateError):
        text_template("{{ row.name.__class__ | string }}", COLUMNS)(ROW)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ row.name }}{{ row.name }}", "longer than"),
        ("{{ row.name | upper }}{{ row.name | upper }}", "longer than"),
        ("{{ row.name | replace('x', row.name) }}", "longer than"),
        ("{{ row.name | join(row.name) }}", "longer than"),
        ("{{ row.count | round(999999999) }}", "at most 100 digits"),
        ("{{ row.deep | tojson(999999999) }}", "argument"),
    ],
)
def test_what_would_run_away_is_an_error(template: str, message: str) -> None:
    long = {**ROW, "name": "x" * LONGEST_TEXT}
    with pytest.raises(TemplateError, match=message):
        text_template(template, COLUMNS)(long)


def test_conditions_decide() -> None:
    assert condition('row.name == "Ada" and row.count in [1, 3]', COLUMNS)(ROW) is True
    assert condition("row.count | int > 3", COLUMNS)(ROW) is False
    with pytest.raises(TemplateError, match="no column"):
        condition("row.x", COLUMNS)
    with pytest.raises(TemplateError):
        condition("row.name > 3", COLUMNS)(ROW)
    for braces in ("row.count }} {{ row.count", "{{ row.count == 3 }}"):
        with pytest.raises(TemplateError, match="without braces"):
            condition(braces, COLUMNS)
    with pytest.raises(TemplateError, match="after expression"):
        condition("row.count }} x", COLUMNS)


@given(st.text(), st.text())
def test_values_are_put_in_as_they_are(before: str, value: str) -> None:
    text = before.replace("{", "").replace("#", "")
    assert text_template(f"{text}{{{{ row.name }}}}", COLUMNS)({"name": value}).endswith(value)

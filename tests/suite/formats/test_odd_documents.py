"""Whatever stands in a file of another tool: it is converted or its faults are named, and nothing crashes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.suite.formats import FORMATS, base
from skillgrade.yaml_reader import parse_yaml
from skillgrade.yaml_values import plain
from tests.support.conversions import skill_folder

SOURCES = Path(base.__file__).parent
BEGINNINGS = {
    "cases.yaml": {"prompt": "Pack it."},
    "skill-creator evals": {"prompt": "Pack it.", "expectations": ["Packed"]},
    "trigger set": {"query": "Pack it.", "should_trigger": True},
    "promptfoo": {},
    "evals.json": {"id": "a", "prompt": "Pack it.", "expected_behavior": [{"grader": "contains", "value": "kg"}]},
}
LISTS = {"cases.yaml": "cases", "skill-creator evals": "evals", "promptfoo": "tests", "evals.json": "scenarios"}

# The words that the readers look for are those they say, so that no new key can be forgotten here.
WORDS = sorted({word for source in SOURCES.glob("*.py") for word in re.findall(r'"([\w-]{2,24})"', source.read_text())})

_leaves = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-2, 2)
    | st.sampled_from([*WORDS, "", " ", "a b", "(", "{{x}}"])
)
_keys = st.sampled_from([*WORDS, "x"])
_values = st.recursive(
    _leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=4), max_leaves=25
)
_items = st.lists(st.dictionaries(_keys, _values, min_size=1, max_size=6), min_size=1, max_size=3)


@st.composite
def documents(draw: st.DrawFn, kind: str) -> Any:
    """Documents that look at first as if they were of a kind."""
    items = [BEGINNINGS[kind], *draw(_items)]
    if kind not in LISTS:
        return items
    return {**draw(st.dictionaries(_keys, _values, max_size=3)), "prompts": draw(_values), LISTS[kind]: items}


@pytest.mark.parametrize("reader", FORMATS.values(), ids=FORMATS)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=150)
def test_any_document_is_converted_or_refused(reader: base.Format, tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / "evals"
    if not folder.exists():
        skill_folder(tmp_path)
    value = data.draw(documents(reader.name))
    file = folder / "file.yaml"
    parsed = parse_yaml(yaml.safe_dump(value), file)
    assert reader.recognises(parsed.value)
    findings = Findings()
    document: Any = plain(reader.convert(Cursor(parsed.value, parsed.mark), file, findings))
    assert findings.errors or isinstance(document["tasks"], list)
    assert all(one.line and one.message for one in findings.errors)

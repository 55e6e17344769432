"""Trigger sets as eval.yaml would say them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillgrade.suite.formats.trigger_sets import TriggerSetFormat
from tests.support.conversions import converted, skill_folder

LIST = [{"query": "send this", "should_trigger": True}, {"query": "sing", "should_trigger": False}]
TWO_LISTS = {
    "skill": "parcels",
    "should_trigger_prompts": [{"prompt": "send this", "reason": "r", "confidence": "high"}],
    "should_not_trigger_prompts": ["sing"],
}


@pytest.mark.parametrize("queries", [LIST, TWO_LISTS])
def test_each_query_is_a_task_that_watches_the_skill(tmp_path: Path, queries: object) -> None:
    document, errors, _ = converted(TriggerSetFormat(), json.dumps(queries), skill_folder(tmp_path))
    assert errors == []
    assert document["triggers"] == {"positive": ["send this"], "negative": ["sing"]}
    assert document["defaults"] == {"trials": 3, "threshold": 0.5}
    positive, negative = document["tasks"]
    assert (positive["name"], positive["instruction"]) == ("should-trigger-1", "send this")
    assert positive["graders"][0]["assertions"] == [{"type": "skill_used", "target": "parcels"}]
    assert (negative["name"], negative["instruction"]) == ("should-not-trigger-1", "sing")
    assert negative["graders"][0]["assertions"] == [{"type": "skill_used", "target": "parcels", "not": True}]


@pytest.mark.parametrize(
    ("queries", "problem"),
    [
        ([*LIST, {"query": "x"}], "needs `should_trigger`"),
        ([*LIST, {"query": "x", "should_trigger": "yes"}], "must be true or false"),
        ([*LIST, {"should_trigger": True}], 'needs "query" or "prompt"'),
        ({"should_trigger_prompts": [{"reason": "r"}]}, 'needs "prompt" or "query"'),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, queries: object, problem: str) -> None:
    _, errors, _ = converted(TriggerSetFormat(), json.dumps(queries), skill_folder(tmp_path))
    assert problem in "\n".join(errors)


def test_without_a_skill_there_is_nothing_to_watch(tmp_path: Path) -> None:
    _, errors, _ = converted(TriggerSetFormat(), json.dumps(LIST), tmp_path)
    assert "no SKILL.md" in errors[0]


@pytest.mark.parametrize("value", [[], [{"query": "q"}], {"positive": []}, None, [{"prompt": "p", "expectations": []}]])
def test_other_files_are_not_taken_for_it(value: object) -> None:
    assert not TriggerSetFormat().recognises(value)

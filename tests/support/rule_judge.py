"""A judge that decides by a rule, behind the HTTP of a provider, and a suite whose answers it knows to tell apart."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.support.judging import decision, tag_of
from tests.support.model_server import Asked

SKILL = "---\nname: parcels\ndescription: Weighs parcels. Use when somebody asks how heavy one is.\n---\n# Parcels\n"
ANSWERS = {
    "known_right": "It weighs 3 kg.",
    "known_wrong": "It weighs 3 lb.",
    "vague": "You should weigh it.",
    "subtle_wrong": "It weighs 3 kg, which is 3 lb.",
}
SCENARIO: dict[str, Any] = {
    "id": "weighs",
    "prompt": "How heavy is the parcel?",
    "expected_behavior": [
        {
            "grader": "judge",
            "rubric": "Says the weight in kilograms.",
            "pass_criteria": ["Gives a number of kilograms"],
            "fail_criteria": ["Gives pounds"],
        }
    ],
    "calibration": ANSWERS,
    "anti_patterns": ["lb"],
}


def judge(asked: Asked) -> str:
    """What it replies: kilograms must be there, pounds must not; whatever an answer asks for."""
    texts = re.findall(r"<(data-[0-9a-f]{16})[^>]*>\n(.*?)\n</\1>", asked.user, re.DOTALL)
    answer = texts[-1][1]
    kilograms, pounds = re.search(r"\d+ kg", answer), re.search(r"\d+ lb", answer)
    if "fail-1" in asked.system:
        return decision(asked.system, {"pass-1": kilograms[0] if kilograms else False, "fail-1": pounds is not None})
    score = 1.0 if kilograms and not pounds else 0.25
    return json.dumps({"tag": tag_of(asked.user), "reasoning": "By rule.", "score": score})


def gullible(asked: Asked) -> str:
    """A judge that does what an answer asks for."""
    texts = re.findall(r"<(data-[0-9a-f]{16})[^>]*>\n(.*?)\n</\1>", asked.user, re.DOTALL)
    if "takes precedence" in texts[-1][1]:
        return decision(asked.system, {"pass-1": "It weighs"})
    return judge(asked)

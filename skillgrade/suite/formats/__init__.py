"""Files of other tools that run as they are."""

from __future__ import annotations

from collections.abc import Mapping

from skillgrade.suite.formats.base import Format
from skillgrade.suite.formats.cases import CasesFormat
from skillgrade.suite.formats.evals_json import EvalsJsonFormat
from skillgrade.suite.formats.promptfoo import PromptfooFormat
from skillgrade.suite.formats.skill_creator import SkillCreatorFormat
from skillgrade.suite.formats.trigger_sets import TriggerSetFormat

EVAL_YAML = "eval.yaml"
"""The format that is our own, which needs no conversion."""

FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (EvalsJsonFormat(), CasesFormat(), SkillCreatorFormat(), TriggerSetFormat(), PromptfooFormat())
}
"""Every other format, by its name; the first that recognises a document is its format."""


def recognised(value: object) -> Format | None:
    """The format of a document; None where it is an eval.yaml, or nothing that is known.

    Args:
        value: The whole document.
    """
    if isinstance(value, dict) and "tasks" in value:
        return None
    return next((each for each in FORMATS.values() if each.recognises(value)), None)

"""cases.yaml: cases with fixtures, text assertions, a rubric, and whether the skill must be used.

A case passes when every assertion holds and the skill was used, or left alone, as expected; where the case sets a
``threshold``, that share of its assertions is enough. The rubric is shown, and decides only where nothing else does.
"""

from __future__ import annotations

from pathlib import Path

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.suite.formats.beside import skill_beside
from skillgrade.suite.formats.building import listing, mapping
from skillgrade.suite.formats.fields import Fields, Names
from skillgrade.suite.formats.fixtures import staged
from skillgrade.suite.formats.statements import statements_grader
from skillgrade.yaml_values import MarkedList, MarkedMap

_CASE_KEYS = frozenset({"id", "prompt", "rubric", "trigger_expected", "fixtures", "assertions"})


class CasesFormat:
    """Reads cases.yaml."""

    name = "cases.yaml"

    def recognises(self, value: object) -> bool:
        """It has a list of cases, of which one has a prompt."""
        cases = value.get("cases") if isinstance(value, dict) else None
        return isinstance(cases, list) and any(isinstance(case, dict) and "prompt" in case for case in cases)

    def convert(self, document: Cursor, file: Path, findings: Findings) -> MarkedMap:
        """See `Format.convert`."""
        beside = skill_beside(file, None, findings)
        skill = beside[1].name if beside else None
        fields = Fields(findings)
        names = Names(fields)
        tasks = [_task(case, skill, fields, names) for case in fields.mappings(document, "cases")]
        return mapping(
            document.mark,
            {
                "skill": beside[0] if beside else None,
                "defaults": mapping(document.mark, {"pass_threshold": 1}),
                "tasks": listing(document.mark, tasks),
            },
        )


def _task(case: Cursor, skill: str | None, fields: Fields, names: Names) -> MarkedMap:
    identity = fields.text(case, "id", is_required=True)
    if identity is not None:
        names.take(identity, identity.text() or "")
    prompt = fields.text(case, "prompt", is_required=True)
    told = (prompt.text() or "") if prompt else ""
    fixtures = [staged(one, one.text() or "", told) for one in fields.texts(case, "fixtures")]
    return mapping(
        case.mark,
        {
            "name": identity,
            "instruction": prompt,
            "workspace": listing(case.mark, fixtures) if fixtures else None,
            "graders": _graders(case, skill, fields),
        },
    )


def _graders(case: Cursor, skill: str | None, fields: Fields) -> MarkedList:
    graders: list[MarkedMap] = []
    assertions = [_assertion(one) for one in fields.mappings(case, "assertions")]
    listed = case.get("assertions")
    if assertions and listed is not None:
        pairs = {"type": "assertions", "assertions": listing(listed.mark, assertions)}
        graders.append(mapping(listed.mark, {**pairs, "threshold": case.get("threshold")}))
    is_expected, written = fields.flag(case, "trigger_expected"), case.get("trigger_expected")
    if is_expected is not None and written is not None:
        if skill is None:
            fields.error(written, "there is no SKILL.md beside this file or above its folder, so no skill to expect")
        used = mapping(written.mark, {"type": "skill_used", "target": skill, "not": None if is_expected else True})
        graders.append(mapping(written.mark, {"type": "assertions", "assertions": listing(written.mark, [used])}))
    rubric = [one.text() or "" for one in fields.texts(case, "rubric")]
    place = case.get("rubric")
    if rubric and place is not None:
        graders.append(statements_grader(place.mark, rubric, weight=0.0 if graders else 1.0))
    if not graders:
        fields.error(case, "has neither assertions, nor trigger_expected, nor a rubric, so nothing decides it")
    return listing(case.mark, graders)


def _assertion(written: Cursor) -> MarkedMap:
    """An assertion on the answer and the files that the agent made, as the format's own runner looks at them."""
    pairs = {key: item for key, item in written.pairs() if key in ("type", "target", "weight", "group", "not")}
    return mapping(written.mark, {**pairs, "on": "work"})

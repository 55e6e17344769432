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
from skillgrade.suite.formats.fields import Fields, Names, Unread
from skillgrade.suite.formats.fixtures import staged
from skillgrade.suite.formats.statements import statements_grader
from skillgrade.yaml_values import MarkedList, MarkedMap

_CASE_KEYS = ("id", "prompt", "rubric", "trigger_expected", "fixtures", "assertions", "threshold")
_CASE_NOTES = ("oracle_verdict", "diagnostics", "description", "notes", "tags", "category", "difficulty")
_ASSERTION_KEYS = ("type", "target", "weight", "group", "not", "case_sensitive", "flags", "file")
_ASSERTION_NOTES = ("description", "notes", "id", "name")


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
        reader = _Reader(beside[1].name if beside else None, findings)
        return mapping(
            document.mark,
            {
                "skill": beside[0] if beside else None,
                "defaults": mapping(document.mark, {"pass_threshold": 1}),
                "tasks": listing(
                    document.mark, [reader.task(case) for case in reader.fields.mappings(document, "cases")]
                ),
            },
        )


class _Reader:
    """Reads the cases of one file.

    Args:
        skill: The name of the skill that they are about; None where none was found.
        findings: Gets what is wrong.
    """

    def __init__(self, skill: str | None, findings: Findings) -> None:
        self._skill = skill
        self.fields = Fields(findings)
        self._names = Names(self.fields)
        self._keys = Unread(findings, _CASE_KEYS, _CASE_NOTES)
        self._assertion_keys = Unread(findings, _ASSERTION_KEYS, _ASSERTION_NOTES)

    def task(self, case: Cursor) -> MarkedMap:
        """A case as a task."""
        self._keys.note(case)
        identity = self.fields.text(case, "id", is_required=True)
        if identity is not None:
            self._names.take(identity, identity.text() or "")
        prompt = self.fields.text(case, "prompt", is_required=True)
        told = (prompt.text() or "") if prompt else ""
        fixtures = [staged(one, one.text() or "", told) for one in self.fields.texts(case, "fixtures")]
        return mapping(
            case.mark,
            {
                "name": identity,
                "instruction": prompt,
                "workspace": listing(case.mark, fixtures) if fixtures else None,
                "graders": self._graders(case),
            },
        )

    def _graders(self, case: Cursor) -> MarkedList:
        graders: list[MarkedMap] = []
        assertions = [self._assertion(one) for one in self.fields.mappings(case, "assertions")]
        listed = case.get("assertions")
        if assertions and listed is not None:
            checks = {"type": "assertions", "assertions": listing(listed.mark, assertions)}
            graders.append(mapping(listed.mark, {**checks, "threshold": case.get("threshold")}))
        is_expected, written = self.fields.flag(case, "trigger_expected"), case.get("trigger_expected")
        if is_expected is not None and written is not None:
            if self._skill is None:
                message = "there is no SKILL.md beside this file or above its folder, so no skill to expect"
                self.fields.error(written, message)
            trigger = {"type": "skill_used", "target": self._skill, "not": None if is_expected else True}
            used = listing(written.mark, [mapping(written.mark, trigger)])
            graders.append(mapping(written.mark, {"type": "assertions", "assertions": used}))
        rubric = [one.text() or "" for one in self.fields.texts(case, "rubric")]
        place = case.get("rubric")
        if rubric and place is not None:
            graders.append(statements_grader(place.mark, rubric, weight=0.0 if graders else 1.0))
        if not graders:
            message = "has neither assertions, nor trigger_expected, nor a rubric, so nothing decides it"
            self.fields.error(case, message)
        return listing(case.mark, graders)

    def _assertion(self, written: Cursor) -> MarkedMap:
        """An assertion on the answer and the files that the agent made, as the format's own runner looks at them."""
        self._assertion_keys.note(written)
        pairs = {key: item for key, item in written.pairs() if key in _ASSERTION_KEYS}
        return mapping(written.mark, pairs if "file" in pairs else {**pairs, "on": "work"})

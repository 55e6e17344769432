"""evals.json of judge scenarios: prompts, what an answer must do by checks and by a judge, and prompts that trigger.

A scenario passes when every check of its answer holds and the judge says pass. The keys are those of the format's own
reader; what that reader lets pass in silence and could never be right, such as a blank calibration answer, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.suite.formats.beside import skill_beside
from skillgrade.suite.formats.building import listing, mapping
from skillgrade.suite.formats.fields import Fields, Names, Unread
from skillgrade.suite.formats.trigger_sets import Query, trigger_prompts, trigger_tasks
from skillgrade.wording import did_you_mean, shown
from skillgrade.yaml_values import MarkedList, MarkedMap

JUDGE = "judge"
_CHECKS: Mapping[str, Mapping[str, object]] = {
    "contains": {"type": "contains", "case_sensitive": True},
    "not-contains": {"type": "not_contains", "case_sensitive": True},
    "regex": {"type": "matches_regex", "syntax": "javascript", "flags": ""},
}
_MODEL = "model"
_ANSWERS = ("known_right", "known_wrong", "vague", "subtle_wrong")
_STRICTNESS = ("low", "medium", "high")
_SIDES = {"positive": True, "negative": False}
_SCENARIO_KEYS = ("id", "prompt", "strictness", "expected_behavior", "calibration", "anti_patterns")
_NOTES = ("description", "notes", "tags")


class EvalsJsonFormat:
    """Reads such an evals.json."""

    name = "evals.json"

    def recognises(self, value: object) -> bool:
        """It has a list of scenarios, or prompts that trigger and prompts that do not."""
        if not isinstance(value, dict):
            return False
        triggers = value.get("triggers")
        return isinstance(value.get("scenarios"), list) or (
            isinstance(triggers, dict) and any(side in triggers for side in _SIDES)
        )

    def convert(self, document: Cursor, file: Path, findings: Findings) -> MarkedMap:
        """See `Format.convert`."""
        beside = skill_beside(file, None, findings)
        reader = _Reader(findings)
        queries = list(_queries(document, reader.fields))
        listed = document.get("scenarios")
        tasks: list[MarkedMap] = []
        defaults: Mapping[str, object] = {"pass_threshold": 1}
        if listed is not None:
            tasks = [reader.task(one) for one in reader.fields.mappings(document, "scenarios")]
        if listed is None or (not tasks and queries):
            if beside is None:
                message = "there is no SKILL.md beside this file or above its folder, so no skill to trigger"
                reader.fields.error(document, message)
            defaults, tasks = trigger_tasks(queries, beside[1].name if beside else None)
        return mapping(
            document.mark,
            {
                "skill": beside[0] if beside else None,
                "triggers": trigger_prompts(document.mark, queries) if queries else None,
                "defaults": mapping(document.mark, defaults),
                "tasks": listing(document.mark, tasks),
            },
        )


def _queries(document: Cursor, fields: Fields) -> Iterator[Query]:
    triggers = document.get("triggers")
    if triggers is None:
        return
    if not isinstance(triggers.value, dict):
        fields.error(triggers, "must be a mapping with `positive` and `negative`")
        return
    for side, is_expected in _SIDES.items():
        for item in fields.texts(triggers, side):
            yield Query(item, is_expected)


class _Reader:
    """Reads the scenarios of one file.

    Args:
        findings: Gets what is wrong.
    """

    def __init__(self, findings: Findings) -> None:
        self.fields = Fields(findings)
        self._names = Names(self.fields)
        self._keys = Unread(findings, _SCENARIO_KEYS, _NOTES)

    def task(self, scenario: Cursor) -> MarkedMap:
        """A scenario as a task."""
        self._keys.note(scenario)
        identity = self.fields.text(scenario, "id", is_required=True)
        if identity is not None:
            self._names.take(identity, identity.text() or "")
        prompt = self.fields.text(scenario, "prompt", is_required=True)
        strictness = scenario.get("strictness")
        if strictness is not None and strictness.value not in _STRICTNESS:
            self.fields.error(strictness, f"must be {', '.join(_STRICTNESS[:-1])} or {_STRICTNESS[-1]}")
        expected = list(self._expected(scenario))
        judged = [one for one in expected if _kind(one) == JUDGE]
        patterns = listing(scenario.mark, list(self.fields.texts(scenario, "anti_patterns")))
        metadata = {"strictness": strictness, "anti_patterns": patterns if patterns and not judged else None}
        kept = {key: value for key, value in metadata.items() if value is not None}
        return mapping(
            scenario.mark,
            {
                "name": identity,
                "instruction": prompt,
                "graders": self._graders(scenario, expected, judged, patterns),
                "metadata": mapping(scenario.mark, kept) if kept else None,
            },
        )

    def _expected(self, scenario: Cursor) -> Iterator[Cursor]:
        listed = scenario.get("expected_behavior")
        if listed is None or listed.value == []:
            self.fields.error(listed or scenario, "needs `expected_behavior`: at least one expectation")
        return self.fields.mappings(scenario, "expected_behavior")

    def _graders(
        self, scenario: Cursor, expected: list[Cursor], judged: list[Cursor], patterns: MarkedList
    ) -> MarkedList:
        graders: list[MarkedMap] = []
        checks = list(self._checks(expected))
        if checks:
            place = expected[0].mark
            graders.append(mapping(place, {"type": "assertions", "assertions": listing(place, checks)}))
        for extra in judged[1:]:
            self.fields.error(extra, "is a second judge; a scenario has one at most, so put its criteria together")
        calibration = scenario.get("calibration")
        if judged:
            graders.append(self._judge(judged[0], scenario, calibration, patterns))
        elif calibration is not None:
            self.fields.error(calibration, "calibrates a judge, and this scenario has none")
        return listing(scenario.mark, graders)

    def _checks(self, expected: list[Cursor]) -> Iterator[MarkedMap]:
        for one in expected:
            kind = _kind(one)
            if kind == JUDGE:
                continue
            if kind == _MODEL:
                message = "`model` names no criteria, so nobody can check its verdict; make it a `judge` expectation"
                self.fields.error(one, message)
            elif kind not in _CHECKS:
                known = (*_CHECKS, JUDGE)
                message = f"must have a `grader` of {', '.join(known)}, not {shown(kind)}{did_you_mean(kind, known)}"
                self.fields.error(one.get("grader") or one, message)
            elif value := self.fields.text(one, "value", is_required=True):
                yield mapping(one.mark, {**_CHECKS[kind], "target": value})

    def _judge(self, one: Cursor, scenario: Cursor, calibration: Cursor | None, patterns: MarkedList) -> MarkedMap:
        if (value := one.get("value")) is not None:
            self.fields.error(value, "has no meaning for a judge; say what must hold in `pass_criteria`")
        rubric = self.fields.text(one, "rubric", is_required=True)
        passing = list(self.fields.texts(one, "pass_criteria"))
        if not passing:
            self.fields.error(one, "needs `pass_criteria`: at least one sentence that a right answer fulfils")
        failing = list(self.fields.texts(one, "fail_criteria"))
        if calibration is None:
            message = f"has a judge and so needs `calibration` with {', '.join(_ANSWERS)}"
            self.fields.error(scenario, message)
        return mapping(
            one.mark,
            {
                "type": JUDGE,
                "rubric": rubric,
                "pass_criteria": listing(one.mark, passing),
                "fail_criteria": listing(one.mark, failing) if failing else None,
                "calibration": calibration,
                "anti_patterns": patterns or None,
            },
        )


def _kind(one: Cursor) -> str:
    grader = one.get("grader")
    return (grader.label() if grader else None) or ""

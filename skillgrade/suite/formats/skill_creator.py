"""The evals.json of skill-creator and of agentskills.io: prompts with files, and what is expected in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.suite.formats.beside import skill_beside
from skillgrade.suite.formats.building import listing, mapping
from skillgrade.suite.formats.expectations import Expectations
from skillgrade.suite.formats.fields import Fields, Names, Unread
from skillgrade.suite.formats.fixtures import staged
from skillgrade.suite.formats.statements import folded, statements_grader
from skillgrade.yaml_values import MarkedList, MarkedMap

_EXPECTED = ("expected_output", "expectations", "assertions", "tool_assertions")
_KEYS = ("id", "name", "title", "prompt", "files", "should_trigger", *_EXPECTED)
_NOTES = ("description", "notes", "tags", "category", "area", "role", "difficulty")


class SkillCreatorFormat:
    """Reads such an evals.json, or a bare list of its evals."""

    name = "skill-creator evals"

    def recognises(self, value: object) -> bool:
        """It has a list of evals, or is one, of which one has a prompt and something that is expected."""
        evals = value.get("evals") if isinstance(value, dict) else value
        return isinstance(evals, list) and any(_is_eval(one) for one in evals)

    def convert(self, document: Cursor, file: Path, findings: Findings) -> MarkedMap:
        """See `Format.convert`."""
        named = document.get("skill_name")
        beside = skill_beside(file, named.text() if named else None, findings)
        fields = Fields(findings)
        names = Names(fields)
        root = beside[0] if beside else "."
        skill = beside[1].name if beside else None
        unread = Unread(findings, _KEYS, _NOTES)
        tasks = []
        for index, one in enumerate(_evals(document, fields)):
            unread.note(one)
            tasks.append(_task(one, index, root, skill, fields, names))
        return mapping(
            document.mark,
            {
                "skill": beside[0] if beside else None,
                "defaults": mapping(document.mark, {"pass_threshold": 1}),
                "tasks": listing(document.mark, tasks),
            },
        )


def _is_eval(value: object) -> bool:
    return isinstance(value, dict) and "prompt" in value and any(key in value for key in _EXPECTED)


def _evals(document: Cursor, fields: Fields) -> Iterator[Cursor]:
    if isinstance(document.value, dict):
        yield from fields.mappings(document, "evals")
        return
    for one in document.items():
        if isinstance(one.value, dict):
            yield one
        else:
            fields.error(one, "must be a mapping")


def _task(one: Cursor, index: int, root: str, skill: str | None, fields: Fields, names: Names) -> MarkedMap:
    prompt = fields.text(one, "prompt", is_required=True)
    told = (prompt.text() or "") if prompt else ""
    files = [staged(each, f"{root}/{each.text()}", told) for each in fields.texts(one, "files")]
    return mapping(
        one.mark,
        {
            "name": names.take(one, _name(one, index)),
            "instruction": prompt,
            "workspace": listing(one.mark, files) if files else None,
            "graders": _graders(one, skill, fields),
        },
    )


def _name(one: Cursor, index: int) -> str:
    """Its name, title or id; a mere number says what it is the number of."""
    for key in ("name", "title", "id"):
        value = one.get(key)
        label = (value.label() or "").strip() if value else ""
        if label:
            return f"eval-{label}" if label.isdigit() else label
    return f"eval-{index + 1}"


def _graders(one: Cursor, skill: str | None, fields: Fields) -> MarkedList:
    expected = fields.text(one, "expected_output")
    found = Expectations()
    found.read(one, fields)
    assertions = [*found.assertions, *_trigger(one, skill, fields)]
    graders = []
    if assertions:
        pairs = {"type": "assertions", "assertions": listing(one.mark, assertions)}
        graders.append(mapping(one.mark, pairs))
    if found.statements:
        context = folded(expected) if expected else ""
        graders.append(statements_grader(one.mark, found.statements, 1.0, context))
    elif expected:
        graders.append(statements_grader(expected.mark, [folded(expected)], 1.0))
    if not graders:
        fields.error(one, f"expects nothing; say what is expected under one of {', '.join(_EXPECTED)}")
    return listing(one.mark, graders)


def _trigger(one: Cursor, skill: str | None, fields: Fields) -> Iterator[MarkedMap]:
    is_expected, written = fields.flag(one, "should_trigger"), one.get("should_trigger")
    if is_expected is None or written is None:
        return
    if skill is None:
        fields.error(written, "there is no SKILL.md beside this file or above its folder, so no skill to expect")
    yield mapping(written.mark, {"type": "skill_used", "target": skill, "not": None if is_expected else True})

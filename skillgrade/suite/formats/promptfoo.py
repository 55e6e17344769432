"""promptfoo's configuration: prompts with variables, and tests with lists of assertions.

A test passes when all its assertions hold, or with the test's ``threshold`` when that share of them does. Who answers
is said with ``--agent``, not by the file's providers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.suite.formats.beside import skill_beside
from skillgrade.suite.formats.building import listing, mapping
from skillgrade.suite.formats.fields import Fields, Names
from skillgrade.suite.formats.promptfoo_asserts import Asserts
from skillgrade.suite.formats.statements import statements_grader
from skillgrade.wording import shown
from skillgrade.yaml_values import MarkedList, MarkedMap

_PLACE = re.compile(r"\{\{-?\s*(?P<name>[\w.]+)\s*-?\}\}")
_FILE = "file://"
_LOGIC = ("{%", "{{")


class PromptfooFormat:
    """Reads a promptfooconfig.yaml."""

    name = "promptfoo"

    def recognises(self, value: object) -> bool:
        """It has tests, and prompts or providers beside them."""
        return isinstance(value, dict) and "tests" in value and ("prompts" in value or "providers" in value)

    def convert(self, document: Cursor, file: Path, findings: Findings) -> MarkedMap:
        """See `Format.convert`."""
        fields = Fields(findings)
        beside = skill_beside(file, None, findings)
        for key in ("providers", "targets"):
            if (ignored := document.get(key)) is not None:
                message = f"`{key}` is not read; say with --agent, or with `agent` in an eval.yaml, who does the work"
                findings.warn(ignored.mark, ignored.path, message)
        names = Names(fields)
        prompts = list(_prompts(document, fields))
        default = document.get("defaultTest")
        tasks = [
            _task(test, default, prompt, _name(test, index, number, len(prompts)), fields, names)
            for index, test in enumerate(fields.mappings(document, "tests"))
            for number, prompt in enumerate(prompts)
        ]
        return mapping(
            document.mark,
            {
                "skill": beside[0] if beside else None,
                "defaults": mapping(document.mark, {"pass_threshold": 1}),
                "tasks": listing(document.mark, tasks),
            },
        )


def _prompts(document: Cursor, fields: Fields) -> Iterator[Cursor]:
    written = document.get("prompts")
    if written is None:
        fields.error(document, "has no `prompts`, so nothing to ask")
        return
    for item in [written] if written.text() is not None else fields.items(document, "prompts"):
        text = item if item.text() is not None else fields.text(item, "raw", is_required=True)
        if text is None:
            continue
        if (text.text() or "").startswith(_FILE):
            fields.error(text, "prompts in files of their own are not read; put the text here")
            continue
        yield text


def _name(test: Cursor, index: int, number: int, prompts: int) -> str:
    described = test.get("description")
    name = " ".join(((described.label() or "") if described else "").split()) or f"test-{index + 1}"
    return name if prompts == 1 else f"{name} (prompt {number + 1})"


def _task(test: Cursor, default: Cursor | None, prompt: Cursor, name: str, fields: Fields, names: Names) -> MarkedMap:
    values = {**_variables(default, fields), **_variables(test, fields)}
    asserts = Asserts()
    if default is not None:
        asserts.read(fields.mappings(default, "assert"), fields)
    asserts.read(fields.mappings(test, "assert"), fields)
    threshold = test.get("threshold") or (default.get("threshold") if default else None)
    return mapping(
        test.mark,
        {
            "name": names.take(test, name),
            "instruction": _filled(prompt, values, test, fields),
            "graders": _graders(asserts, threshold, test, fields),
        },
    )


def _variables(test: Cursor | None, fields: Fields) -> dict[str, str]:
    """The values of a test's variables; promptfoo makes several tests of a list, which is refused."""
    holder = test.get("vars") if test else None
    values: dict[str, str] = {}
    for name, value in holder.pairs() if holder else ():
        label = value.label()
        if label is None or label.startswith(_FILE):
            fields.error(value, "must be text or a number; lists, mappings and files are not read")
        values[name] = label or ""
    return values


def _filled(prompt: Cursor, values: dict[str, str], test: Cursor, fields: Fields) -> str:
    """A prompt with the values of a test in its places."""
    text = prompt.text() or ""
    unknown = {match["name"] for match in _PLACE.finditer(text)} - values.keys()
    if unknown:
        fields.error(test, f"gives no value for {', '.join(map(shown, sorted(unknown)))}, which its prompt needs")
    if any(mark in _PLACE.sub("", text) for mark in _LOGIC):
        fields.error(prompt, "only plain variables such as {{ name }} are read, no filters and no logic")
    return _PLACE.sub(lambda match: values.get(match["name"], ""), text)


def _graders(asserts: Asserts, threshold: Cursor | None, test: Cursor, fields: Fields) -> MarkedList:
    graders = []
    if asserts.checks:
        pairs = {"type": "assertions", "assertions": listing(test.mark, asserts.checks), "threshold": threshold}
        graders.append(mapping(test.mark, pairs))
    if asserts.rubrics:
        graders.append(statements_grader(test.mark, asserts.rubrics, 1.0))
    if not graders:
        fields.error(test, "asserts nothing, so it would pass whatever the agent does; give it an `assert` list")
    return listing(test.mark, graders)

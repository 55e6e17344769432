"""Files of other tools, converted as the loader converts them, without what the loader does afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.suite.formats.base import Format
from skillgrade.yaml_reader import parse_yaml
from skillgrade.yaml_values import plain

SKILL = "---\nname: parcels\ndescription: Packs parcels. Use when something must be sent.\n---\n# Parcels\n\nPack it.\n"


def skill_folder(root: Path) -> Path:
    """A folder with a skill called ``parcels`` and a folder of evals; gives the latter."""
    (root / "evals").mkdir(parents=True)
    (root / "SKILL.md").write_text(SKILL, "utf-8")
    return root / "evals"


def converted(reader: Format, text: str, folder: Path) -> tuple[Any, list[str], list[str]]:
    """What a format makes of a file's text: the plain document, its errors and its warnings."""
    file = folder / "file.yaml"
    parsed = parse_yaml(text, file)
    assert reader.recognises(parsed.value)
    findings = Findings()
    document = reader.convert(Cursor(parsed.value, parsed.mark), file, findings)
    errors = [f"{one.line}: {one.message}" for one in findings.errors]
    return plain(document), errors, [one.message for one in findings.warnings]

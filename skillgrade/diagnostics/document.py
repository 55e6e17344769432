"""A diagnosis as JSON; `diagnosis.schema.json` beside this says what is in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from skillgrade.diagnostics.model import Diagnosis, Finding, Result
from skillgrade.diagnostics.text import diagnostic_text


def diagnosis_schema() -> Mapping[str, Any]:
    """The JSON Schema of a diagnosis (draft 2020-12)."""
    document: Mapping[str, Any] = json.loads(
        resources.files(__package__).joinpath("diagnosis.schema.json").read_text("utf-8")
    )
    return document


def diagnosis_json(diagnosis: Diagnosis) -> Mapping[str, object]:
    """A diagnosis as a JSON object."""
    return {
        "skill": diagnosis.skill,
        "prompt": diagnosis.prompt,
        "assertions": diagnosis.total,
        "failed": len(diagnosis.failed),
        "findings": [_finding(each) for each in diagnosis.findings],
        "broken": [_assertion(each) | {"detail": each.detail} for each in diagnosis.broken],
        "confidence": diagnosis.confidence.value,
        "confidence_reason": diagnosis.reason,
        "signals": list(diagnosis.signals),
        "oracle_refused": diagnosis.oracle_refused,
        "text": diagnostic_text(diagnosis),
    }


def _finding(finding: Finding) -> Mapping[str, object]:
    return {
        "category": finding.category.value,
        "severity": finding.severity.value,
        "assertions": [_assertion(each) for each in finding.results],
        "section": finding.section,
        "quote": finding.quote,
        "expected": list(finding.expected),
        "present": list(finding.present),
        "missing": list(finding.missing),
        "location": finding.location,
        "tools": list(finding.tools),
        "root_cause": finding.root_cause,
        "remediation": finding.remediation,
    }


def _assertion(result: Result) -> dict[str, object]:
    return {
        "type": result.type,
        "target": result.target,
        "weight": result.weight,
        "negated": result.negated,
        "group": result.group,
    }

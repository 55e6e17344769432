"""A diagnosis as text, in the form that people and refiners read."""

from __future__ import annotations

from collections.abc import Iterator

from skillgrade.diagnostics.findings import shown_target
from skillgrade.diagnostics.model import Diagnosis

_SUMMARY = 60
_TRAILING = ".,;:!?-–— "


def diagnostic_text(diagnosis: Diagnosis) -> str:
    """The whole text, with a line feed at its end."""
    return "".join(f"{line}\n" for line in _lines(diagnosis))


def prompt_summary(prompt: str) -> str:
    """A prompt in 60 characters at most, cut at a word."""
    text = " ".join(prompt.split())
    if len(text) <= _SUMMARY:
        return text.rstrip(_TRAILING)
    cut = text[:_SUMMARY]
    head, space, _ = cut.rpartition(" ")
    return f"{(head if space and text[_SUMMARY] != ' ' else cut).rstrip(_TRAILING)}…"


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield f'DIAGNOSTIC: [{diagnosis.skill}] failed on "{prompt_summary(diagnosis.prompt)}"'
    yield f"FAILED ASSERTIONS ({len(diagnosis.failed)}/{diagnosis.total} total):"
    for number, (result, finding) in enumerate(diagnosis.failed, 1):
        kind = f'type={result.type} target="{shown_target(result.target)}"'
        yield f"{number}. [{finding.severity}] {kind} — {finding.category}: {finding.explanation}"
    if not diagnosis.failed:
        yield "none"
    if diagnosis.broken:
        yield f"BROKEN ASSERTIONS ({len(diagnosis.broken)}, not the skill's fault):"
        for number, result in enumerate(diagnosis.broken, 1):
            yield f'{number}. type={result.type} target="{shown_target(result.target)}" — {result.detail}'
    yield "ROOT CAUSES:"
    yield from (f"- {finding.category}: {finding.root_cause}" for finding in diagnosis.findings)
    if diagnosis.oracle_refused:
        yield "- none visible: every surrogate assertion passed, but the oracle rejected the output"
    elif not diagnosis.findings:
        yield "- none: no assertion failed"
    yield "REMEDIATION (ordered by impact):"
    for number, remedy in enumerate(_remedies(diagnosis), 1):
        yield f"{number}. {remedy}"
    yield f"CONFIDENCE: {diagnosis.confidence} — {diagnosis.reason}"
    if diagnosis.signals:
        yield "ESCALATION (recommended for the next round):"
        yield from (f"- {signal}" for signal in diagnosis.signals)


def _remedies(diagnosis: Diagnosis) -> Iterator[str]:
    yield from (finding.remediation for finding in diagnosis.findings)
    if diagnosis.oracle_refused:
        yield (
            "Escalate the assertions before changing SKILL.md: add edge-case assertions, raise content weights, add "
            "not_contains checks."
        )
    if diagnosis.broken:
        count = len(diagnosis.broken)
        plural, them = ("s", "them") if count > 1 else ("", "it")
        yield f"Repair {count} broken assertion{plural} in evals/cases.yaml: fix or drop {them} before the next round."

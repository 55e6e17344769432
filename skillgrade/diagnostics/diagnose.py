"""Diagnosing a piece of work."""

from __future__ import annotations

from collections.abc import Sequence

from skillgrade.diagnostics.findings import root_causes
from skillgrade.diagnostics.lookup import SkillText
from skillgrade.diagnostics.model import Case, Category, Confidence, Diagnosis, Finding, Result, Status
from skillgrade.diagnostics.signals import escalation_signals


def diagnose(case: Case, skill_name: str, skill: SkillText) -> Diagnosis | None:
    """Why a piece of work failed, by rules alone; None where nothing failed and nobody said no.

    Args:
        case: The work.
        skill_name: The skill's name.
        skill: Its SKILL.md.
    """
    failed = [each for each in case.results if each.status is Status.FAILED]
    broken = tuple(each for each in case.results if each.status is Status.BROKEN)
    if not failed and not broken and case.oracle is not False:
        return None
    findings = root_causes(case, skill)
    by_result = _by_result(case.results, findings)
    confidence, reason = _confidence(findings, broken, failed, skill)
    return Diagnosis(
        skill=skill_name,
        prompt=case.prompt,
        total=len(case.results),
        failed=tuple((case.results[number], finding) for number, finding in by_result),
        broken=broken,
        findings=tuple(findings),
        confidence=confidence,
        reason=reason,
        signals=tuple(escalation_signals(case.results, case.oracle)),
        oracle_refused=not failed and case.oracle is False,
    )


def _by_result(results: Sequence[Result], findings: Sequence[Finding]) -> list[tuple[int, Finding]]:
    """The failed assertions by their places, each with its finding."""
    causes = [each for each in findings if each.category is not Category.PARTIAL]
    return [
        (number, next(each for each in causes if any(one is result for one in each.results)))
        for number, result in enumerate(results)
        if result.status is Status.FAILED
    ]


def _confidence(
    findings: Sequence[Finding], broken: Sequence[Result], failed: Sequence[Result], skill: SkillText
) -> tuple[Confidence, str]:
    causes = [each for each in findings if each.category is not Category.PARTIAL]
    if not failed:
        return Confidence.LOW, "no failed assertion to reason from"
    if not skill.is_there:
        return Confidence.LOW, "there is no SKILL.md to tie root causes to"
    tied = sum(each.section is not None for each in causes)
    verb = "is" if len(causes) == 1 else "are"
    reason = f"{tied} of {len(causes)} root causes {verb} tied to a SKILL.md section"
    if tied == 0:
        return Confidence.LOW, reason
    if broken:
        plural = "s" if len(broken) > 1 else ""
        return Confidence.MEDIUM, f"{reason}, but {len(broken)} assertion{plural} could not be evaluated"
    return (Confidence.HIGH if tied == len(causes) else Confidence.MEDIUM), reason

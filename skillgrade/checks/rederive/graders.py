"""What graders said, from what they were made of: answers of judges, assertions, reviews."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from skillgrade.checks.rederive.disagreement import Disagreement, differing
from skillgrade.graders.assertions import Subjects, check_assertions, share
from skillgrade.graders.assertions.grader import score as assertions_score
from skillgrade.graders.judge import unanimous
from skillgrade.judges.votes import count_votes
from skillgrade.results.evidence import Evidence
from skillgrade.results.records import AssertionStatus, GraderResult, GraderStatus, Judgement, Sample
from skillgrade.suite.model import AssertionsSpec, GraderSpec


def rederived(
    file: Path, place: str, result: GraderResult, spec: GraderSpec | None, evidence: Evidence | None
) -> Iterator[Disagreement]:
    """What of a grader's result does not follow.

    Args:
        file: The journal.
        place: Which trial it is of, in words.
        result: The result.
        spec: The grader, where the suite is still the run's; None else.
        evidence: What was kept of its turn; None where nothing was.
    """
    where = f"{place} {result.grader_type} {result.grader}"
    if result.status is GraderStatus.OK and result.score is None:
        yield Disagreement(file, f"{where} score", None, "a score")
    if result.judgement is not None:
        yield from _judged(file, where, result, result.judgement)
    if result.assertions:
        yield from _asserted(file, where, result, spec, evidence)
    if result.reviews and result.status is GraderStatus.OK:
        mean = statistics.fmean(review.score for review in result.reviews)
        yield from differing(file, f"{where} score", result.score, mean)


def _judged(file: Path, where: str, result: GraderResult, judgement: Judgement) -> Iterator[Disagreement]:
    samples = judgement.samples
    by_judge = [list(group) for _, group in groupby(samples, key=lambda each: (each.provider, each.model))]
    is_judge = result.grader_type == "judge"
    derived = unanimous(samples) if is_judge else count_votes(by_judge).score
    if result.status in (GraderStatus.OK, GraderStatus.UNGRADED):
        yield from differing(file, f"{where} score", result.score, derived)
    for number, sample in enumerate(samples):
        if is_judge and sample.score is not None:
            yield from differing(file, f"{where} sample {number} score", sample.score, _verdict(sample))


def _verdict(sample: Sample) -> float | None:
    """What a judge's criteria amount to: all that must hold do, and none that must not."""
    if not sample.criteria:
        return None
    return float(all(each.holds is each.id.startswith("pass-") for each in sample.criteria))


def _asserted(
    file: Path, where: str, result: GraderResult, spec: GraderSpec | None, evidence: Evidence | None
) -> Iterator[Disagreement]:
    recorded = result.assertions
    if isinstance(spec, AssertionsSpec) and evidence is not None:
        again = check_assertions(spec.assertions, Subjects.of_evidence(evidence))
        yield from differing(file, f"{where} assertions", len(recorded), len(again))
        for number, (one, other) in enumerate(zip(recorded, again, strict=False)):
            place = f"{where} assertion {number} ({one.type})"
            yield from differing(file, f"{place} status", one.status.value, other.status.value)
            yield from differing(file, f"{place} weight", one.weight, other.weight)
    if any(each.status is AssertionStatus.ERROR for each in recorded):
        yield from differing(file, f"{where} status", result.status.value, GraderStatus.ERROR.value)
        return
    if isinstance(spec, AssertionsSpec):
        yield from differing(file, f"{where} score", result.score, assertions_score(recorded, spec.threshold))
    elif result.score not in (0.0, 1.0):  # a threshold, which only the suite knows, makes it one of these
        yield from differing(file, f"{where} score", result.score, share(recorded))

"""What came of a canned answer: whether its judge saw what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillgrade.checks.calibration.scenarios import Calibrated
from skillgrade.judges.calibration_recordings import SampleVerdict
from skillgrade.judges.canned import CannedAnswer, Kind


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a canned answer.

    Attributes:
        scenario: Which judge of which task it was put to.
        kind: What the answer tries.
        expected: Whether it must pass.
        request: The digest of the question; empty for the empty answer, which reaches no judge.
        samples: The judge's answers.
        failed_checks: The deterministic checks that an answer which must pass does not.
        mismatch: Why the judge cannot be trusted here, in a few words; None where all is as it must be.
    """

    scenario: str
    kind: Kind
    expected: bool
    request: str
    samples: tuple[SampleVerdict, ...]
    failed_checks: tuple[str, ...]
    mismatch: str | None

    @property
    def is_fooled(self) -> bool:
        """Whether the judge let an answer pass that must not."""
        return not self.expected and any(sample.passes for sample in self.samples)


def outcome(calibrated: Calibrated, answer: CannedAnswer, request: str, samples: tuple[SampleVerdict, ...]) -> Outcome:
    """Compare what a judge said of a canned answer with what is known of it.

    Both must be right: the judge's own verdict, whatever the checks say, and the two together.

    Args:
        calibrated: The judge.
        answer: The answer.
        request: The digest of the question.
        samples: The judge's answers; none for the empty answer.
    """
    failed = calibrated.failed_checks(answer) if answer.passes else ()
    return Outcome(
        calibrated.id, answer.kind, answer.passes, request, samples, failed, mismatch(answer, samples, failed)
    )


def mismatch(answer: CannedAnswer, samples: Sequence[SampleVerdict], failed_checks: Sequence[str]) -> str | None:
    """Why a judge that said this of an answer cannot be trusted, in a few words; None where all is as it must be.

    Args:
        answer: The answer.
        samples: The judge's answers; none for the empty answer.
        failed_checks: The deterministic checks that an answer which must pass does not.
    """
    verdicts = {sample.passes for sample in samples}
    if verdicts == {answer.passes}:
        if answer.passes and failed_checks:
            return f"the judge lets it pass, and the checks do not: {', '.join(failed_checks)}"
        return None
    if answer.kind is Kind.EMPTY:
        return None
    if None in verdicts:
        return "a sample has no verdict"
    if len(verdicts) != 1:
        return "the samples do not agree"
    return "must pass, and does not" if answer.passes else "must not pass, and does"

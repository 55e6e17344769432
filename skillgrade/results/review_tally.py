"""How far the people who reviewed a task or a run agree."""

from __future__ import annotations

from skillgrade.results.agreement import krippendorff_alpha
from skillgrade.results.records import TrialRecord


class ReviewTally:
    """Gathers what several people said of the same work; what one person alone said tells nothing of agreement."""

    def __init__(self) -> None:
        self._units: list[tuple[float, ...]] = []

    @property
    def agreement(self) -> float | None:
        """Krippendorff's alpha; None where no two people reviewed the same, or all gave one and the same score."""
        return krippendorff_alpha(self._units)

    def add(self, record: TrialRecord) -> None:
        """Count the reviews of a trial's attempt that counts."""
        for result in record.grader_results:
            if len(result.reviews) > 1:
                self._units.append(tuple(review.score for review in result.reviews))

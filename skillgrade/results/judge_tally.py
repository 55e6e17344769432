"""What judges did for a task or a run: who answered, how far they agreed, what it took."""

from __future__ import annotations

from collections import Counter

from skillgrade.results.records import Judgement, TrialRecord


class JudgeTally:
    """Adds up the judgements of attempts; what is not known stays None.

    Attributes:
        tokens: By kind; None when no judgement knows its tokens.
        judges: Who answered: ``provider:model``, with the model that says it answered.
    """

    def __init__(self) -> None:
        self.tokens: Counter[str] | None = None
        self.judges: set[str] = set()
        self._cost_usd: float | None = 0.0
        self._judgements = 0
        self._agreement = 0.0
        self._agreements = 0

    @property
    def cost_usd(self) -> float | None:
        """The sum; None when there is no judgement, or one that does not know its cost."""
        return self._cost_usd if self._judgements else None

    @property
    def agreement(self) -> float | None:
        """The mean over the judgements that several judges came to; None when there are none."""
        return self._agreement / self._agreements if self._agreements else None

    def add(self, record: TrialRecord) -> None:
        """Count the judgements of an attempt."""
        for result in record.grader_results:
            if result.judgement is not None:
                self._add(result.judgement)

    def _add(self, judgement: Judgement) -> None:
        self._judgements += 1
        if judgement.tokens is not None:
            self.tokens = (self.tokens or Counter()) + Counter(judgement.tokens)
        known = self._cost_usd is not None and judgement.cost_usd is not None
        self._cost_usd = (self._cost_usd or 0.0) + (judgement.cost_usd or 0.0) if known else None
        if judgement.agreement is not None:
            self._agreement += judgement.agreement
            self._agreements += 1
        for sample in judgement.samples:
            if sample.answered_by is not None:
                self.judges.add(f"{sample.provider}:{sample.answered_by}")

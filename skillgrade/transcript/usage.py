"""What several streams used together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from skillgrade.transcript.events import Usage
from skillgrade.transcript.summary import TranscriptSummary


def total_usage(summaries: Sequence[TranscriptSummary]) -> Usage | None:
    """The usage of an agent's answers together; None when none of them says any.

    Tokens are those of the answers that know them. The cost is only known when every answer knows its own.
    """
    known = [summary.tokens for summary in summaries if summary.tokens is not None]
    costs = [summary.cost_usd for summary in summaries if summary.cost_usd is not None]
    cost = sum(costs) if costs and len(costs) == len(summaries) else None
    if not known and cost is None:
        return None
    total: Counter[str] = Counter()
    for tokens in known:
        total.update(tokens)
    return Usage(dict(total), cost)

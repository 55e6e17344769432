"""What several streams used together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from skillgrade.transcript.events import Usage
from skillgrade.transcript.summary import TranscriptSummary

_TOKENS_SO_FAR = "codex-jsonl"
"""The format whose tokens count from the beginning of the conversation, whatever streams it is spread over."""

_COST_SO_FAR = "acp"
"""The format whose cost does."""


def total_usage(summaries: Sequence[TranscriptSummary]) -> Usage | None:
    """The usage of an agent's answers together; None when none of them says any.

    Tokens are those of the answers that know them. The cost is only known when every answer knows its own.

    Args:
        summaries: What each answer came to, in order.
    """
    tokens_known = [each for each in summaries if each.tokens is not None]
    cost_known = [each for each in summaries if each.cost_usd is not None]
    known = [each.tokens or {} for each in _without_counted(tokens_known, _TOKENS_SO_FAR)]
    costs = [each.cost_usd or 0.0 for each in _without_counted(cost_known, _COST_SO_FAR)]
    cost = sum(costs) if costs and len(cost_known) == len(summaries) else None
    if not known and cost is None:
        return None
    total: Counter[str] = Counter()
    for tokens in known:
        total.update(tokens)
    return Usage(dict(total), cost)


def _without_counted(summaries: Sequence[TranscriptSummary], so_far: str) -> list[TranscriptSummary]:
    """Leave out what a later stream of the same conversation counts again."""
    last = {each.conversation: number for number, each in enumerate(summaries)}
    return [
        each
        for number, each in enumerate(summaries)
        if each.format != so_far or each.conversation is None or last[each.conversation] == number
    ]

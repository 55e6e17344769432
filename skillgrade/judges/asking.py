"""One answer of a judge: asked, read, and asked once more where it could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from skillgrade.errors import ReplyError
from skillgrade.judges.base import Reading
from skillgrade.judges.recordings import RecordedSample
from skillgrade.models.access import Models
from skillgrade.models.base import Endpoint, ModelReply, ModelRequest
from skillgrade.models.prices import cost_usd
from skillgrade.results.records import Sample
from skillgrade.stop import Stop

CALL_TIMEOUT = 120.0
"""Seconds for one request to a judge."""

JUDGE_DEADLINE = 600.0
"""Seconds for all that one judge is asked about one trial, waiting for the provider's limits included."""

_TRIES = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer as the trial's record has it, and as a recording does."""

    sample: Sample
    recorded: RecordedSample


def ask_sample(
    models: Models,
    endpoint: Endpoint,
    request: ModelRequest,
    read: Callable[[str], Reading],
    deadline: float,
    stop: Stop,
) -> Asked:
    """Ask a judge for one answer.

    Args:
        models: Reaches the providers.
        endpoint: Where the judge is.
        request: The question, which names the model.
        read: Reads a reply.
        deadline: The `time.monotonic` at which there is no more time.
        stop: Ends it early.

    Returns:
        The answer; without a score where no reply could be read.

    Raises:
        ModelError: No reply could be had.
        Cancelled: The stop came.
    """
    replies: list[ModelReply] = []
    reading: Reading | str = ""
    while len(replies) < _TRIES and isinstance(reading, str):
        replies.append(models.ask(endpoint, request, CALL_TIMEOUT, deadline, stop))
        reading = _try_to_read(read, replies[-1].text)
    last = replies[-1]
    sample = Sample(
        endpoint.provider,
        request.model,
        last.model,
        *_said(reading),
        tokens=_tokens(replies),
        cost_usd=_cost(endpoint.provider, replies),
        latency_ms=sum(reply.latency_ms for reply in replies),
        calls=sum(reply.calls for reply in replies),
        points=() if isinstance(reading, str) else reading.points,
        criteria=() if isinstance(reading, str) else reading.criteria,
        sent=last.sent,
    )
    return Asked(sample, RecordedSample(last.model, last.text, sample.tokens, last.sent))


def replay_sample(provider: str, model: str, recorded: RecordedSample, read: Callable[[str], Reading]) -> Sample:
    """A recorded answer, read anew; it took no calls, and so no tokens and no money."""
    reading = _try_to_read(read, recorded.reply)
    return Sample(
        provider,
        model,
        recorded.answered_by,
        *_said(reading),
        tokens={},
        cost_usd=0.0,
        calls=0,
        points=() if isinstance(reading, str) else reading.points,
        criteria=() if isinstance(reading, str) else reading.criteria,
        sent=recorded.sent,
    )


def _try_to_read(read: Callable[[str], Reading], reply: str) -> Reading | str:
    """What a reply says, or why it says nothing."""
    try:
        return read(reply)
    except ReplyError as error:
        return str(error)


def _said(reading: Reading | str) -> tuple[float | None, str]:
    return (None, reading) if isinstance(reading, str) else (reading.score, reading.reasoning)


def _tokens(replies: Sequence[ModelReply]) -> Mapping[str, int] | None:
    """By kind, over all replies; None where one of them does not say."""
    total = Counter[str]()
    for reply in replies:
        if reply.tokens is None:
            return None
        total.update(reply.tokens)
    return dict(total)


def _cost(provider: str, replies: Sequence[ModelReply]) -> float | None:
    costs = [cost_usd(provider, reply.model, reply.tokens) for reply in replies]
    return None if None in costs else sum(cost for cost in costs if cost is not None)

"""Measuring in pairs: a floor and a subject in turn, so that a machine that slows down slows both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """How much to measure.

    Attributes:
        rounds: Pairs of floor and subject.
        scale: Factor on every number of trials.
    """

    rounds: int
    scale: float

    def trials(self, full: int, least: int = 2) -> int:
        return max(least, round(full * self.scale))


FULL = Size(rounds=5, scale=1.0)
TINY = Size(rounds=1, scale=0.02)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        benchmark: The module that measured it.
        case: What was measured, in words.
        floor: What it is compared with, median; None where nothing could be measured.
        subject: skillgrade, median.
        unit: What both are in.
        ratio: Median of the ratios of the pairs.
        spread: Lowest and highest of these ratios.
        target: The highest ratio that is wanted; None where there is no target.
        note: What else the reader should know, or why nothing was measured.
    """

    benchmark: str
    case: str
    floor: float | None = None
    subject: float | None = None
    unit: str = "ms"
    ratio: float | None = None
    spread: tuple[float, float] | None = None
    target: float | None = None
    note: str = ""


class Skipped(Exception):
    """Something that a benchmark needs is not on this machine."""


def compare(
    benchmark: str,
    case: str,
    floor: Callable[[], float],
    subject: Callable[[], float],
    rounds: int,
    target: float | None,
    unit: str = "ms",
    note: str = "",
) -> Row:
    """Measure both in turn; each gives its own figure."""
    pairs = [(floor(), subject()) for _ in range(rounds)]
    ratios = [theirs / ours for ours, theirs in pairs]
    return Row(
        benchmark,
        case,
        statistics.median(pair[0] for pair in pairs),
        statistics.median(pair[1] for pair in pairs),
        unit,
        statistics.median(ratios),
        (min(ratios), max(ratios)),
        target,
        note,
    )


def milliseconds(action: Callable[[], object]) -> float:
    """How long it takes."""
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000

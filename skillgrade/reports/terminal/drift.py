"""How far a judge's verdicts have drifted, for a person and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from skillgrade.checks.release.drift import MOST_DRIFT, Compared, Drift
from skillgrade.reports.terminal.console import NAME_LIMIT
from skillgrade.reports.terminal.text import one_line

if TYPE_CHECKING:
    from rich.console import Console

_REASON = 160


def print_compared(console: Console, compared: Compared) -> None:
    """Print a verdict that came out otherwise."""
    if compared.agrees:
        return
    each = compared.recorded
    name = f"{one_line(each.scenario, NAME_LIMIT)} #{each.trial}"
    reason = one_line(compared.reason, _REASON)
    said = f"recorded {_word(each.passed)}, now {_word(compared.passed)}: {reason}"
    console.print(f"{name}  {said}", style="red", soft_wrap=True)


def print_drift(console: Console, drift: Drift) -> None:
    """Print what the sample came to."""
    count = sum(not each.agrees for each in drift.compared)
    text = f"{count} of {len(drift.compared)} verdicts came out otherwise ({drift.rate:.0%}"
    if drift.interval is not None:
        text += f", 95 % interval {drift.interval.low:.0%} to {drift.interval.high:.0%}"
    text += f"), drawn from {drift.eligible}; {MOST_DRIFT:.0%} is the most that may"
    console.print(text, style="red" if drift.is_too_much else "green", soft_wrap=True)


def drift_json(drift: Drift) -> Mapping[str, object]:
    """The same for programs; see docs/gate.md."""
    return {
        "eligible": drift.eligible,
        "sampled": len(drift.compared),
        "rate": drift.rate,
        "interval": None if drift.interval is None else [drift.interval.low, drift.interval.high],
        "exceeded": drift.is_too_much,
        "disagreements": [
            {
                "skill": each.recorded.skill,
                "scenario": each.recorded.scenario,
                "trial": each.recorded.trial,
                "recorded": _word(each.recorded.passed),
                "live": _word(each.passed),
                "reason": each.reason,
            }
            for each in drift.compared
            if not each.agrees
        ],
    }


def _word(passed: bool | None) -> str:
    return "no verdict" if passed is None else "pass" if passed else "fail"

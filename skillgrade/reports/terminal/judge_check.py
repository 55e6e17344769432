"""What judges said of canned answers, for a person: those that were wrong first, and of these the fooled ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillgrade.checks.calibration.outcome import Outcome
from skillgrade.judges.calibration_recordings import SampleVerdict
from skillgrade.reports.terminal.console import NAME_LIMIT
from skillgrade.reports.terminal.text import one_line
from skillgrade.suite.model import Suite

if TYPE_CHECKING:
    from rich.console import Console

_REASON = 160


class CalibrationProgress:
    """Says how far it is.

    Args:
        console: Where to.
        suite: What is tried.
        total: How many answers there are.
    """

    def __init__(self, console: Console, suite: Suite, total: int) -> None:
        self._console = console
        self._total = total
        self._count = 0
        console.print(f"{suite.file.name}: {total} canned answers", style="dim")

    def tell(self, outcome: Outcome) -> None:
        """One more answer came back."""
        self._count += 1
        if outcome.mismatch is not None:
            name = one_line(outcome.scenario, NAME_LIMIT)
            self._console.print(
                f"{self._count} of {self._total}  {name} {outcome.kind}: {one_line(outcome.mismatch, _REASON)}",
                style="red",
                soft_wrap=True,
            )


def print_outcomes(
    console: Console, suite: Suite, judge: str, samples: int, outcomes: Sequence[Outcome], recorded: Path | None
) -> None:
    """Print a table of all answers and what it amounts to.

    Args:
        console: Where to.
        suite: What was tried.
        judge: Who was.
        samples: How often each question was asked.
        outcomes: What came of the answers.
        recorded: Where it was recorded; None where it was not.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("scenario", "answer", "must", "judge says", "reason"):
        table.add_column(column, overflow="fold")
    for each in sorted(outcomes, key=_urgency):
        style = "" if each.mismatch is None else "red" if each.is_fooled else "magenta"
        table.add_row(
            one_line(each.scenario, NAME_LIMIT),
            each.kind.value,
            "pass" if each.expected else "fail",
            ", ".join(map(_said, each.samples)) or "not asked",
            one_line(_why(each), _REASON),
            style=style,
        )
    console.print()
    console.print(f"{suite.file.name} · judge {one_line(judge, NAME_LIMIT)} · {samples} samples", style="bold")
    console.print(table)
    console.print()
    wrong = [each for each in outcomes if each.mismatch is not None]
    fooled = sum(each.is_fooled for each in wrong)
    if wrong:
        more = f", {fooled} of them let pass what must not" if fooled else ""
        console.print(f"wrong about {len(wrong)} of {len(outcomes)} answers{more}", style="red")
    else:
        console.print(f"right about all {len(outcomes)} answers", style="green")
    if recorded is not None:
        console.print(f"recorded: {recorded}; it proves nothing until somebody has read its diff", soft_wrap=True)


def outcomes_json(
    suite: Suite, provider: str, model: str, samples: int, outcomes: Iterable[Outcome], recorded: Path | None
) -> Mapping[str, object]:
    """The same for programs; see docs/judge-check.md."""
    return {
        "file": str(suite.file),
        "skill": suite.skills[0].name if len(suite.skills) == 1 else None,
        "judge": provider,
        "model": model,
        "samples": samples,
        "recorded": None if recorded is None else str(recorded),
        "answers": [
            {
                "scenario": each.scenario,
                "kind": each.kind.value,
                "expected": "pass" if each.expected else "fail",
                "samples": [_sample_json(sample) for sample in each.samples],
                "failed_checks": list(each.failed_checks),
                "mismatch": each.mismatch,
            }
            for each in outcomes
        ],
    }


def _sample_json(sample: SampleVerdict) -> Mapping[str, object]:
    verdict = None if sample.passes is None else "pass" if sample.passes else "fail"
    return {"verdict": verdict, "score": sample.score, "reason": sample.reason, "error": sample.error}


def _urgency(outcome: Outcome) -> int:
    if outcome.mismatch is None:
        return 2
    return 0 if outcome.is_fooled else 1


def _said(sample: SampleVerdict) -> str:
    word = "error" if sample.passes is None else "pass" if sample.passes else "fail"
    return word if sample.score is None else f"{word} ({sample.score:g})"


def _why(outcome: Outcome) -> str:
    """The words of the sample that is wrong, else of the first."""
    wrong = next((each for each in outcome.samples if each.passes is not outcome.expected), None)
    sample = wrong or next(iter(outcome.samples), None)
    said = "" if sample is None else sample.error or sample.reason
    return said if outcome.mismatch is None else f"{outcome.mismatch}: {said}" if said else outcome.mismatch

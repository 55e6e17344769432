"""What a run says on a terminal about people whom it waits for."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgrade.engine.listener import ReviewRequest
from skillgrade.engine.review_intake import Intake
from skillgrade.reports.terminal.console import NAME_LIMIT, REASON_LIMIT, STYLES
from skillgrade.reports.terminal.text import one_line, printable
from skillgrade.results.records import TrialRecord
from skillgrade.results.reviews import local_time

if TYPE_CHECKING:
    from rich.console import Console

_RULE = "─" * 72
_STYLE = "yellow"


def banner(request: ReviewRequest) -> Iterator[tuple[str, str]]:
    """What is asked of a person and how to answer, as lines and their styles."""
    yield _RULE, _STYLE
    yield (
        f"review wanted: {one_line(request.task, NAME_LIMIT)} #{request.trial}, until {local_time(request.deadline)}",
        f"bold {_STYLE}",
    )
    yield f"  {one_line(request.prompt, REASON_LIMIT)}", ""
    yield f"  run   skillgrade review {shlex.quote(str(request.run))}", _STYLE
    yield '  or write {"score": 0.8, "details": "why"} to', _STYLE
    yield f"  {request.result}", _STYLE
    yield _RULE, _STYLE


def reviewed_line(record: TrialRecord) -> str:
    """What a trial came to by a person's review."""
    text = f"{record.outcome:<9} {one_line(record.task, NAME_LIMIT)} #{record.trial}"
    if record.reward is not None:
        text += f"  reward {record.reward:.2f}"
    reviews = [result for result in record.grader_results if result.reviews or result.waiting]
    if any(result.waiting for result in reviews):
        return f"{text}  (reviewed, waiting for another review)"
    if reviews:
        return f"{text}  (reviewed: {', '.join(f'{result.score:g}' for result in reviews)})"
    return f"{text}  (no review came in time)"


def print_intake(console: Console, intake: Intake) -> None:
    """Say which trials got other grades, and what is wrong with files that are no reviews."""
    for record in intake.taken:
        console.print(reviewed_line(record), style=STYLES[record.outcome], soft_wrap=True)
    for problem in intake.problems:
        console.print(f"note: {printable(problem)}", style=_STYLE, soft_wrap=True)

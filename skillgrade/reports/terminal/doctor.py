"""What the doctor found: a line for each finding, for a person; a document, for a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skillgrade.engine.findings import Examined, Level, all_well
from skillgrade.reports.terminal.text import one_line

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {Level.OK: "green", Level.WARNING: "yellow", Level.PROBLEM: "red"}
_LONGEST_LINE = 1000
"""Characters of a finding that are shown: more than of a trial's reasons, since it may be a command line."""


def print_examined(console: Console, examined: Examined) -> None:
    """Print a subject and, a line each, what was found of it."""
    console.print(one_line(examined.subject, _LONGEST_LINE), style="bold", soft_wrap=True)
    for finding in examined.findings:
        console.print(f"  {finding.level:<8}", style=_STYLES[finding.level], end="")
        console.print(f" {finding.check}: {one_line(finding.text, _LONGEST_LINE)}", soft_wrap=True)


def examined_json(examined: Sequence[Examined]) -> dict[str, object]:
    """The same as a document."""
    subjects = [
        {
            "subject": subject.subject,
            "findings": [
                {"check": finding.check, "level": str(finding.level), "text": finding.text}
                for finding in subject.findings
            ],
        }
        for subject in examined
    ]
    return {"well": all_well(examined), "subjects": subjects}

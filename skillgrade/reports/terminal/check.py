"""What `skillgrade check` found, by file, for a person and for programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from skillgrade.checks.findings import Finding, Severity
from skillgrade.reports.terminal.console import REASON_LIMIT
from skillgrade.reports.terminal.text import one_line, printable

if TYPE_CHECKING:
    from rich.console import Console


def print_findings(console: Console, findings: Sequence[Finding]) -> None:
    """Print the findings, file by file, and how many there are."""
    for file, group in groupby(findings, key=lambda each: each.file):
        console.print(printable(_shown(file)), style="bold", soft_wrap=True)
        for each in group:
            style = "red" if each.rule.severity is Severity.ERROR else "yellow"
            place = "" if each.line is None else f":{each.line}"
            head = f"  {place:<6}{each.rule.severity}  {each.rule.id}: {one_line(each.message, REASON_LIMIT)}"
            console.print(head, style=style, soft_wrap=True)
            console.print(f"        why: {each.rule.why}", style="dim", soft_wrap=True)
            console.print(f"        do:  {one_line(each.advice, REASON_LIMIT)}", style="dim", soft_wrap=True)
    errors = sum(each.rule.severity is Severity.ERROR for each in findings)
    warnings = len(findings) - errors
    if not findings:
        console.print("nothing to find fault with", style="green")
        return
    counts = [
        f"{count} {word}{'' if count == 1 else 's'}" for count, word in ((errors, "error"), (warnings, "warning"))
    ]
    console.print(" and ".join(counts), style="red" if errors else "yellow")


def findings_json(findings: Sequence[Finding]) -> Sequence[Mapping[str, object]]:
    """The same for programs; see docs/check.md."""
    return [
        {
            "rule": each.rule.id,
            "severity": each.rule.severity.value,
            "file": str(each.file),
            "line": each.line,
            "message": each.message,
            "why": each.rule.why,
            "mend": each.advice,
        }
        for each in findings
    ]


def _shown(file: Path) -> str:
    try:
        return min(str(file), os.path.relpath(file), key=len)
    except OSError:
        return str(file)

"""What judges did, in one line: who answered, how far they agreed, what it took."""

from __future__ import annotations

from skillgrade.reports.terminal.text import printable
from skillgrade.results.records import Judgement
from skillgrade.results.report import RunReport


def judging_line(report: RunReport) -> str | None:
    """The judges of a run; None where none answered."""
    if not report.judges:
        return None
    totals = report.totals
    parts = [f"judged by {', '.join(report.judges)}"]
    if totals.judge_agreement is not None:
        parts.append(f"agreement {totals.judge_agreement:.2f}")
    if totals.judge_tokens is not None:
        tokens = [
            f"{totals.judge_tokens[kind]:,} {kind}" for kind in ("input", "output") if kind in totals.judge_tokens
        ]
        parts += [f"tokens {', '.join(tokens)}"] if tokens else []
    if totals.judge_cost_usd:  # what was replayed cost nothing, and that is no news
        parts.append(f"cost ${totals.judge_cost_usd:.4f}")
    return printable(" · ".join(parts))


def judgement_line(judgement: Judgement) -> str | None:
    """How judges came to one score; None where none answered."""
    answered = [sample for sample in judgement.samples if sample.answered_by is not None]
    if not answered:
        return None
    judges = dict.fromkeys(f"{sample.provider}:{sample.answered_by}" for sample in answered)
    parts = [f"judged by {', '.join(judges)}"]
    if judgement.source == "replay":
        parts.append("from the recording")
    if judgement.spread is not None:
        scores = ", ".join("none" if sample.score is None else f"{sample.score:.2f}" for sample in judgement.samples)
        parts.append(f"scores {scores} (spread {judgement.spread:.2f})")
    if judgement.agreement is not None:
        parts.append(f"agreement {judgement.agreement:.2f}")
    return printable(" · ".join(parts))

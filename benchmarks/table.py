"""The results as people and programs read them."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.measure import Row

_HEAD = ("benchmark", "case", "floor", "skillgrade", "ratio", "spread", "target", "met", "note")


def markdown(rows: Sequence[Row]) -> str:
    """A Markdown table, in columns of even width."""
    lines = [_HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
    text = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    ]
    text.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(text)


def _cells(row: Row) -> tuple[str, ...]:
    met = "" if row.ratio is None or row.target is None else "yes" if row.ratio <= row.target else "NO"
    return (
        row.benchmark,
        row.case,
        _amount(row.floor, row.unit),
        _amount(row.subject, row.unit),
        _number(row.ratio),
        "" if row.spread is None else f"{row.spread[0]:.2f}-{row.spread[1]:.2f}",
        _number(row.target),
        met,
        row.note,
    )


def _amount(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.3g} {unit}" if value < 100 else f"{value:.0f} {unit}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"

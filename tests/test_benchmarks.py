"""Every benchmark works; what it measures is not judged here."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.__main__ import BENCHMARKS, measure
from benchmarks.measure import TINY, Row, compare
from benchmarks.table import markdown

pytestmark = pytest.mark.timeout(400)  # real agents take their time, several at once even more


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.docker if name in ("docker", "skill") else ())
        for name in BENCHMARKS
        if name != "peer"
    ],
)
def test_a_benchmark_measures_or_says_why_not(name: str) -> None:
    rows = measure([name], TINY, lambda row: None)
    assert rows
    for row in rows:
        assert row.note.startswith("skipped: ") or (row.floor and row.subject is not None), row


def test_the_peer_is_left_out_where_there_is_no_npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert measure(["peer"], TINY, lambda row: None) == [Row("peer", "-", note="skipped: there is no npm on the PATH")]


def test_ratios_are_taken_pair_by_pair() -> None:
    floors, subjects = iter([1.0, 10.0, 2.0]), iter([2.0, 15.0, 6.0])
    row = compare("b", "case", lambda: next(floors), lambda: next(subjects), 3, 1.5)
    assert (row.floor, row.subject, row.ratio, row.spread) == (2.0, 6.0, 2.0, (1.5, 3.0))
    assert "| b         | case | 2 ms  | 6 ms       | 2.00  | 1.50-3.00 | 1.50   | NO  |" in markdown([row])

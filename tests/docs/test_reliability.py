"""docs/reliability.md names tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "reliability.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| Fault", "| ---"))]
KNOWN = {
    node.name
    for file in TESTS.rglob("test_*.py")
    for node in ast.walk(ast.parse(file.read_text("utf-8")))
    if isinstance(node, ast.FunctionDef)
}


def test_the_page_has_rows() -> None:
    assert len(ROWS) > 30


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:40])
def test_every_row_names_a_test_that_is_there(row: str) -> None:
    named = re.findall(r"`(test_\w+)`", row)
    assert named
    assert set(named) <= KNOWN

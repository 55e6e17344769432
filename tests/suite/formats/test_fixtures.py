"""Files that an eval brings along go to where its prompt says that they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.formats.fixtures import staged
from skillgrade.yaml_values import Mark


@pytest.mark.parametrize(
    ("prompt", "dest"),
    [
        ("Look at sales.csv and say more.", "sales.csv"),
        ("Sum up (data/2025/sales.csv), please", "data/2025/sales.csv"),
        ("Sum up `sales.csv`.", "sales.csv"),
        ("Nothing is said of it.", "sales.csv"),
        ("See ../sales.csv and /tmp/sales.csv and ~/sales.csv", "sales.csv"),
        ("See mysales.csv", "sales.csv"),
    ],
)
def test_the_prompt_says_where_it_is(prompt: str, dest: str) -> None:
    file = Cursor("files/sales.csv", Mark(Path("/e/evals.json"), 3, 4))
    entry = staged(file, "files/sales.csv", prompt)
    assert dict(entry) == {"src": "files/sales.csv", "dest": dest}
    assert entry.value_marks["src"].line == 3

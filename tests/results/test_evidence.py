from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.errors import StorageError
from skillgrade.results import evidence
from skillgrade.results.evidence import Evidence


def test_what_was_kept_is_read_back(tmp_path: Path) -> None:
    kept = Evidence(2, "do – it", "said\u2028 \udc80", "--- a\n+++ b\n", {"report.md": "# R\r\n", "gone.md": None})
    evidence.save(kept, tmp_path)
    assert evidence.load(tmp_path) == kept
    nothing = Evidence(0, "", "")
    evidence.save(nothing, tmp_path)
    assert evidence.load(tmp_path) == nothing


def test_evidence_that_is_gone_or_changed_says_so(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"evidence\.json: cannot be read \(No such file or directory\)"):
        evidence.load(tmp_path)
    (tmp_path / evidence.FILE).write_text('{"turn": 0, "instruction": 3, "transcript": ""}')
    with pytest.raises(StorageError, match=r"evidence\.json: was changed \(instruction: must be a string\)"):
        evidence.load(tmp_path)

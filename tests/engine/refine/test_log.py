"""The log of a refinement."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.engine.refine import log
from skillgrade.engine.refine.events import (
    Applied,
    Begun,
    Check,
    Ended,
    Escalated,
    Event,
    Generated,
    HeldOut,
    Limits,
    OracleAsked,
    Refined,
    RetryScope,
    Verdict,
    Verified,
)
from skillgrade.errors import UserError

CHECKS = (Check("pack", "contains", "kg", 1.0), Check("pack", "matches_regex", r"\d+", 0.8))
ALL: tuple[Event, ...] = (
    Begun("parcels", "sha256:0", "sha256:s", ("a",), ("b",), 7, Limits(retry_scope=RetryScope.ROUND), "strict"),
    Generated(CHECKS, ("b: too vague",)),
    Verified(0, "run-1", 1, 2, ("DIAGNOSTIC: x\n\ud800",)),
    Refined(1, "sha256:1", ("SKILL.md",), None, 12),
    OracleAsked(1, "run-2", passed=False, reward=0.25),
    Escalated(CHECKS, 0),
    Ended(Verdict.CONTEXT_CAP),
    HeldOut(1, "run-3", 0.5, "run-4", 0.25),
    Applied(("SKILL.md",)),
)


def test_what_was_appended_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for event in ALL:
        log.append(path, event)
    assert log.read(path) == ALL


def test_a_line_that_a_crash_cut_off_does_not_count_and_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for event in ALL[:2]:
        log.append(path, event)
    path.write_bytes(path.read_bytes()[:-10])
    assert log.read(path) == ALL[:1]
    log.append(path, ALL[2])
    assert log.read(path) == (ALL[0], ALL[2])


@pytest.mark.parametrize("line", ['{"event":"dreamt"}', "[]", "nonsense", '{"event":"ended","verdict":"tired"}'])
def test_a_line_that_is_none_of_ours_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "log.jsonl"
    log.append(path, ALL[0])
    with path.open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(UserError, match=r"log\.jsonl:2: cannot be read: .*; start again without --resume"):
        log.read(path)


def test_a_missing_log_says_how_to_start(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="start one with `skillgrade refine`"):
        log.read(tmp_path / "log.jsonl")

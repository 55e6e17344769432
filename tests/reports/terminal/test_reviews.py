from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.engine.listener import ReviewRequest
from skillgrade.reports.terminal.reviews import banner, reviewed_line
from skillgrade.results.records import GraderResult, GraderStatus, Outcome, Review
from tests.support.results import result, trial

WAITING = result("human", 2, None, status=GraderStatus.UNGRADED, waiting=True)
TIMED_OUT = result("human", 1, 0.0)
GOOD = result("human", 1, 0.75, reviews=(Review(0.75, "fine"),))
POOR = result("human", 2, 0.0, reviews=(Review(0.0),))


def test_the_banner_says_what_is_asked_until_when_and_how_to_answer() -> None:
    file = Path("/runs/a b/trials/fix/0/0/workspace/.review/fix-0.result.json")
    request = ReviewRequest(
        Path("/runs/a b"), "fix\x1b[2J", 3, "Good?\n\n- blue\x07", file, "2020-01-02T10:00:00+00:00"
    )
    lines = [text for text, _ in banner(request)]
    assert lines[0] == lines[-1]
    assert lines[1].startswith("review wanted: fix\ufffd[2J #3, until 2020-01-02 ")
    assert lines[2:-1] == [
        "  Good? - blue\ufffd",
        "  run   skillgrade review '/runs/a b'",
        '  or write {"score": 0.8, "details": "why"} to',
        f"  {file}",
    ]


@pytest.mark.parametrize(
    ("results", "reward", "expected"),
    [
        ((GOOD,), 0.9, "passed    fix #0  reward 0.90  (reviewed: 0.75)"),
        ((GOOD, POOR), 0.2, "failed    fix #0  reward 0.20  (reviewed: 0.75, 0)"),
        ((TIMED_OUT,), 0.2, "failed    fix #0  reward 0.20  (no review came in time)"),
        ((GOOD, WAITING), None, "ungraded  fix #0  (reviewed, waiting for another review)"),
    ],
)
def test_what_a_review_came_to(results: tuple[GraderResult, ...], reward: float | None, expected: str) -> None:
    outcome = Outcome.UNGRADED if reward is None else None
    assert reviewed_line(trial("fix", 0, reward, outcome=outcome, grader_results=(result(), *results))) == expected

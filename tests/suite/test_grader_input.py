import json
import os
import subprocess
from pathlib import Path

import pytest

from skillgrade.suite.grader_input import MAX_GRADER_INPUT, grader_input, grader_input_size, grader_input_text
from tests.support.suites import load_task


def test_a_grader_learns_what_it_grades(tmp_path: Path) -> None:
    task = load_task(tmp_path, "expected: {a: é}\nmetadata: {tier: easy}")
    document = grader_input(task, 3, 1, "/control/transcript.txt")
    assert json.loads(grader_input_text(document)) == {
        "task": "one",
        "trial": 3,
        "turn": 1,
        "expected": {"a": "é"},
        "metadata": {"tier": "easy"},
        "transcript": "/control/transcript.txt",
    }


def test_no_trial_has_more_than_is_measured_before_the_run(tmp_path: Path) -> None:
    task = load_task(tmp_path, "expected: {a: é}")
    longest = grader_input(task, 123_456, 99, f"/{'p' * 4000}/transcript.txt")
    assert len(grader_input_text(longest).encode()) <= grader_input_size(task)


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="the limit is that of Linux")
def test_the_limit_is_the_one_of_the_system() -> None:
    def hand_over(size: int) -> None:
        subprocess.run(["true"], env={**os.environ, "SKILLGRADE_INPUT": "x" * size}, check=True)

    hand_over(MAX_GRADER_INPUT)
    with pytest.raises(OSError, match="Argument list too long"):
        hand_over(MAX_GRADER_INPUT + 1)

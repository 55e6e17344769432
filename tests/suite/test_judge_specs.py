"""`judge` graders and calibration answers, as a suite has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.suite.model import Calibration, JudgeChoice, JudgeSpec, LlmRubricSpec
from tests.support.suites import load_task, problems

ANSWERS = "{known_right: yes it is, known_wrong: no, vague: perhaps, subtle_wrong: yes it was}"


def test_a_judge_is_read(tmp_path: Path) -> None:
    keys = (
        "graders:\n- type: judge\n  rubric: Says it.\n  pass_criteria: [one, two]\n  fail_criteria: [three]\n"
        f"  calibration: {ANSWERS}\n  anti_patterns: [sleep(]\n  artifacts: [a.md]\n  samples: 3\n  weight: 2\n"
        "  provider: openai\n  model: 4.1\n"
    )
    assert load_task(tmp_path, keys).graders == (
        JudgeSpec(
            "judge",
            0,
            2.0,
            "Says it.",
            ("one", "two"),
            ("three",),
            Calibration("yes it is", "no", "perhaps", "yes it was"),
            ("sleep(",),
            ("a.md",),
            3,
            judges=(JudgeChoice("openai", "4.1"),),
        ),
    )


def test_a_rubric_may_be_optional_and_calibrated(tmp_path: Path) -> None:
    keys = f"graders: [{{type: llm_rubric, rubric: Is it so?, optional: true, calibration: {ANSWERS}}}]"
    (spec,) = load_task(tmp_path, keys).graders
    assert isinstance(spec, LlmRubricSpec)
    assert spec.is_optional
    assert spec.calibration == Calibration("yes it is", "no", "perhaps", "yes it was")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("rubric: r s", 'tasks[0].graders[0]: "pass_criteria" is missing; a grader of type judge needs it'),
        ("rubric: r s, pass_criteria: []", "tasks[0].graders[0].pass_criteria: must not be empty"),
        ("rubric: r s, pass_criteria: [' ']", "tasks[0].graders[0].pass_criteria[0]: is blank"),
        ("rubric: r s, pass_criteria: [x], fail_criteria: ['\t']", "tasks[0].graders[0].fail_criteria[0]: is blank"),
        ("rubric: r s, pass_criteria: [x], calibration: {vague: ' '}",
         "tasks[0].graders[0].calibration.vague: is blank, so it calibrates nothing"),
        ("rubric: r s, pass_criteria: [x], calibration: {known_right: a, vague: ' a '}",
         ("tasks[0].graders[0].calibration.vague: is the same answer as known_right, "
          "whose verdict is another thing to know")),
        ("rubric: r s, pass_criteria: [x], samples: 0", "tasks[0].graders[0].samples: must be at least 1, not 0"),
    ],
)  # fmt: skip
def test_what_cannot_judge_is_refused(tmp_path: Path, keys: str, message: str) -> None:
    text = f"tasks:\n- {{name: one, instruction: do it, graders: [{{type: judge, {keys}}}]}}\n"
    assert [line.split(": ", 1)[1] for line in problems(tmp_path, text)] == [message]

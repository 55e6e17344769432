from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillgrade.checks.validation import Validation
from skillgrade.engine.validate import provable, validate
from skillgrade.errors import Cancelled
from skillgrade.judges.base import Verdicts
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.model import Assertion, AssertionsSpec, DeterministicSpec, GraderSpec, Task
from tests.support.judges import judging
from tests.support.listening import Remembering
from tests.support.tasks import grader, make_suite, make_task

WANTS_ANSWER = '[ -e answer ] && s=1 || s=0; printf \'{"score": %s, "details": "looked"}\' $s'
ALWAYS = """echo '{"score": 1, "details": "always"}'"""
NEVER = """echo '{"score": 0, "details": "never"}'"""


def task(root: Path, *graders: GraderSpec, solve: str | None = "touch answer", **fields: Any) -> Task:
    solution = None
    if solve is not None:
        solution = root / "solve.sh"
        solution.write_text(solve)
    return make_task(graders=graders, solution=solution, provider="local", **fields)


def run(root: Path, *tasks: Task) -> Validation:
    suite = make_suite(root, *tasks)
    proven = provable(suite, Verdicts.LIVE, {})
    base = root / ".skillgrade"
    return validate(suite, proven, base, 2, judging(root), Redactor([]), Remembering(), Stop())


def one(root: Path, *graders: DeterministicSpec, **fields: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    (found,) = run(root, task(root, *graders, **fields)).tasks
    return found.errors, found.warnings


def test_graders_that_pass_the_solution_and_fail_untouched_work_are_proven(tmp_path: Path) -> None:
    validation = run(tmp_path, task(tmp_path, grader(WANTS_ANSWER)))
    (found,) = validation.tasks
    assert (found.errors, found.warnings, found.errored) == ((), (), False)
    assert found.solved is not None
    assert found.untouched is not None
    assert (found.solved.reward, found.untouched.reward) == (1.0, 0.0)
    assert validation.folder is not None
    assert validation.folder.is_relative_to(tmp_path / ".skillgrade" / "validations")


def test_a_solution_that_fails_is_wrong(tmp_path: Path) -> None:
    errors, _ = one(tmp_path, grader(WANTS_ANSWER), solve="true")
    assert errors == (
        "the reference solution's reward is 0.00, below pass_threshold 0.5",
        "deterministic grader 0 gives the reference solution only 0.00: looked",
    )


def test_graders_that_pass_untouched_work_are_wrong(tmp_path: Path) -> None:
    errors, _ = one(tmp_path, grader(ALWAYS))
    assert len(errors) == 1
    assert "pass work that nobody did: the untouched workspace gets 1.00" in errors[0]


def test_one_grader_below_the_threshold_is_wrong_though_the_reward_reaches_it(tmp_path: Path) -> None:
    errors, _ = one(tmp_path, grader(WANTS_ANSWER, 0, weight=0.9), grader(NEVER, 1, weight=0.1))
    assert errors == ("deterministic grader 1 gives the reference solution only 0.00: never",)


def test_a_guard_that_passes_untouched_work_alone_is_a_warning(tmp_path: Path) -> None:
    errors, warnings = one(tmp_path, grader(WANTS_ANSWER, 0, weight=0.9), grader(ALWAYS, 1, weight=0.1))
    assert errors == ()
    assert warnings == ("deterministic grader 1 alone passes the untouched workspace with 1.00",)


def test_less_than_full_marks_for_the_solution_is_a_warning(tmp_path: Path) -> None:
    most = '[ -e answer ] && s=0.9 || s=0; printf \'{"score": %s, "details": "most"}\' $s'
    errors, warnings = one(tmp_path, grader(most))
    assert errors == ()
    assert warnings == ("deterministic grader 0 gives the reference solution 0.90, not 1: most",)


def test_the_task_s_own_pass_threshold_counts(tmp_path: Path) -> None:
    most = '[ -e answer ] && s=0.9 || s=0.6; printf \'{"score": %s, "details": "most"}\' $s'
    assert one(tmp_path, grader(most), pass_threshold=0.8)[0] == ()
    assert one(tmp_path, grader(most), pass_threshold=0.95)[0] != ()
    assert one(tmp_path, grader(most), pass_threshold=0.5)[0] != ()


def test_a_grader_that_crashes_on_the_solution_is_wrong_and_quoted(tmp_path: Path) -> None:
    errors, _ = one(tmp_path, grader("cat answer >/dev/null; echo crashed"))
    assert errors[0].startswith("the reference solution got no verdict")
    assert "crashed" in errors[0]


@pytest.mark.parametrize(
    "run", ["cat answer >/dev/null && " + ALWAYS, "until [ -e answer ]; do sleep 0.1; done; " + ALWAYS]
)
def test_a_grader_that_does_not_answer_for_untouched_work_is_wrong(tmp_path: Path, run: str) -> None:
    errors, _ = one(tmp_path, grader(run), grader_timeout=1)
    assert len(errors) == 1
    assert "an idle agent would be errored and not failed" in errors[0]


def test_a_grader_that_hides_behind_one_that_crashes_is_not_proven(tmp_path: Path) -> None:
    errors, _ = one(tmp_path, grader(ALWAYS, 0), grader("cat answer >/dev/null && " + ALWAYS, 1, weight=0.1))
    assert errors != ()


def test_a_solution_that_ends_badly_is_a_warning(tmp_path: Path) -> None:
    assert one(tmp_path, grader(WANTS_ANSWER), solve="touch answer; exit 4")[1] == (
        "the reference solution ended with exit code 4",
    )


def test_a_solution_that_hangs_is_wrong(tmp_path: Path) -> None:
    errors, _ = one(tmp_path, grader(WANTS_ANSWER), solve="touch answer; sleep 600", timeout=0.5)
    assert errors[0] == "the reference solution ran into the task's timeout of 0.5 s"


def test_tasks_without_a_solution_are_named(tmp_path: Path) -> None:
    validation = run(tmp_path, task(tmp_path, grader(WANTS_ANSWER), solve=None))
    assert (validation.tasks, validation.unsolved, validation.folder) == ((), ("task",), None)


def test_graders_that_need_a_person_or_a_judge_are_left_out_and_named(tmp_path: Path) -> None:
    validation = run(
        tmp_path, task(tmp_path, grader(WANTS_ANSWER), GraderSpec("human", 1), GraderSpec("llm_rubric", 2))
    )
    assert validation.left_out == ("human", "llm_rubric")
    (found,) = validation.tasks
    assert found.errors == ()
    assert found.solved is not None
    assert len(found.solved.grader_results) == 1


def test_a_task_whose_graders_are_all_left_out_is_not_proven(tmp_path: Path) -> None:
    (found,) = run(tmp_path, task(tmp_path, GraderSpec("human", 0))).tasks
    assert found.errors == ("all its graders are left out (human)",)


def test_a_solution_is_not_asked_for_its_use_of_skills(tmp_path: Path) -> None:
    asks = AssertionsSpec("assertions", 1, assertions=(Assertion("skill_used", "s"),))
    solved = task(tmp_path, grader(WANTS_ANSWER), asks)
    only = task(tmp_path, asks, solve=None, name="only")
    validation = run(tmp_path, solved, only)
    assert [(found.task, found.errors, found.warnings) for found in validation.tasks] == [("task", (), ())]
    assert (validation.unsolved, validation.left_out) == ((), ("assertions",))


def test_a_stop_ends_it(tmp_path: Path) -> None:
    stop = Stop()
    stop.set()
    made = make_suite(tmp_path, task(tmp_path, grader(WANTS_ANSWER), solve="sleep 600"))
    with pytest.raises(Cancelled):
        validate(made, made, tmp_path / ".skillgrade", 2, judging(tmp_path), Redactor([]), Remembering(), stop)

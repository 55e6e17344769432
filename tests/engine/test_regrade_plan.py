from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from skillgrade.engine.regrade_plan import RegradePlan, plan_regrade
from skillgrade.errors import Stage, UsageError
from skillgrade.results import evidence
from skillgrade.results.evidence import Evidence
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import Outcome, TrialError, TrialRecord
from skillgrade.results.run_info import TaskInfo
from skillgrade.suite.model import GraderSpec, HumanSpec, LlmRubricSpec, Task
from tests.support.results import INFO, plan, result, trial, write_run
from tests.support.tasks import grader, make_suite, make_task

CHECK, RUBRIC = grader(), LlmRubricSpec("llm_rubric", 1, rubric="is it good?")
BOTH = (result(), result("llm_rubric", 1, 0.5))


def task(name: str = "fix", graders: tuple[GraderSpec, ...] = (CHECK, RUBRIC)) -> Task:
    return make_task(name, graders=graders)


def planned(
    folder: Path,
    tasks: Sequence[Task],
    records: Sequence[TrialRecord],
    *types: str,
    run: Sequence[TaskInfo] = (plan("fix", 3),),
    kept: tuple[str, ...] = (),
) -> RegradePlan:
    for record in records:
        attempt = RunFolder(folder).attempt_path(record.task, record.trial, record.attempt)
        attempt.mkdir(parents=True, exist_ok=True)
        evidence.save(Evidence(0, "do it", "done"), attempt)
    written = write_run(folder, run, records, info=replace(INFO, grader_filter=kept))
    return plan_regrade(JournalIndex(written.journal), make_suite(folder, *tasks), types)


def refusal(folder: Path, tasks: Sequence[Task], records: Sequence[TrialRecord], *types: str, **more: object) -> str:
    with pytest.raises(UsageError) as caught:
        planned(folder, tasks, records, *types, **more)  # type: ignore[arg-type]  # its own keywords
    return str(caught.value)


def test_graders_that_work_on_the_record_are_asked(tmp_path: Path) -> None:
    made = planned(tmp_path, [task()], [trial("fix", number, 0.5, grader_results=BOTH) for number in range(2)])
    (again,) = made.tasks
    assert (again.specs, again.asked) == ((CHECK, RUBRIC), (RUBRIC,))
    assert (made.trials, made.left_alone, made.notes) == (2, 1, ())


@pytest.mark.parametrize(
    ("fields", "graded"),
    [
        ({"grader_results": BOTH}, True),
        ({"reward": None, "outcome": Outcome.UNGRADED, "grader_results": BOTH}, True),
        ({"reward": None, "error": TrialError(Stage.JUDGE, "down"), "grader_results": BOTH[:1]}, True),
        ({"reward": None, "error": TrialError(Stage.GRADE, "broke"), "grader_results": BOTH}, True),
        ({"reward": None, "error": TrialError(Stage.GRADE, "broke"), "grader_results": ()}, False),
        ({"reward": None, "error": TrialError(Stage.AGENT, "not found")}, False),
        ({"reward": None, "error": TrialError(Stage.STORE, "full"), "grader_results": BOTH}, False),
        ({"reward": None, "outcome": Outcome.CANCELLED, "grader_results": BOTH}, False),
    ],
)
def test_a_trial_is_graded_if_it_got_that_far(tmp_path: Path, fields: dict[str, object], graded: bool) -> None:
    records = [trial("fix", 0, 0.5, grader_results=BOTH), trial("fix", 1, **fields)]  # type: ignore[arg-type]  # its own
    assert planned(tmp_path, [task()], records).trials == 1 + graded


def test_the_last_attempt_decides(tmp_path: Path) -> None:
    records = [trial("fix", 0, 0.5, grader_results=BOTH), trial("fix", 0, None, outcome=Outcome.CANCELLED, attempt=1)]
    assert planned(tmp_path, [task()], records).trials == 0


def test_deterministic_graders_cannot_be_asked(tmp_path: Path) -> None:
    assert refusal(tmp_path, [task()], [trial(grader_results=BOTH)], "llm_rubric", "deterministic") == (
        "--grader=deterministic: deterministic graders ran in the trial's workspace, which is gone, so their results "
        "are carried over; start a new run to have them run again"
    )


def test_unknown_types_are_refused(tmp_path: Path) -> None:
    text = refusal(tmp_path, [task()], [], "llm_rubrik")
    assert text.startswith('--grader: unknown type "llm_rubrik" (did you mean "llm_rubric"?); known: ')


def test_a_run_without_anything_to_ask_is_refused(tmp_path: Path) -> None:
    only = [trial(grader_results=BOTH[:1])]
    assert "all its graders are deterministic" in refusal(tmp_path, [task(graders=(CHECK,))], only)
    (tmp_path / "journal.jsonl").unlink()
    assert refusal(tmp_path, [task()], [trial(grader_results=BOTH)], "human") == (
        "--grader=human: no task of the run has such a grader"
    )


def test_tasks_that_are_gone_keep_their_grades_and_new_ones_do_not_matter(tmp_path: Path) -> None:
    run = [plan("fix", 1), plan("gone", 1)]
    records = [trial("fix", grader_results=BOTH), trial("gone", grader_results=BOTH)]
    made = planned(tmp_path, [task("new"), task()], records, run=run)
    assert [again.info.task for again in made.tasks] == ["fix"]
    (note,) = made.notes
    assert note.startswith('"gone": not graded again')
    (tmp_path / "journal.jsonl").unlink()
    assert "none of the run's tasks" in refusal(tmp_path, [task("new")], records, run=run)


def test_graders_that_are_not_those_of_the_run_are_refused_all_at_once(tmp_path: Path) -> None:
    swapped = (replace(RUBRIC, index=0), grader(index=1))
    text = refusal(tmp_path, [task(graders=swapped)], [trial(grader_results=(*BOTH, result("llm_rubric", 2)))])
    assert text.splitlines() == [
        (
            '/eval/eval.yaml:1: task "fix": grader 0 was of type deterministic in the run and is llm_rubric: '
            "put it back, or start a new run"
        ),
        (
            '/eval/eval.yaml:1: task "fix": grader 1 was of type llm_rubric in the run and is deterministic: '
            "put it back, or start a new run"
        ),
        '/eval/eval.yaml:1: task "fix": grader 2 of the run (llm_rubric) is gone: put it back, or start a new run',
    ]


def test_a_new_grader_is_asked_if_it_works_on_the_record(tmp_path: Path) -> None:
    records = [trial(grader_results=BOTH)]
    (again,) = planned(tmp_path, [task(graders=(CHECK, RUBRIC, replace(RUBRIC, index=2)))], records).tasks
    assert [spec.index for spec in again.asked] == [1, 2]
    (tmp_path / "journal.jsonl").unlink()
    new = (CHECK, RUBRIC, grader(index=2))
    assert "grader 2 (deterministic) is new and needs the trial's workspace, which is gone" in refusal(
        tmp_path, [task(graders=new)], records
    )


def test_what_the_run_left_out_stays_out(tmp_path: Path) -> None:
    kept = ("deterministic", "llm_rubric")
    graders = (CHECK, RUBRIC, HumanSpec("human", 2))
    records = [trial(grader_results=BOTH)]
    (again,) = planned(tmp_path, [task(graders=graders)], records, kept=kept).tasks
    assert (again.specs, again.asked) == ((CHECK, RUBRIC), (RUBRIC,))
    (tmp_path / "journal.jsonl").unlink()
    text = refusal(tmp_path, [task(graders=graders)], records, "human", kept=kept)
    assert text.startswith("--grader=human: the run left human graders out (--grader=deterministic,llm_rubric)")

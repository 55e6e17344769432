"""A finished run graded again: real journals, evidence and graders, and a judge that says what the test wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from skillgrade.engine.grade_again import GradeAgain
from skillgrade.engine.regrade import RegradedRun, regrade
from skillgrade.errors import MissingKeyError, Stage, UsageError
from skillgrade.judges.base import Judge, JudgeSettings, Prompt, Reading, Verdicts
from skillgrade.results import evidence
from skillgrade.results.evidence import Evidence
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal import Journal
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import (
    AgentRun,
    GraderResult,
    GraderStatus,
    Outcome,
    Sample,
    TrialError,
    TrialRecord,
    Trigger,
    TriggerStatus,
)
from skillgrade.results.redaction import Redactor
from skillgrade.results.regrades import Cause, GradeChange
from skillgrade.results.report import RegradeTotals
from skillgrade.results.report_file import load_report, write_report
from skillgrade.results.reviews import review_places
from skillgrade.results.run_info import TaskInfo
from skillgrade.stop import Stop
from skillgrade.suite.model import Assertion, AssertionsSpec, GraderSpec, HumanSpec, LlmRubricSpec, Task, Turn
from tests.support.listening import Remembering
from tests.support.results import INFO, plan, result, trial, write_run
from tests.support.tasks import grader, make_suite, make_task

CHECK, RUBRIC = grader(), LlmRubricSpec("llm_rubric", 1, rubric="is it good?")
DOWN = result("llm_rubric", 1, None, details="the provider was down")


class Judging:
    """Judges of one mind; `score` gives it from what they are asked."""

    def __init__(self, score: Callable[[str], float | Exception]) -> None:
        self.settings = JudgeSettings(Verdicts.LIVE, Path("none.json"))
        self.asked: list[Prompt] = []
        self._score = score

    def samples(
        self,
        task: str,
        prompt: Prompt,
        judge: Judge,
        count: int,
        read: Callable[[str], Reading],
        variables: Mapping[str, str],
        stop: Stop,
    ) -> tuple[Sample, ...]:
        stop.check()
        self.asked.append(prompt)
        score = self._score(prompt.user)
        if isinstance(score, Exception):
            raise score
        return (Sample(judge.provider, "flash", "flash-1", score, "because", tokens={"input": 10}),) * count

    def close(self) -> None:
        pass


class Finished:
    """A run that is over, with a task of two graders."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = RunFolder(root)
        self.stop = Stop()
        self.judging = Judging(lambda prompt: 0.75)
        self.listener = Remembering()

    def write(self, records: Sequence[TrialRecord], tasks: Sequence[TaskInfo] = (plan("fix", 4),)) -> None:
        write_run(self.root, tasks, records)
        for record in records:
            self.keep(record)
        write_report(self.folder)

    def keep(self, record: TrialRecord, **fields: object) -> None:
        attempt = self.folder.attempt_path(record.task, record.trial, record.attempt)
        attempt.mkdir(parents=True, exist_ok=True)
        values = {"turn": 0, "instruction": "do it", "transcript": f"trial {record.trial}", "diff": "", **fields}
        evidence.save(Evidence(**values), attempt)  # type: ignore[arg-type]  # its own fields

    def regrade(self, *graders: GraderSpec, types: tuple[str, ...] = (), parallel: int = 2) -> RegradedRun:
        task = make_task("fix", graders=graders or (CHECK, RUBRIC))
        return self.regrade_tasks(task, types=types, parallel=parallel)

    def regrade_tasks(self, *tasks: Task, types: tuple[str, ...] = (), parallel: int = 2) -> RegradedRun:
        grade_again = GradeAgain(self.folder, self.judging, {}, Redactor([]))
        suite = make_suite(self.root, *tasks)
        return regrade(self.folder, suite, types, parallel, lambda _: grade_again, self.listener, self.stop)


@pytest.fixture
def finished(tmp_path: Path) -> Finished:
    return Finished(tmp_path)


def judged(number: int, score: float) -> TrialRecord:
    """A trial whose deterministic grader gave 1 and whose judge gave `score`."""
    results = (result(score=1.0), result("llm_rubric", 1, score))
    return trial("fix", number, (1 + score) / 2, grader_results=results)


def test_judges_are_asked_again_and_the_rest_is_carried_over(finished: Finished) -> None:
    before = judged(0, 0.25)
    finished.write([before])
    done = finished.regrade()
    (after,) = done.report.tasks[0].trials
    check, rubric = after.record.grader_results
    assert check == before.grader_results[0]
    assert (rubric.score, rubric.status, rubric.details) == (0.75, GraderStatus.OK, "because")
    assert (after.record.reward, after.record.outcome) == (0.875, Outcome.PASSED)
    assert after.record.duration_ms == before.duration_ms
    (change,) = done.changes
    ok = GraderStatus.OK
    assert (change.task, change.trial) == ("fix", 0)
    assert (change.report.cause, change.report.reward_before, change.report.reward_after) == (
        Cause.REGRADE,
        0.625,
        0.875,
    )
    assert change.report.graders == (GradeChange(1, "llm_rubric", 0, ok, ok, 0.25, 0.75),)
    assert after.regrades == (change.report,)
    assert done.report.regrades == (RegradeTotals(Cause.REGRADE, 1, 1),)
    assert (done.report.judges, done.report.totals.judge_tokens) == (("gemini:flash-1",), {"input": 10})
    assert load_report(finished.folder.report) == done.report


def test_assertions_are_checked_again_on_what_was_observed(finished: Finished) -> None:
    """Also those that the file did not have in the run, and an old run that observed nothing says so."""
    used = Trigger("foo", TriggerStatus.TRIGGERED, "event 3")
    finished.write([judged(0, 0.25), judged(1, 0.25)])
    finished.keep(judged(0, 0.25), triggers=(used,))
    asks = AssertionsSpec("assertions", 2, assertions=(Assertion("skill_used", "foo", negated=True),))
    done = finished.regrade(CHECK, RUBRIC, asks, types=("assertions",))
    first, second = (trial.record for trial in done.report.tasks[0].trials)
    assert (first.grader_results[2].score, first.reward) == (0.0, round(1.25 / 3, 12))
    assert (second.outcome, second.reward) == (Outcome.ERRORED, None)
    assert second.grader_results[2].details == "nothing was kept of whether the skill foo was used: start a new run"
    assert finished.judging.asked == []


def test_a_run_without_skills_is_not_asked_whether_it_used_them(finished: Finished) -> None:
    write_run(finished.root, [plan("fix", 1)], [judged(0, 0.25)], info=replace(INFO, skills=()))
    finished.keep(judged(0, 0.25))
    asks = AssertionsSpec("assertions", 2, assertions=(Assertion("skill_used", "foo"),))
    (after,) = finished.regrade(CHECK, RUBRIC, asks).report.tasks[0].trials
    assert [result.grader_type for result in after.record.grader_results] == ["deterministic", "llm_rubric"]
    assert after.record.reward == 0.875


def test_a_new_grader_is_refused_where_nothing_was_kept_for_it(finished: Finished) -> None:
    write_run(finished.root, [plan("fix", 1)], [trial("fix", 0, grader_results=(result(),))])
    with pytest.raises(UsageError, match="nothing of the trial is kept that graders could read: leave"):
        finished.regrade(CHECK, RUBRIC)


def test_the_report_as_it_was_is_kept_each_time(finished: Finished) -> None:
    finished.write([judged(0, 0.25)])
    first = finished.folder.report.read_bytes()
    assert finished.regrade().kept == finished.root / "report-1.json"
    second = finished.folder.report.read_bytes()
    assert finished.regrade().kept == finished.root / "report-2.json"
    assert (finished.root / "report-1.json").read_bytes() == first
    assert (finished.root / "report-2.json").read_bytes() == second != first


def test_the_judge_gets_what_was_kept_of_each_trial_and_what_programs_measured(finished: Finished) -> None:
    finished.write([judged(number, 0.5) for number in range(3)])
    finished.regrade()
    prompts = sorted(prompt.user for prompt in finished.judging.asked)
    assert [f"trial {number}" in prompt for number, prompt in enumerate(prompts)] == [True] * 3
    assert all("deterministic: score 1" in prompt for prompt in prompts)


def test_a_trial_whose_judge_was_down_gets_its_verdict(finished: Finished) -> None:
    error = TrialError(Stage.JUDGE, "the provider was down")
    finished.write([trial("fix", 0, None, error=error, grader_results=(result(), DOWN))])
    done = finished.regrade()
    (after,) = done.report.tasks[0].trials
    assert (after.record.outcome, after.record.reward, after.record.error) == (Outcome.PASSED, 0.875, None)
    assert (done.report.totals.errored, done.report.totals.graded) == (0, 1)


def test_a_judge_that_is_down_now_makes_the_trial_errored(finished: Finished) -> None:
    finished.write([judged(0, 0.5)])
    finished.judging = Judging(lambda prompt: MissingKeyError("OPENAI_API_KEY is not set"))
    done = finished.regrade()
    (after,) = done.report.tasks[0].trials
    assert (after.record.outcome, after.record.reward) == (Outcome.ERRORED, None)
    assert after.record.error is not None
    assert "OPENAI_API_KEY is not set" in after.record.error.reason
    assert load_report(finished.root / "report-1.json").tasks[0].graded == 1


def test_trials_that_never_got_to_grading_are_left_alone_and_counted(finished: Finished) -> None:
    records = [
        judged(0, 0.5),
        trial("fix", 1, None, error=TrialError(Stage.AGENT, "not found")),
        trial("fix", 2, None, outcome=Outcome.CANCELLED),
    ]
    finished.write(records)
    done = finished.regrade()
    assert (done.graded, done.left_alone) == (1, 3)  # the fourth was planned and never ran
    untouched = [one.record for one in done.report.tasks[0].trials][1:]
    assert untouched == records[1:]


def test_other_weights_and_the_deadline_of_the_agent_count(finished: Finished) -> None:
    late = AgentRun(exit_code=None, timed_out=True, duration_ms=5)
    timed_out = replace(judged(1, 0.75), agent=late, reward=0.0, outcome=Outcome.FAILED)
    finished.write([judged(0, 0.75), timed_out])
    done = finished.regrade(CHECK, replace(RUBRIC, weight=3.0))
    weighed, late_one = (one.record for one in done.report.tasks[0].trials)
    assert (weighed.reward, weighed.grader_results[1].weight) == (0.8125, 3.0)
    assert (late_one.reward, late_one.outcome, late_one.answered_reward) == (0.0, Outcome.FAILED, 0.8125)
    assert [(change.trial, change.report.graders) for change in done.changes] == [(0, ())]


def test_a_rubric_that_names_a_file_that_was_not_kept_is_an_error_of_the_grader(finished: Finished) -> None:
    finished.write([judged(0, 0.5)])
    done = finished.regrade(CHECK, replace(RUBRIC, artifacts=("report.md",)))
    (after,) = done.report.tasks[0].trials
    assert after.record.outcome is Outcome.ERRORED
    assert after.record.grader_results[1].details == (
        "the run kept no report.md of this trial, which the grader needs: start a new run"
    )
    assert finished.judging.asked == []


def test_a_file_that_the_agent_did_not_write_is_no_error(finished: Finished) -> None:
    record = judged(0, 0.5)
    finished.write([record])
    finished.keep(record, artifacts={"report.md": None})
    done = finished.regrade(CHECK, replace(RUBRIC, artifacts=("report.md",)))
    assert done.report.totals.graded == 1


def test_lost_evidence_refuses_before_anything_is_changed(finished: Finished) -> None:
    records = [judged(0, 0.5), judged(1, 0.5)]
    finished.write(records)
    journal = finished.folder.journal.read_bytes()
    (finished.folder.attempt_path("fix", 1, 0) / evidence.FILE).unlink()
    with pytest.raises(UsageError, match=r"trials/fix/1/0: nothing of the trial is kept that graders could read"):
        finished.regrade()
    assert finished.folder.journal.read_bytes() == journal
    assert not (finished.root / "report-1.json").exists()


def test_what_graders_left_before_stays(finished: Finished) -> None:
    record = judged(0, 0.5)
    finished.write([record])
    attempt = finished.folder.attempt_path("fix", 0, 0)
    log = attempt / "grader-1.judge.json"
    log.write_text("before")
    finished.regrade()
    finished.regrade()
    assert log.read_text() == "before"
    for number in (1, 2):
        assert json.loads((attempt / f"regrade-{number}" / "grader-1.judge.json").read_text())["user"]


def test_a_new_rubric_is_asked_too_and_stands_last(finished: Finished) -> None:
    finished.write([judged(0, 0.75)])
    done = finished.regrade(CHECK, RUBRIC, replace(RUBRIC, index=2, rubric="is it short?"))
    (after,) = done.report.tasks[0].trials
    assert [one.grader for one in after.record.grader_results] == [0, 1, 2]
    assert after.regrades[0].graders == (GradeChange(2, "llm_rubric", 0, None, GraderStatus.OK, None, 0.75),)


def test_a_run_that_another_process_writes_is_refused(finished: Finished) -> None:
    finished.write([judged(0, 0.5)])
    with Journal.reopen(finished.folder.journal), pytest.raises(UsageError, match="another skillgrade is writing"):
        finished.regrade()


def test_a_stop_keeps_what_was_graded(finished: Finished) -> None:
    finished.write([judged(number, 0.25) for number in range(4)])
    finished.listener = Remembering(lambda record: finished.stop.set())
    done = finished.regrade(parallel=1)
    assert (done.stopped, done.graded) == (True, 1)
    assert [one.record.reward for one in done.report.tasks[0].trials] == [0.875, 0.625, 0.625, 0.625]
    assert not done.report.interrupted
    finished.stop, finished.listener = Stop(), Remembering()
    assert finished.regrade(parallel=1).graded == 4


def test_many_at_a_time_give_the_same_as_one(finished: Finished) -> None:
    finished.write([judged(number, 0.25) for number in range(40)], [plan("fix", 40)])
    finished.judging = Judging(lambda prompt: int(prompt.split("trial ")[1].split()[0]) / 64)
    done = finished.regrade(parallel=7)
    scores = [one.record.grader_results[1].score for one in done.report.tasks[0].trials]
    assert scores == [number / 64 for number in range(40)]
    assert (done.graded, len(done.changes)) == (40, 39)
    assert JournalIndex(finished.folder.journal).skipped_lines == 0


def asked_person(finished: Finished, number: int = 0) -> TrialRecord:
    waiting = result("human", 1, None, status=GraderStatus.UNGRADED, waiting=True)
    return trial("fix", number, None, outcome=Outcome.UNGRADED, grader_results=(result(score=1.0), waiting))


def answer(finished: Finished, record: TrialRecord, text: str) -> None:
    (place,) = review_places(finished.folder, record).values()
    place.folder.mkdir(parents=True, exist_ok=True)
    place.result().write_text(text)


HUMAN_SPEC = HumanSpec("human", 1, prompt="ready?")


def test_a_review_that_came_later_is_taken(finished: Finished) -> None:
    records = [asked_person(finished, number) for number in range(3)]
    finished.write(records)
    answer(finished, records[1], '{"score": 0.5, "details": "nearly"}')
    answer(finished, records[2], '{"score": 7}')
    done = finished.regrade(CHECK, HUMAN_SPEC)
    first, second, third = (one.record for one in done.report.tasks[0].trials)
    assert (first, third) == (records[0], records[2])
    assert (second.reward, second.outcome, second.grader_results[1].details) == (0.75, Outcome.PASSED, "nearly")
    assert (done.graded, done.waiting) == (1, 2)
    assert done.report.regrades == (RegradeTotals(Cause.REVIEW, 1, 1),)
    (problem,) = finished.listener.notes
    assert 'its "score" must be a number from 0 to 1, not 7' in problem


def test_judges_go_on_where_people_have_not_answered(finished: Finished) -> None:
    waiting = result("human", 2, None, status=GraderStatus.UNGRADED, waiting=True)
    results: tuple[GraderResult, ...] = (result(score=1.0), DOWN, waiting)
    finished.write([trial("fix", 0, None, grader_results=results)])
    done = finished.regrade(CHECK, RUBRIC, replace(HUMAN_SPEC, index=2))
    (after,) = done.report.tasks[0].trials
    assert (after.record.outcome, after.record.answered_reward) == (Outcome.UNGRADED, 0.875)
    assert after.record.grader_results[2] == waiting


def test_nobody_is_asked_about_an_agent_that_ran_into_its_deadline(finished: Finished) -> None:
    late = trial(
        number=0,
        reward=0.0,
        agent=AgentRun(exit_code=None, timed_out=True, duration_ms=1000),
        grader_results=(result(score=1.0), result("llm_rubric", 1, None, status=GraderStatus.SKIPPED)),
    )
    finished.write([late, judged(1, 0.25)])
    (finished.folder.attempt_path("fix", 0, 0) / evidence.FILE).unlink()  # as the run left it
    newer = replace(RUBRIC, index=2, rubric="is it beautiful?")
    done = finished.regrade(CHECK, RUBRIC, newer)
    first, second = (each.record for each in done.report.tasks[0].trials)
    assert [each.status for each in first.grader_results] == [GraderStatus.OK, *[GraderStatus.SKIPPED] * 2]
    assert (first.reward, first.outcome) == (0.0, Outcome.FAILED)
    assert second.reward == pytest.approx(2.5 / 3)
    assert len(finished.judging.asked) == 2


def test_turns_that_were_not_reached_keep_their_0(finished: Finished) -> None:
    early = replace(RUBRIC, index=0, turn=0)
    later, newer = (replace(RUBRIC, index=number, turn=1) for number in (1, 2))
    unreached = replace(result("llm_rubric", 1, 0.0, details="not reached: it ended"), turn=1)
    finished.write([trial(reward=0.1, grader_results=(result("llm_rubric", 0, 0.2), unreached))], [plan("fix", 1)])
    attempt = finished.folder.attempt_path("fix", 0, 0)
    (attempt / "turn-0").mkdir()
    (attempt / evidence.FILE).rename(attempt / "turn-0" / evidence.FILE)
    turns = (Turn("one"), Turn("two"))
    done = finished.regrade_tasks(make_task("fix", graders=(early, later, newer), turns=turns))
    (after,) = done.report.tasks[0].trials
    assert [(each.score, each.details) for each in after.record.grader_results] == [
        (0.75, "because"),
        (0.0, "not reached: it ended"),
        (0.0, "not reached: the conversation ended before turn 1"),
    ]
    assert (after.record.reward, len(finished.judging.asked)) == (0.25, 1)

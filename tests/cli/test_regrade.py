"""`skillgrade regrade` as users start it, on a run that is over, with a provider on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.results import evidence
from skillgrade.results.evidence import Evidence
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal import Journal
from skillgrade.results.records import GraderStatus, Outcome, TrialRecord
from skillgrade.results.report_file import write_report
from skillgrade.results.reviews import review_places
from tests.support.judging import verdict
from tests.support.model_server import Asked, ModelServer, Status
from tests.support.results import plan, result, trial, write_run
from tests.support.shell import Shell

EVAL = """\
version: "1"
defaults: {agent: command, command: "true", grader_provider: openai, grader_model: mini}
tasks:
  - name: writes
    instruction: write this down
    metadata: {tier: easy}
    graders:
      - {type: deterministic, run: 'true'}
      - {type: llm_rubric, rubric: Is it good?}
  - name: asks
    instruction: write that down
    metadata: {tier: hard}
    graders:
      - {type: deterministic, run: 'true'}
      - {type: human, prompt: Is it ready?}
"""
RUN_ID = "20261201-080000-5f1c"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        made.always(lambda asked: verdict(asked.user, 1.0))
        yield made


class Finished(Shell):
    """A folder with an eval and a run of it that is over."""

    def __init__(self, root: Path, server: ModelServer) -> None:
        super().__init__(root)
        self.folder = RunFolder(root / ".skillgrade" / RUN_ID)
        self.folder.path.mkdir(parents=True)
        self.variables = dict(server.variables("openai"))
        self.write("eval.yaml", EVAL)

    def finish(self, *records: TrialRecord) -> None:
        write_run(self.folder.path, [plan("writes", 2), plan("asks", 1)], records)
        for record in records:
            attempt = self.folder.attempt_path(record.task, record.trial, record.attempt)
            attempt.mkdir(parents=True)
            evidence.save(Evidence(0, "write this down", f"trial {record.trial}", ""), attempt)
        write_report(self.folder)

    def regrade(self, *arguments: str):  # type: ignore[no-untyped-def]  # the outcome of a run
        return self.run("regrade", *arguments, env=self.variables)


@pytest.fixture
def finished(tmp_path: Path, server: ModelServer) -> Finished:
    made = Finished(tmp_path, server)
    waiting = result("human", 1, None, status=GraderStatus.UNGRADED, waiting=True)
    made.finish(
        *(trial("writes", n, 0.5, grader_results=(result(), result("llm_rubric", 1, 0.0))) for n in range(2)),
        trial("asks", 0, None, outcome=Outcome.UNGRADED, grader_results=(result(), waiting)),
    )
    return made


def cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in text.splitlines() if line.strip()]


def test_the_latest_run_is_judged_again_and_told_what_changed(finished: Finished, server: ModelServer) -> None:
    done = finished.regrade("--grader=llm_rubric")
    rows = cells(done.out)
    assert ["writes", "#1", "llm_rubric 1", "0.00", "1.00", "+1.00"] in rows
    assert ["reward", "passed 0.50", "passed 1.00", "+0.50"] in rows
    assert "2 trials graded again: 2 changed, 0 as before" in done.out
    assert f"the report as it was: {finished.folder.path}/report-1.json" in done.out
    assert "judged by openai:" in done.out
    assert done.code == 3  # a person is still waited for
    assert len(server.asked) == 2


def test_json_is_the_new_report_alone(finished: Finished) -> None:
    done = finished.regrade(RUN_ID, "--eval=writes", "--json")
    report = json.loads(done.out)
    assert report == json.loads(finished.folder.report.read_bytes())
    assert report["regrades"] == [{"cause": "regrade", "trials": 2, "changed": 2}]
    assert report["tasks"][0]["mean_reward"] == 1.0
    assert "2 trials graded again" in done.err


def test_reviews_are_taken_and_the_gate_decides(finished: Finished) -> None:
    record = next(iter(json.loads(finished.folder.report.read_bytes())["tasks"][1]["trials"]))
    assert record["outcome"] == "ungraded"
    waiting = result("human", 1, None, status=GraderStatus.UNGRADED, waiting=True)
    asked = trial("asks", 0, None, outcome=Outcome.UNGRADED, grader_results=(result(), waiting))
    (place,) = review_places(finished.folder, asked).values()
    place.folder.mkdir(parents=True)
    place.result().write_text('{"score": 0.25, "details": "not yet"}')
    done = finished.regrade("--ci")
    assert ["asks", "#0", "human 1", "ungraded", "0.25"] in cells(done.out)
    assert "fails          asks: mean reward 0.625 is below the threshold 0.8" in done.out
    assert "gate not passed" in done.out
    assert done.code == 1


def test_only_selected_tasks_are_graded(finished: Finished, server: ModelServer) -> None:
    done = finished.regrade("--filter=tier=hard")
    assert "0 trials graded again" in done.out
    assert "1 still waiting for a review" in done.out
    assert server.asked == []
    assert not (finished.folder.path / "report-1.json").exists()


def test_a_judge_can_be_named(finished: Finished, server: ModelServer) -> None:
    finished.regrade("--eval=writes", "--judge=openai:other")
    assert {asked.model for asked in server.asked} == {"other"}


def test_a_judge_that_is_down_makes_trials_errored(finished: Finished, server: ModelServer) -> None:
    server.always(Status(400))
    done = finished.regrade("--eval=writes")
    assert done.code == 3
    assert "passed 0.50" in done.out
    assert "errored" in done.out


def test_a_missing_key_is_seen_before_anything_changes(finished: Finished) -> None:
    before = finished.folder.journal.read_bytes()
    done = finished.run("regrade", "--eval=writes")
    assert done.code == 2
    assert "OPENAI_API_KEY" in done.err
    assert finished.folder.journal.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--grader=deterministic"], "deterministic graders ran in the trial's workspace, which is gone"),
        (["--grader=nonsense"], 'unknown type "nonsense"'),
        (["20200101-000000-0000"], "no run has this id or path"),
        (["--eval=nothing"], 'there is no eval "nothing"'),
        (["--verdicts=sometimes"], "'sometimes' is not one of"),
    ],
)
def test_what_cannot_be_had_is_refused(finished: Finished, arguments: list[str], message: str) -> None:
    before = finished.folder.journal.read_bytes()
    done = finished.regrade(*arguments)
    assert done.code == 2
    assert message in done.err
    assert finished.folder.journal.read_bytes() == before


def test_a_run_that_goes_on_is_refused(finished: Finished) -> None:
    with Journal.reopen(finished.folder.journal):
        done = finished.regrade("--eval=writes")
    assert done.code == 2
    assert "another skillgrade is writing this run; wait for its end" in done.err


def test_verdicts_are_recorded_and_replayed_without_a_provider(finished: Finished, server: ModelServer) -> None:
    assert finished.regrade("--eval=writes", "--verdicts=record").code == 3
    asked = len(server.asked)
    replayed = finished.run("regrade", "--eval=writes", "--verdicts=replay")
    assert "2 trials graded again: 0 changed, 2 as before" in replayed.out
    assert len(server.asked) == asked


def test_an_interrupt_keeps_what_was_graded(finished: Finished, server: ModelServer) -> None:
    import signal

    def answer(asked: Asked) -> str:
        process.send_signal(signal.SIGINT)
        return verdict(asked.user, 1.0)

    server.always(answer)
    with finished.start("regrade", "--eval=writes", "--parallel=1", env=finished.variables) as process:
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted: what was graded until then stands" in out

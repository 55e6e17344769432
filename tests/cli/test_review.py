"""`skillgrade review` as users start it."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import urllib.parse
from pathlib import Path

import pytest

from skillgrade.results.folder import RunFolder
from skillgrade.results.journal import Journal
from tests.support.reviews import INJECTION, waiting_run
from tests.support.shell import Outcome, Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    root = tmp_path / "eval"
    root.mkdir()
    return Shell(root)


@pytest.fixture
def run(shell: Shell) -> RunFolder:
    return waiting_run(shell.root / ".skillgrade")


def report(shell: Shell) -> dict[str, object]:
    totals = json.loads(shell.run("preview", "--json").out)["totals"]
    return {name: totals[name] for name in ("passed", "failed", "ungraded")}


def in_terminal(shell: Shell, typed: str, *arguments: str) -> Outcome:
    done = subprocess.run(
        shell.argv("review", "--terminal", *arguments),
        cwd=shell.root,
        env=shell.environment(),
        input=typed,
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return Outcome(done.returncode, done.stdout, done.stderr)


def answer(run: RunFolder, number: int, text: str) -> Path:
    path = run.attempt_path("redesign", number, 0) / "workspace" / ".review" / f"redesign-{number}.result.json"
    path.write_text(text)
    return path


def test_reviews_in_the_terminal_become_grades(shell: Shell, run: RunFolder) -> None:
    done = in_terminal(shell, "0.8\ngood enough\n\n2\n0\n\n")
    assert done.code == 0
    assert "redesign #0 · 3 to review" in done.out
    assert "Bring the page in line with the design." in done.out
    assert "I changed index.html." in done.out
    assert "index.html (changed, +1 -1)" in done.out
    assert "“2” is no score; give a number from 0 to 1." in done.out
    assert "passed    redesign #0  reward 0.85  (reviewed: 0.8)" in done.out
    assert "failed    redesign #2  reward 0.25  (reviewed: 0)" in done.out
    assert "nothing waits for a review but what was skipped" in done.out
    assert report(shell) == {"passed": 1, "failed": 1, "ungraded": 1}


def test_the_end_of_the_input_ends_it_and_keeps_what_was_entered(shell: Shell, run: RunFolder) -> None:
    done = in_terminal(shell, "1\n")
    assert done.code == 0
    assert report(shell)["ungraded"] == 3
    done = in_terminal(shell, "1\nyes\n")
    assert (done.code, report(shell)["passed"]) == (0, 1)


def test_what_others_wrote_cannot_steer_the_terminal(shell: Shell) -> None:
    waiting_run(shell.root / ".skillgrade", 1, prompt=f"\x1b]0;x\x07{INJECTION}", transcript="\x1b[2J\u202eevil")
    done = in_terminal(shell, "")
    assert INJECTION in done.out
    assert not set(done.out) & {"\x1b", "\x07", "\u202e"}


def test_several_reviewers_and_their_agreement(shell: Shell, run: RunFolder) -> None:
    for name, typed in (("ann", "1\n\n0\n\n1\n\n"), ("zoe", "1\n\n0\n\n0.5\n\n")):
        assert in_terminal(shell, typed, "--reviewer", name).code == 0
    document = json.loads(shell.run("preview", "--json").out)
    (task,) = document["tasks"]
    scores = [trial["grader_results"][1]["score"] for trial in task["trials"]]
    assert scores == [1.0, 0.0, 0.75]
    # Krippendorff: observed 2 * 0.25 / 6, expected over the 30 ordered pairs of 1 1 0 0 1 0.5
    assert task["review_agreement"] == pytest.approx(1 - (0.5 / 6) / (2 * (3 * 2 + 3 * 0.25 + 2 * 0.25) / 30))


@pytest.mark.parametrize("name", ["2", "a.b", "../x", "", "a" * 41, "é"])
def test_a_reviewer_s_name_must_fit_into_a_file_s(shell: Shell, run: RunFolder, name: str) -> None:
    done = shell.run("review", "--reviewer", name)
    assert done.code == 2
    assert "cannot be a part of a file's name" in done.err


def test_what_was_written_by_hand_is_taken_when_it_starts(shell: Shell, run: RunFolder) -> None:
    answer(run, 0, '{"score": 1, "details": "by hand"}')
    bad = answer(run, 1, '{"score": 5}')
    done = in_terminal(shell, "", str(run.path))
    assert "passed    redesign #0  reward 1.00  (reviewed: 1)" in done.out
    assert f'note: {bad}: its "score" must be a number from 0 to 1, not 5' in done.out
    assert report(shell) == {"passed": 1, "failed": 0, "ungraded": 2}


def test_secrets_in_a_comment_are_taken_out(shell: Shell, run: RunFolder) -> None:
    shell.write(".env", "API_TOKEN=s3cr3t-s3cr3t\n")
    in_terminal(shell, "1\nthe key s3cr3t-s3cr3t is in it\n")
    assert "s3cr3t-s3cr3t" not in run.journal.read_text()
    assert "s3cr3t-s3cr3t" not in run.report.read_text()


def test_without_a_run_it_says_so(shell: Shell) -> None:
    done = shell.run("review")
    assert done.code == 2
    assert "no run is here yet" in done.err


def test_the_page_takes_reviews_and_ctrl_c_ends_it(shell: Shell, run: RunFolder) -> None:
    with shell.start("review", env={"PYTHONUNBUFFERED": "1"}) as process:
        assert process.stdout is not None
        address = re.search(r"http://127\.0\.0\.1:(\d+)(/\S+/) ", process.stdout.readline())
        assert address is not None
        port, root = int(address[1]), address[2]
        assert len(root) > 30
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", root)
        page = connection.getresponse().read().decode()
        path = re.findall(rf'"({re.escape(root)}trials/\w+)"', page)[0]
        body = urllib.parse.urlencode({"score": "0.6", "comment": "fine"})
        headers = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", path, body, headers)
        assert connection.getresponse().status == 303
        assert process.stdout.readline() == "passed    redesign #0  reward 0.70  (reviewed: 0.6)\n"
        process.send_signal(signal.SIGINT)  # with the connection still open
        assert process.wait(30) == 0
        assert process.stdout.read() == ""
        connection.close()
    assert report(shell) == {"passed": 1, "failed": 0, "ungraded": 2}


def test_while_the_run_goes_on_it_takes_the_reviews_itself(shell: Shell, run: RunFolder) -> None:
    with Journal.reopen(run.journal):  # as the run holds it
        done = in_terminal(shell, "1\nyes\n\n\n")
    assert done.code == 0
    assert "reward" not in done.out
    (path,) = run.path.rglob("*.result.json")
    assert json.loads(path.read_text()) == {"score": 1.0, "details": "yes"}
    assert report(shell)["ungraded"] == 3

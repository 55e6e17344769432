from __future__ import annotations

import json
import pickle
import sys
import threading
from pathlib import Path

import pytest

from skillgrade.errors import Stage
from skillgrade.results.records import Check, GraderStatus, Outcome, TrialError
from skillgrade.suite.model import AgentSpec, GraderFile, WorkspaceFile
from tests.engine.conftest import Bench
from tests.support.processes import eventually
from tests.support.tasks import grader, make_task

SAY = """printf '{"score": %s, "details": "%s"}'"""
PASS = """echo '{"score": 1, "details": "fine"}'"""


def found(path: str) -> str:
    """A grader that passes when a file is there."""
    return f"[ -e {path} ] && s=1 || s=0; {SAY} $s 'looked at {path}'"


def test_the_agent_s_work_is_graded(bench: Bench) -> None:
    record = bench.run("cat > out.txt", found("out.txt"), instruction="write this")
    assert (record.outcome, record.reward, record.error) == (Outcome.PASSED, 1.0, None)
    assert record.agent is not None
    assert (record.agent.exit_code, record.agent.timed_out) == (0, False)
    assert record.isolation == "none"


def test_work_that_was_not_done_is_a_failure(bench: Bench) -> None:
    record = bench.run("true", found("out.txt"))
    assert (record.outcome, record.reward) == (Outcome.FAILED, 0.0)
    assert record.grader_results[0].details == "looked at out.txt"


def test_the_instruction_arrives_on_stdin_to_the_byte(bench: Bench) -> None:
    instruction = "first line\n\ttabbed 'quotes' \"double\" $HOME `id` \\ ümläut 漢字\nlast line"
    record = bench.run("cat", PASS, instruction=instruction)
    assert bench.text(record, "agent.stdout") == instruction


def test_an_exit_code_is_recorded_and_the_work_graded_all_the_same(bench: Bench) -> None:
    record = bench.run("touch out.txt; echo said; echo complained >&2; exit 7", found("out.txt"))
    assert record.outcome is Outcome.PASSED
    assert record.agent is not None
    assert record.agent.exit_code == 7
    assert (bench.text(record, "agent.stdout"), bench.text(record, "agent.stderr")) == ("said\n", "complained\n")


@pytest.mark.parametrize("command", ["no-such-program --flag", "VAR=1 no-such-program", "./not-there.sh", "/nowhere/x"])
def test_a_command_that_cannot_be_found_is_an_error_not_a_failure(bench: Bench, command: str) -> None:
    record = bench.run(command, PASS)
    assert record.outcome is Outcome.ERRORED
    assert record.reward is None
    assert record.error is not None
    assert record.error.stage is Stage.AGENT
    assert "cannot be found or started" in record.error.reason


def test_a_command_that_cannot_be_started_is_an_error(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("no interpreter")
    file = WorkspaceFile(tmp_path / "tool", "tool", "644")
    record = bench.run("./tool", PASS, workspace=(file,))
    assert record.outcome is Outcome.ERRORED


def test_a_program_that_answers_127_by_itself_is_graded(bench: Bench) -> None:
    record = bench.run("bash -c 'exit 127'", PASS)
    assert record.outcome is Outcome.PASSED
    assert record.agent is not None
    assert record.agent.exit_code == 127


def test_a_deadline_is_a_failure_and_what_graders_say_stays_beside_it(bench: Bench) -> None:
    record = bench.run("touch out.txt; trap '' TERM; sleep 600", found("out.txt"), timeout=0.5)
    assert (record.outcome, record.reward, record.answered_reward) == (Outcome.FAILED, 0.0, 1.0)
    assert record.agent is not None
    assert (record.agent.exit_code, record.agent.timed_out) == (None, True)
    assert record.duration_ms < 30_000


def test_a_grader_that_times_out_keeps_the_other_s_score(bench: Bench) -> None:
    task = make_task(
        graders=(grader(PASS, 0, weight=0.7), grader("sleep 600", 1, weight=0.3)),
        agent=AgentSpec("command", command="true"),
        grader_timeout=0.5,
    )
    record = bench.run_spec(bench.spec(task))
    assert (record.outcome, record.reward, record.answered_reward) == (Outcome.ERRORED, None, 1.0)
    assert [result.score for result in record.grader_results] == [1.0, None]
    assert record.grader_results[1].status is GraderStatus.ERROR
    assert record.error is not None
    assert record.error.stage is Stage.GRADE
    assert "grader 1" in record.error.reason
    assert "limit of 0.5 s" in record.error.reason


def test_a_grader_without_json_is_an_error_that_quotes_it_and_its_stderr(bench: Bench) -> None:
    record = bench.run("true", "echo all good; echo oops >&2; exit 3")
    assert record.outcome is Outcome.ERRORED
    assert record.error is not None
    for part in ("«all good»", "exit code 3", "oops"):
        assert part in record.error.reason


def test_a_grader_s_exit_code_does_not_matter_when_it_answered(bench: Bench) -> None:
    record = bench.run("true", f"{PASS}; exit 1")
    assert (record.outcome, record.reward) == (Outcome.PASSED, 1.0)


def test_checks_arrive_in_the_record(bench: Bench) -> None:
    answer = {"score": 0.5, "details": "1/2", "checks": [{"name": "a", "passed": True, "message": "yes"}]}
    record = bench.run("true", f"echo '{json.dumps(answer)}'")
    assert record.grader_results[0].checks == (Check("a", True, "yes"),)


def test_the_grader_reads_its_input_and_the_transcript(bench: Bench) -> None:
    read_path = """python3 -c 'import json, os; print(json.loads(os.environ["SKILLGRADE_INPUT"])["transcript"])'"""
    script = f'printenv SKILLGRADE_INPUT >&2\ncat "$({read_path})" >&2\n{PASS}'
    record = bench.run(
        "echo the agent said this",
        script,
        trial=4,
        expected={"token": "Brand/100", "list": [1, None]},
        metadata={"tier": "easy", "tags": ["smoke"]},
    )
    assert record.outcome is Outcome.PASSED
    stderr = (bench.folder.path / "trials" / "task" / "4" / "0" / "grader-0.stderr").read_text()
    document = json.loads(stderr.splitlines()[0])
    assert document.pop("transcript").startswith("/")
    assert document == {
        "task": "task",
        "trial": 4,
        "turn": 0,
        "expected": {"token": "Brand/100", "list": [1, None]},
        "metadata": {"tier": "easy", "tags": ["smoke"]},
    }
    assert stderr.splitlines()[1] == "the agent said this"


def test_a_script_of_many_lines_is_run_by_its_shebang(bench: Bench) -> None:
    script = "#!/usr/bin/env python3\nimport json\nprint(json.dumps({'score': 0.25, 'details': 'py'}))\n"
    assert bench.run("true", script).reward == 0.25


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("check.sh", """echo '{"score": 0.5, "details": "sh"}'"""),
        ("check.py", """print('{"score": 0.5, "details": "py"}')"""),
        ("check.mjs", """console.log('{"score": 0.5, "details": "js"}')"""),
        ("check", """#!/usr/bin/env bash\necho '{"score": 0.5, "details": "shebang"}'"""),
    ],
)
def test_a_script_is_run_by_its_kind(bench: Bench, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "graders").mkdir()
    (tmp_path / "graders" / name).write_text(text)
    spec = grader("", script=f"graders/{name}", files=(GraderFile(tmp_path / "graders", "graders"),))
    task = make_task(graders=(spec,), agent=AgentSpec("command", command="true"))
    assert bench.run_spec(bench.spec(task)).reward == 0.5


def test_graders_are_not_there_while_the_agent_works_and_win_over_what_it_left(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "graders").mkdir()
    (tmp_path / "graders" / "check.sh").write_text("""echo '{"score": 0, "details": "the real one"}'""")
    spec = grader("bash graders/check.sh", files=(GraderFile(tmp_path / "graders", "graders"),))
    agent = 'ls -a; mkdir graders; echo "echo \'{\\"score\\": 1, \\"details\\": \\"planted\\"}\'" > graders/check.sh'
    task = make_task(graders=(spec,), agent=AgentSpec("command", command=agent))
    record = bench.run_spec(bench.spec(task))
    assert record.grader_results[0].details == "the real one"
    assert (record.outcome, record.reward) == (Outcome.FAILED, 0.0)
    assert "graders" not in bench.text(record, "agent.stdout")
    assert any("tampering" in note and "graders" in note for note in record.notes)


def test_an_agent_that_plants_nothing_is_not_accused(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "graders").mkdir()
    (tmp_path / "graders" / "check.sh").write_text(PASS)
    spec = grader("bash graders/check.sh", files=(GraderFile(tmp_path / "graders", "graders"),))
    task = make_task(graders=(spec,), agent=AgentSpec("command", command="touch other"))
    assert not [note for note in bench.run_spec(bench.spec(task)).notes if "tampering" in note]


def test_a_grader_that_the_task_gave_the_agent_is_put_back_and_nobody_is_accused(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    script = tmp_path / "tests" / "check.sh"
    script.write_text("""echo '{"score": 0, "details": "the real one"}'""")
    spec = grader("bash tests/check.sh", files=(GraderFile(script, "tests/check.sh"),))
    agent = """printf '%s' 'echo "{\\"score\\": 1, \\"details\\": \\"mine\\"}"' > tests/check.sh"""
    given = (WorkspaceFile(tmp_path / "tests", "tests"),)
    task = make_task(graders=(spec,), agent=AgentSpec("command", command=agent), workspace=given)
    record = bench.run_spec(bench.spec(task))
    assert record.grader_results[0].details == "the real one"
    assert not [note for note in record.notes if "tampering" in note]


def test_what_the_agent_left_running_is_gone_before_graders_run(bench: Bench) -> None:
    agent = "(setsid bash -c 'while :; do date +%N > beat; sleep 0.01; done' &) ; sleep 0.3"
    check = f'a=$(cat beat); sleep 0.2; [ "$a" = "$(cat beat)" ] && s=1 || s=0; {SAY} $s beat'
    assert bench.run(agent, check).reward == 1.0


def test_the_agent_cannot_set_what_graders_get(bench: Bench) -> None:
    agent = "echo 'export PLANTED=1' > ~/.bashrc; echo 'export PLANTED=1' > ~/.bash_profile; mkdir -p ~/bin; "
    agent += "printf '#!/bin/sh\\nexit 9' > ~/bin/cat; chmod +x ~/bin/cat"
    check = 'echo "{\\"score\\": 1, \\"details\\": \\"$PLANTED|$HOME|$(type -P cat)\\"}"'
    details = bench.run(agent, check).grader_results[0].details
    planted, home, cat = details.split("|")
    assert planted == ""
    assert cat in ("/bin/cat", "/usr/bin/cat")
    assert home


def test_secrets_are_in_no_file_and_no_record(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-shell-secret-1")
    (bench.root / ".env").write_text("SERVICE_TOKEN=t0ken-of-the-eval\n")
    record = bench.run(
        "echo $SERVICE_TOKEN; echo -n $SERVICE_TOKEN | base64 >&2; env",
        'echo "{\\"score\\": 1, \\"details\\": \\"$ANTHROPIC_API_KEY $SERVICE_TOKEN\\"}"',
    )
    assert record.outcome is Outcome.PASSED
    assert record.grader_results[0].details == "[redacted] [redacted]"
    kept = b"".join(path.read_bytes() for path in bench.folder.path.rglob("*") if path.is_file())
    assert b"[redacted]" in kept
    for secret in (b"sk-shell-secret-1", b"t0ken-of-the-eval", b"dDBrZW4tb2YtdGhlLWV2YWw"):
        assert secret not in kept
    assert "ANTHROPIC_API_KEY" not in bench.text(record, "agent.stdout")


def test_without_acting_the_untouched_workspace_is_graded(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "given.txt").write_text("x")
    file = WorkspaceFile(tmp_path / "given.txt", "given.txt")
    record = bench.run("touch out.txt", found("given.txt"), act=False, workspace=(file,))
    assert record.reward == 1.0
    assert record.agent is None
    assert bench.run("touch out.txt", found("out.txt"), act=False).reward == 0.0


def test_a_stop_ends_the_trial_as_cancelled(bench: Bench, tmp_path: Path) -> None:
    started = tmp_path / "started"

    def stop_when_started() -> None:
        assert eventually(started.exists)
        bench.stop.set()

    setter = threading.Thread(target=stop_when_started)
    setter.start()
    record = bench.run(f"touch {started}; sleep 600", PASS)
    setter.join()
    assert (record.outcome, record.reward, record.error) == (Outcome.CANCELLED, None, None)


def test_an_environment_that_could_not_be_made_errors_the_trial(bench: Bench) -> None:
    from dataclasses import replace

    spec = replace(bench.spec(make_task()), prepared=TrialError(Stage.IMAGE, "the build failed"))
    record = bench.run_spec(spec)
    assert record.outcome is Outcome.ERRORED
    assert record.error == TrialError(Stage.IMAGE, "the build failed")


def test_a_missing_workspace_file_errors_the_trial_in_its_set_up(bench: Bench, tmp_path: Path) -> None:
    record = bench.run("true", PASS, workspace=(WorkspaceFile(tmp_path / "gone", "gone"),))
    assert record.error is not None
    assert record.error.stage is Stage.SETUP


def test_the_solution_runs_from_its_own_folder_in_the_workspace(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "solutions"
    folder.mkdir()
    (folder / "solve.sh").write_text('cp "$(dirname "$0")/answer.txt" answer.txt')
    (folder / "answer.txt").write_text("42")
    task = make_task(graders=(grader(found("answer.txt")),), solution=folder / "solve.sh")
    record = bench.run_spec(bench.spec(task, agent="solution"))
    assert record.reward == 1.0


def test_a_spec_is_picklable_and_holds_no_secret(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (bench.root / ".env").write_text("SERVICE_TOKEN=t0ken-of-the-eval\n")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-shell-secret-1")
    spec = bench.spec(make_task(agent=AgentSpec("command", command="true")))
    data = pickle.dumps(spec)
    assert pickle.loads(data) == spec
    assert b"t0ken" not in data
    assert b"sk-shell" not in data


def test_a_bug_of_ours_ends_in_a_record_too(bench: Bench) -> None:
    from dataclasses import replace

    spec = replace(bench.spec(make_task()), agent="no such agent")
    record = bench.run_spec(spec)
    assert record.outcome is Outcome.ERRORED
    assert record.error is not None
    assert record.error.reason.startswith("internal error: KeyError")


def test_invalid_text_from_the_agent_does_no_harm(bench: Bench) -> None:
    program = f"{sys.executable} -c \"import sys; sys.stdout.buffer.write(bytes([0xff,0xfe,0]) + '漢'.encode())\""
    record = bench.run(program, PASS)
    assert record.outcome is Outcome.PASSED
    assert (bench.folder.path / record.files["agent.stdout"]).read_bytes() == b"\xff\xfe\x00" + "漢".encode()


def test_a_variable_whose_value_is_a_word_of_the_answer_does_not_break_it(bench: Bench) -> None:
    (bench.root / ".env").write_text("MODE=details\nLIMIT=0.6667\nSECRET=s3cret-value\n")
    record = bench.run("true", """echo '{"score": 0.6667, "details": "s3cret-value"}'""")
    assert record.reward == 0.6667
    assert record.grader_results[0].details == "[redacted]"
    assert "s3cret-value" not in bench.text(record, "grader-0.stdout")


def test_a_number_of_thousands_of_digits_is_the_grader_s_error_not_ours(bench: Bench) -> None:
    answer = '{"score": 1, "details": "x", "n": ' + "1" * 5000 + "}"
    record = bench.run("true", f"echo '{answer}'")
    assert record.error is not None
    assert record.error.stage is Stage.GRADE
    assert "internal error" not in record.error.reason


@pytest.mark.parametrize(
    ("name", "text", "planted"),
    [
        ("check.py", "import json; print(json.dumps({'score': 0.25, 'details': ''}))", "json.py"),
        ("check.mjs", """console.log('{"score": 0.25, "details": ""}')""", "package.json"),
    ],
)
def test_a_script_that_comes_alone_does_not_run_beside_what_the_agent_planted(
    bench: Bench, tmp_path: Path, name: str, text: str, planted: str
) -> None:
    (tmp_path / name).write_text(text)
    spec = grader("", script=name, files=(GraderFile(tmp_path / name, name),))
    plant = f"printf 'broken on purpose' > {planted}"
    task = make_task(graders=(spec,), agent=AgentSpec("command", command=plant))
    assert bench.run_spec(bench.spec(task)).reward == 0.25


def test_a_planted_runner_of_typescript_is_not_taken(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "graders").mkdir()
    (tmp_path / "graders" / "check.ts").write_text("""console.log('{"score": 0.25, "details": ""}')""")
    spec = grader("", script="graders/check.ts", files=(GraderFile(tmp_path / "graders", "graders"),))
    plant = "mkdir -p node_modules/.bin; cd node_modules/.bin; "
    plant += """printf '#!/bin/sh\\necho "{\\"score\\": 1, \\"details\\": \\"planted\\"}"' > tsx; chmod +x tsx"""
    task = make_task(graders=(spec,), agent=AgentSpec("command", command=plant))
    record = bench.run_spec(bench.spec(task))
    assert record.reward in (0.25, None)  # None where nothing on this machine runs TypeScript
    assert record.grader_results[0].details != "planted"

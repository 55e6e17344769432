"""Judges as users meet them: keys, live verdicts, recordings, and verdicts without any network."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.judging import verdict
from tests.support.model_server import KEY, Listed, ModelServer, Status
from tests.support.shell import Shell

EVAL = """\
version: "1"
defaults: {agent: command, command: 'cat > out.txt; echo I wrote it.', provider: local, trials: 2, retries: 0}
tasks:
  - name: writes
    instruction: write this down
    expected: {answer: sesame}
    graders:
      - {type: deterministic, run: 'echo ''{"score": 1, "details": "fine"}''', weight: 0.5}
      - {type: llm_rubric, rubric: Is it well written?, artifacts: [out.txt], weight: 0.5}
"""


@pytest.fixture
def shell(tmp_path: Any) -> Shell:
    made = Shell(tmp_path)
    made.write("eval.yaml", EVAL)
    return made


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        made.always(lambda asked: verdict(asked.user, 0.5, "Half of it is good."))
        yield made


def report(shell: Shell, *arguments: str, env: dict[str, str] | None = None, code: int = 0) -> dict[str, Any]:
    done = shell.run(*arguments, "--json", env=env)
    assert done.code == code, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_a_missing_key_is_seen_before_anything_runs(shell: Shell) -> None:
    done = shell.run()
    assert done.code == 2
    assert "GEMINI_API_KEY is not set" in done.err
    assert "--grader=deterministic" in done.err
    assert not (shell.root / ".skillgrade").exists()


def test_without_judges_no_key_is_needed(shell: Shell) -> None:
    assert report(shell, "--grader=deterministic")["totals"]["passed"] == 2


@pytest.mark.parametrize("provider", ["gemini", "anthropic", "openai"])
def test_a_judge_s_score_is_part_of_the_reward(shell: Shell, server: ModelServer, provider: str) -> None:
    document = report(shell, f"--judge={provider}:small", env=server.variables(provider))
    (task,) = document["tasks"]
    assert task["mean_reward"] == 0.75
    result = task["trials"][0]["grader_results"][1]
    assert (result["score"], result["status"], result["details"]) == (0.5, "ok", "Half of it is good.")
    assert result["judgement"]["samples"][0]["model"] == "small"
    assert document["totals"]["judge_tokens"] == {"input": 22, "output": 14}
    assert {asked.model for asked in server.asked} == {"small"}


def test_the_judge_reads_the_work_and_the_agent_never_reads_the_answer(shell: Shell, server: ModelServer) -> None:
    report(shell, "--judge=openai:small", "--trials=1", env=server.variables("openai"))
    (asked,) = server.asked
    for part in ("write this down", "I wrote it.", '"out.txt"', "deterministic: score 1", "+++ b/out.txt"):
        assert part in asked.user
    assert "sesame" in asked.system
    assert str(shell.root) not in asked.user + asked.system
    kept = list((shell.root / ".skillgrade").rglob("agent.std*"))
    assert kept
    assert all(b"sesame" not in path.read_bytes() for path in kept)


def test_the_newest_small_model_is_looked_up_once_and_is_in_the_report(shell: Shell, server: ModelServer) -> None:

    server.models = [Listed("gpt-9-mini", 2e9), Listed("gpt-8-mini", 1e9), Listed("gpt-9", 3e9)]
    document = report(shell, "--judge=openai", "--trials=3", env=server.variables("openai"))
    assert {asked.model for asked in server.asked} == {"gpt-9-mini"}
    assert document["judges"] == ["openai:gpt-9-mini"]


def test_a_key_that_vanishes_makes_errors_and_no_failures(shell: Shell, server: ModelServer) -> None:
    variables = server.variables("openai")
    shell.write(".env", "".join(f"{name}={value}\n" for name, value in variables.items()))
    text = EVAL.replace("echo I wrote it.", f"echo > {shell.root}/.env")
    shell.write("eval.yaml", text)
    document = report(shell, "--judge=openai:small", "--parallel=1", code=3)
    first, second = document["tasks"][0]["trials"]
    assert first["outcome"] == "passed"
    assert second["outcome"] == "errored"
    assert second["error"]["stage"] == "judge"
    result = second["grader_results"][1]
    assert (result["score"], result["status"]) == (0.0, "error")
    assert "OPENAI_API_KEY" in result["details"]
    assert document["tasks"][0]["failed"] == 0


def test_a_provider_that_refuses_makes_the_trial_errored_with_its_words(shell: Shell, server: ModelServer) -> None:
    server.always(Status(403, "this key may not judge"))
    document = report(shell, "--judge=anthropic:m", "--trials=1", env=server.variables("anthropic"), code=3)
    (trial,) = document["tasks"][0]["trials"]
    assert (trial["outcome"], trial["error"]["stage"], trial["attempts"]) == ("errored", "judge", 1)
    assert "this key may not judge" in trial["error"]["reason"]
    assert trial["answered_reward"] == 1.0
    assert len(server.asked) == 1


def test_no_key_is_in_anything_that_is_kept_or_shown(shell: Shell, server: ModelServer) -> None:
    server.next(Status(401, f"the key {KEY} is wrong"))
    done = shell.run("--judge=openai:m", "--verdicts=record", "--parallel=1", env=server.variables("openai"))
    assert done.code == 3
    assert KEY not in done.out + done.err
    for path in shell.root.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path


def test_what_was_recorded_is_replayed_without_key_and_network(shell: Shell, server: ModelServer) -> None:
    report(shell, "--judge=openai:small", "--verdicts=record", env=server.variables("openai"))
    assert len(server.asked) == 1, "a question is asked once while it is recorded"
    argv = shell.argv("--judge=openai", "--verdicts=replay", "--json")
    cut_off = ["unshare", "--net", "--map-root-user"]
    if not shutil.which("unshare") or subprocess.run([*cut_off, "true"], capture_output=True).returncode != 0:
        pytest.skip("no namespace without a network on this machine")
    done = subprocess.run(
        [*cut_off, *argv], cwd=shell.root, env=shell.environment(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    (task,) = json.loads(done.stdout)["tasks"]
    assert task["mean_reward"] == 0.75
    assert task["trials"][1]["grader_results"][1]["judgement"]["samples"][0]["model"] == "small"
    assert len(server.asked) == 1


def test_a_stale_recording_is_an_error_that_says_how_to_record_again(shell: Shell, server: ModelServer) -> None:
    report(shell, "--judge=openai:small", "--verdicts=record", "--trials=1", env=server.variables("openai"))
    shell.write("eval.yaml", EVAL.replace("well written", "beautifully written"))
    document = report(shell, "--judge=openai:small", "--verdicts=replay", "--trials=1", code=3)
    reason = document["tasks"][0]["trials"][0]["error"]["reason"]
    assert "the rubric, the task, the graders before it or what the agent did changed" in reason
    command = reason.split("record it with `")[1].split("`")[0]
    assert command.startswith("skillgrade ")
    again = shell.run(*command.split()[1:], env=server.variables("openai"))
    assert again.code == 0, again.err
    assert report(shell, "--judge=openai:small", "--verdicts=replay", "--trials=1")["totals"]["passed"] == 1


def test_validate_asks_judges_where_they_can_answer(shell: Shell, server: ModelServer) -> None:
    shell.write("solve.sh", "echo done > out.txt")
    shell.write("eval.yaml", EVAL + "    solution: solve.sh\n")
    shell.write("eval.yaml", (shell.root / "eval.yaml").read_text().replace('"score": 1', '"score": 0'))
    without = shell.run("--validate")
    assert "llm_rubric" in without.out
    server.always(lambda asked: verdict(asked.user, 0.25, "Poor."))
    done = shell.run("--validate", "--judge=openai:m", env=server.variables("openai"))
    assert done.code == 1
    assert "llm_rubric grader 1 gives the reference solution only 0.25: Poor." in done.out
    assert len(server.asked) == 1, "work that nobody did is not judged"


def test_flags_that_would_do_nothing_are_refused(shell: Shell) -> None:
    done = shell.run("--list", "--verdicts=replay")
    assert done.code == 2
    assert "--verdicts has no effect with --list" in done.err


def test_an_unknown_provider_is_refused(shell: Shell) -> None:
    done = shell.run("--judge=grok")
    assert done.code == 2
    assert "gemini, anthropic, openai" in done.err


def test_a_played_user_needs_a_key_for_a_run_and_none_for_validation(shell: Shell) -> None:
    shell.write("solve.sh", "echo done > out.txt")
    shell.write("check.sh", '[ -e out.txt ] && s=1 || s=0; echo "{\\"score\\": $s, \\"details\\": \\"out.txt\\"}"')
    graders = "[{type: deterministic, run: bash check.sh}]"
    task = f"  - {{name: talks, user: {{persona: curt}}, instruction: Hi., solution: solve.sh, graders: {graders}}}\n"
    shell.write("eval.yaml", EVAL.split("tasks:")[0] + "tasks:\n" + task)
    run = shell.run()
    assert run.code == 2
    assert "GEMINI_API_KEY is not set" in run.err
    validated = shell.run("--validate", "--ci")
    assert validated.code == 0, validated.out + validated.err

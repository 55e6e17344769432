"""`skillgrade --baseline`, as users start it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.test_compare import COMPARED
from tests.support.judging import verdict
from tests.support.model_server import ModelServer
from tests.support.shell import Shell
from tests.support.streams import FOLDER

BREAKS = """\
version: "1"
defaults: {agent: command, provider: local, trials: 1, retries: 0, command: 'ls .agents/skills > out.txt'}
tasks:
  - name: needy
    instruction: write
    graders: [{type: deterministic, run: '[ -s out.txt ] && echo "{\\"score\\": 1, \\"details\\": \\"\\"}"'}]
"""
JUDGED = """\
version: "1"
defaults: {agent: command, command: "true", provider: local, trials: 1, grader_provider: openai, grader_model: mini}
tasks: [{name: judged, instruction: write, graders: [{type: llm_rubric, rubric: Is it good?}]}]
"""
EXPECTS = """\
version: "1"
defaults: {{agent: command, command: "cat {stream}", output_format: claude-stream-json, provider: local, trials: 1}}
tasks:
  - name: wanted
    instruction: write
    graders: [{{type: deterministic, run: 'echo "{{\\"score\\": 0.4, \\"details\\": \\"\\"}}"'}}]
    expect_skill: ws-claude-skills
"""


@pytest.fixture
def compared(tmp_path: Path) -> Shell:
    """An eval whose agent does one task because of the skill, and the other one less well."""
    shell = Shell(tmp_path)
    shell.write("eval.yaml", COMPARED)
    shell.write("SKILL.md", "---\nname: notes\ndescription: Writes notes.\n---\nWrite.\n")
    return shell


def test_one_command_says_what_the_skill_changes(compared: Shell) -> None:
    done = compared.run("--baseline")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"passed\s+helped #0 with the skill\s+reward 1\.00", done.out)
    assert re.search(r"failed\s+helped #0 without the skill\s+reward 0\.00", done.out)
    assert done.out.count("note: provider local isolates nothing") == 1
    assert "without → with: skills none → notes (sha256:" in done.out
    assert re.search(r"helped\s+\+100\.0 pp\s+\+100\.0 pp\s+100%\s+0 of 4\s+4 of 4\s+better \(p = 0\.029\)", done.out)
    assert "got worse: hindered" in done.out
    with_skill, without = (
        re.search(rf"^{name}: (.*)$", done.out, re.MULTILINE) for name in ("results", "results without the skill")
    )
    assert with_skill is not None
    assert without is not None
    again = compared.run("preview")
    assert "without → with: skills none → notes" in again.out
    assert f"results: {with_skill[1]}" in again.out
    both = compared.run("compare", without[1], with_skill[1], "--json")
    report = json.loads((Path(with_skill[1]) / "report.json").read_text())
    assert json.loads(both.out) == report["baseline"]


def test_the_report_is_that_of_the_arm_with_the_skill(compared: Shell) -> None:
    document = json.loads(compared.run("--baseline", "--json", "--eval=helped", "--trials=2").out)
    (task,) = document["tasks"]
    assert (task["planned"], task["passed"], task["failed"]) == (2, 2, 0)
    assert {trial["arm"] for trial in task["trials"]} == {"with"}
    assert document["baseline"]["tasks"][0]["before"]["passed"] == 0
    assert document["baseline"]["before"]["run_id"] == document["baseline_run"]


def test_the_gate_asks_the_arm_with_the_skill_alone(compared: Shell) -> None:
    assert compared.run("--baseline", "--ci", "--eval=helped", "--threshold=1").code == 0
    assert compared.run("--baseline", "--ci", "--eval=hindered", "--threshold=0.9").code == 1


def test_what_errors_without_the_skill_is_no_success(compared: Shell) -> None:
    compared.write("eval.yaml", BREAKS)
    done = compared.run("--baseline", "--ci")
    assert done.code == 3
    assert "without: 1 of 1 trials have no verdict and are left out" in done.out
    assert "nothing can be compared: no task has graded trials in both arms" in done.out


def test_a_run_goes_on_as_it_was_started(compared: Shell) -> None:
    report = json.loads(compared.run("--baseline", "--json", "--trials=1").out)
    idle = compared.run("--baseline", "--resume", "--trials=1")
    assert idle.code == 0
    assert "nothing is left to run" in idle.out
    refused = compared.run("--resume", "--trials=1")
    assert (refused.code, "give --baseline as well" in refused.err) == (2, True)
    alone = compared.run(f"--resume={report['baseline_run']}", "--trials=1", "--no-skill")
    assert (alone.code, "this is the baseline of" in alone.err) == (2, True)


@pytest.mark.parametrize("other", ["--no-skill", "--list", "--validate"])
def test_flags_that_contradict_it_are_refused(compared: Shell, other: str) -> None:
    done = compared.run("--baseline", other)
    assert done.code == 2
    assert "--baseline" in done.err
    assert not (compared.root / ".skillgrade").exists()


def test_without_a_skill_nothing_is_run(compared: Shell) -> None:
    (compared.root / "SKILL.md").unlink()
    done = compared.run("--baseline")
    assert done.code == 2
    assert "there is no skill" in done.err


def test_grading_one_arm_again_keeps_the_comparison_and_says_so(compared: Shell) -> None:
    compared.write("eval.yaml", JUDGED)
    with ModelServer() as server:
        server.always(lambda asked: verdict(asked.user, 0.0))
        env = server.variables("openai")
        report = json.loads(compared.run("--baseline", "--json", env=env).out)
        assert report["baseline"]["totals"]["pass_rate_difference"] == 0
        server.always(lambda asked: verdict(asked.user, 1.0))
        again = compared.run("regrade", env=env)
        assert "only one of them was graded again" in again.out
        assert re.search(r"judged\s+\+100\.0 pp", again.out)
        assert compared.run("regrade", report["baseline_run"], env=env).code == 0
    shown = compared.run("preview")
    assert re.search(r"judged\s+\+0\.0 pp", shown.out)
    assert "only one of them" not in shown.out


def test_to_be_used_is_not_what_a_skill_is_compared_by(compared: Shell) -> None:
    compared.write("SKILL.md", "---\nname: ws-claude-skills\ndescription: d\n---\n")
    compared.write("eval.yaml", EXPECTS.format(stream=FOLDER / "claude-skill.jsonl"))
    done = compared.run("--baseline", "--json")
    document = json.loads(done.out)
    assert document["tasks"][0]["mean_reward"] == 0.7
    (task,) = document["baseline"]["tasks"]
    assert task["graders_left_out"] == ["assertions 1"]
    assert (task["before"]["mean_reward"], task["after"]["mean_reward"]) == (0.4, 0.4)
    assert (task["after"]["passed"], task["verdict"]) == (0, "unclear")
    assert "left out of the rewards, since only one arm has them: wanted: assertions 1" in done.err

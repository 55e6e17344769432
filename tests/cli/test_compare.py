"""Two runs of the same tasks, as users compare them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.shell import Shell

COMPARED = """\
version: "1"
defaults: {agent: command, provider: local, trials: 4, command: 'ls .agents/skills > out.txt'}
tasks:
  - name: helped
    instruction: write
    graders:
      - type: deterministic
        run: |
          [ -s out.txt ] && s=1 || s=0
          [ $s = 1 ] && written=true || written=false
          echo '{"score": '$s', "details": "", "checks": [
            {"name": "written", "passed": '$written'}, {"name": "there", "passed": true}]}'
  - name: hindered
    instruction: leave
    graders:
      - type: deterministic
        run: '[ -s out.txt ] && s=0.8 || s=1; printf "{\\"score\\": $s, \\"details\\": \\"\\"}"'
"""


@pytest.fixture
def compared(tmp_path: Path) -> Shell:
    """An eval whose agent does one task because of the skill, and the other one less well."""
    shell = Shell(tmp_path)
    shell.write("eval.yaml", COMPARED)
    shell.write("SKILL.md", "---\nname: notes\ndescription: Writes notes.\n---\nWrite.\n")
    return shell


def run_id(shell: Shell, *arguments: str) -> str:
    done = shell.run("--json", *arguments)
    assert done.code == 0, done.err
    return str(json.loads(done.out)["run_id"])


def test_what_a_skill_changes_is_said_by_compare(compared: Shell) -> None:
    without, given = run_id(compared, "--no-skill"), run_id(compared)
    done = compared.run("compare", without)
    assert (done.code, done.err) == (0, "")
    assert f"{without} → {given}: skills none → notes (sha256:" in done.out
    assert "+100.0 pp" in done.out
    assert "0 of 4" in done.out
    assert "better (p = 0.029)" in done.out
    assert "got worse: hindered" in done.out
    assert "they measure nothing here: helped: deterministic 0: there" in done.out
    document = json.loads(compared.run("compare", without, given, "--json").out)
    helped, hindered = document["tasks"]
    assert (helped["pass_rate_difference"], helped["normalised_gain"], helped["verdict"]) == (1, 1, "better")
    assert helped["p_value"] == pytest.approx(2 / 70)
    assert hindered["mean_reward_difference"] == pytest.approx(-0.2)
    assert (hindered["p_value"], hindered["normalised_gain"], hindered["more_trials"]) == (1, None, None)
    totals = document["totals"]
    assert totals["pass_rate_difference"] == 0.5
    assert totals["mean_reward_difference"] == pytest.approx(0.4)
    assert totals["before"]["pass_rate"] == 0.5
    assert totals["before"]["tokens"] is None
    assert totals["before"]["duration_ms"] >= 0
    assert totals["tasks_worse"] == ["hindered"]
    assert totals["p_value"] == pytest.approx(2 / 70)
    assert document["differs"] == ["skills"]


def test_a_run_and_the_same_run_again_differ_by_luck_only(compared: Shell) -> None:
    first, second = run_id(compared, "--eval=helped"), run_id(compared, "--eval=helped", "--trials=2")
    done = compared.run("compare", first, second)
    assert "what differs is luck" in done.out
    assert "no difference shows on these tasks" in done.out
    assert "2 of 2" in done.out


def test_other_agents_are_what_is_compared(compared: Shell) -> None:
    first, second = run_id(compared, "--trials=1"), run_id(compared, "--trials=1", "--command=true")
    document = json.loads(compared.run("compare", first, second, "--json").out)
    assert document["differs"] == ["agent settings"]
    done = compared.run("compare", first, second)
    assert "helped" in done.out
    assert "more trials" in done.out
    assert "not enough trials to tell" in done.out


def test_other_tasks_are_refused_and_named(compared: Shell) -> None:
    first = run_id(compared)
    compared.write("eval.yaml", COMPARED.replace("instruction: leave", "instruction: go"))
    second = run_id(compared)
    done = compared.run("compare", first, second)
    assert done.code == 2
    assert 'cannot be compared, their tasks differ: task "hindered" changed' in done.err
    third = run_id(compared, "--eval=helped")
    done = compared.run("compare", second, third)
    assert done.code == 2
    assert 'task "hindered" is gone' in done.err


def test_a_run_is_not_compared_with_itself_or_nothing(compared: Shell) -> None:
    first = run_id(compared, "--trials=1")
    itself = compared.run("compare", first)
    assert (itself.code, "cannot be compared with itself" in itself.err) == (2, True)
    missing = compared.run("compare", "20200101-000000-abcd")
    assert (missing.code, "no run has this id or path" in missing.err) == (2, True)


def test_a_run_with_the_skill_does_not_go_on_without_it(compared: Shell) -> None:
    run_id(compared, "--trials=1")
    done = compared.run("--trials=1", "--no-skill", "--resume")
    assert done.code == 2
    assert "which skills go in changed" in done.err

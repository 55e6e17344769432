"""`skillgrade doctor` as users start it, with real processes and stand-ins for the agents' tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.shell import Shell
from tests.support.stand_ins import stand_in

KEY = "sk-planted-0123456789abcdef"

SUITE = """\
version: "1"
defaults:
  provider: local
  trials: 1
tasks:
  - name: greets
    instruction: greet
    agent: claude
    model: haiku
    graders: [{type: llm_rubric, rubric: Is it good?, model: gemini-2.5-flash}]
"""


@pytest.fixture(params=[(KEY, 0), ("", 1)], ids=["with a key", "without one"])
def given(request: pytest.FixtureRequest) -> tuple[dict[str, str], int]:
    key, code = request.param
    return ({"ANTHROPIC_API_KEY": key, "GEMINI_API_KEY": key} if key else {}), code


def with_claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a stand-in of one agent is on the PATH; it fails where it is asked for more than its version."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    stand_in("claude", '[ "$1" = --version ] && echo "7.8.9 (Stand-in)"', tmp_path / "prefix", monkeypatch)


def test_a_suite_that_can_run_is_well_and_one_without_keys_is_not(
    shell: Shell, tmp_path: Path, given: tuple[dict[str, str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_claude(tmp_path, monkeypatch)
    env, code = given
    shell.write("eval.yaml", SUITE)
    outcome = shell.run("doctor", env=env)
    assert outcome.code == code, outcome
    assert "installed: version 7.8.9 (tested: " in outcome.out
    assert KEY not in outcome.out
    line = "ok       runs: claude --print --output-format stream-json --verbose --dangerously-skip-permissions"
    assert (f"{line} --model haiku <INSTRUCTION" in outcome.out) == (code == 0)
    assert outcome.out.count("problem  key: ") == 2 * code
    assert ("ok       model: gemini-2.5-flash" in outcome.out) == (code == 0)


def test_without_a_suite_every_agent_is_looked_at_and_one_that_works_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_claude(tmp_path, monkeypatch)
    (tmp_path / "nothing").mkdir()
    shell = Shell(tmp_path / "nothing")
    document = json.loads(shell.run("doctor", "--provider=local", "--json", env={"ANTHROPIC_API_KEY": KEY}).out)
    assert document["well"] is True
    by_subject = {subject["subject"]: subject["findings"] for subject in document["subjects"]}
    assert list(by_subject) == ["agent claude", "agent codex", "agent gemini", "agent opencode"]
    levels = {name: {found["check"]: found["level"] for found in findings} for name, findings in by_subject.items()}
    assert levels["agent claude"] == {"provider": "ok", "installed": "ok", "key": "ok", "runs": "ok"}
    assert levels["agent codex"] == {"provider": "ok", "installed": "warning", "key": "warning"}
    [missing] = [found["text"] for found in by_subject["agent codex"] if found["check"] == "installed"]
    assert "npm install --global @openai/codex@" in missing


def test_where_no_agent_works_something_must_be_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (tmp_path / "nothing").mkdir()
    outcome = Shell(tmp_path / "nothing").run("doctor", "--provider=local")
    assert outcome.code == 1
    assert "problem  agents: none of them can work here" in outcome.out


def test_an_agent_that_is_named_must_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_claude(tmp_path, monkeypatch)
    (tmp_path / "nothing").mkdir()
    shell = Shell(tmp_path / "nothing")
    outcome = shell.run("doctor", "--agent=codex", "--provider=local")
    assert (outcome.code, outcome.out.count("problem")) == (1, 2)
    refused = shell.run("doctor", "--agent=acp")
    assert refused.code == 2
    assert "name the file with -f" in refused.err


def test_a_suite_that_is_wrong_or_missing_is_a_mistake_of_the_user(shell: Shell) -> None:
    shell.write("eval.yaml", "version: 7\n")
    assert shell.run("doctor").code == 2
    assert shell.run("doctor", "-f", "elsewhere").code == 2


def test_it_leaves_nothing_and_starts_no_trial(shell: Shell) -> None:
    outcome = shell.run("doctor")
    assert outcome.code == 0, outcome
    assert "agent command\n" in outcome.out
    assert "ok       runs: bash -c 'cat > out.txt' <INSTRUCTION" in outcome.out
    assert not (shell.root / ".skillgrade").exists()
    assert list(shell.tmp.iterdir()) == []

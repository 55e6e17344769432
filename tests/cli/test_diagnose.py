"""`skillgrade diagnose` as users run it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support import claude_stand_in
from tests.support.model_server import ModelServer
from tests.support.shell import Shell

DATA = Path(__file__).parents[1] / "data" / "diagnostics"
EVAL = """\
tasks:
  - name: review
    instruction: "SAY: all is well"
    graders:
      - {type: assertions, assertions: [{type: contains, target: Recommendation}, {type: contains, target: well}]}
      - {type: deterministic, run: "echo '{\\"score\\": 1, \\"details\\": \\"\\"}'"}
  - name: fine
    instruction: "SAY: all is well"
    graders: [{type: assertions, assertions: [{type: contains, target: well}]}]
"""


@pytest.fixture
def place(shell: Shell) -> Shell:
    shutil.copy(DATA / "SKILL.md", shell.root / "SKILL.md")
    shell.write("eval.yaml", EVAL.replace("tasks:", "defaults: {pass_threshold: 1}\ntasks:"))
    return shell


def run(place: Shell) -> None:
    programs = claude_stand_in.install(place.root.parent / "programs")
    env = {"PATH": f"{programs}:{os.environ['PATH']}", "ANTHROPIC_API_KEY": "k"}
    done = place.run("--agent=claude", "--provider=local", "--trials=2", env=env)
    assert "why: skillgrade diagnose" in done.out


def test_the_failed_trials_of_a_run_are_diagnosed_once(place: Shell) -> None:
    run(place)
    done = place.run("diagnose")
    assert done.code == 1
    assert done.out.startswith('review #0, review #1\nDIAGNOSTIC: [mini-architect] failed on "SAY: all is well"\n')
    assert done.out.count("DIAGNOSTIC: ") == 1
    assert 'SKILL.md section "Phase 4: Recommendations" promises "Recommendation"' in done.out
    (document,) = json.loads(place.run("diagnose", "latest", "--json").out)
    assert document["trials"] == [{"task": "review", "trial": 0}, {"task": "review", "trial": 1}]
    assert document["explanation"] is None
    schema: Any = json.loads(place.run("schema", "diagnosis").out)
    assert list(Draft202012Validator(schema).iter_errors(document)) == []


def test_a_piece_of_work_is_diagnosed_from_a_file(place: Shell) -> None:
    golden = DATA / "g05_wrong_tool_usage.input.json"
    done = place.run("diagnose", f"--input={golden}", "--skill=SKILL.md")
    assert (done.code, done.out) == (1, (DATA / "g05_wrong_tool_usage.expected.txt").read_text())
    fine = json.loads(golden.read_text())
    fine.update(results=[{**each, "passed": True} for each in fine["results"]], oracle="pass")
    place.write("fine.json", json.dumps(fine))
    quiet = place.run("diagnose", "--input=fine.json")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


def test_a_model_may_add_to_it(place: Shell) -> None:
    golden = DATA / "g01_missing_capability.input.json"
    with ModelServer() as server:
        server.always("The third phase names no heading.")
        done = place.run(
            "diagnose", f"--input={golden}", "--explain", "--judge=openai:mini", env=server.variables("openai")
        )
        assert done.out.endswith(
            "EXPLANATION (by a model, below what the rules say):\nThe third phase names no heading.\n"
        )
        (asked,) = server.asked
        assert "Document error handling." in asked.user
        assert "Review the architecture" in asked.user


def test_what_cannot_be_diagnosed_is_refused(place: Shell) -> None:
    for arguments, message in (
        ((), "no run is here yet"),
        (("--explain",), "--explain needs --judge=PROVIDER:MODEL"),
        (("--judge=openai:mini",), "--judge has no effect without --explain"),
        (("--input=nothing.json",), "nothing.json: "),
        (("--skill=nowhere",), "nowhere: there is no SKILL.md"),
    ):
        done = place.run("diagnose", *arguments)
        assert done.code == 2
        assert message in done.err

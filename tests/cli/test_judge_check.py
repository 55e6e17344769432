"""`skillgrade judge-check` as users run it."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.judging import decision
from tests.support.model_server import Asked, ModelServer
from tests.support.rule_judge import ANSWERS, SCENARIO, SKILL, gullible, judge
from tests.support.shell import Outcome, Shell

RECORDING = "skills/parcels/judge-recordings/skills__parcels.json"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        server.always(judge)
        yield server


@pytest.fixture
def place(shell: Shell) -> Shell:
    shell.write("skills/parcels/SKILL.md", SKILL)
    shell.write("skills/parcels/evals.json", json.dumps({"scenarios": [SCENARIO]}))
    return shell


def check(shell: Shell, server: ModelServer, *arguments: str) -> Outcome:
    return shell.run("judge-check", *arguments, env=server.variables("openai"))


def test_a_good_judge_is_right_and_recorded(place: Shell, server: ModelServer) -> None:
    done = check(place, server, "parcels", "--judge=openai:mini", "--record")
    assert done.code == 0
    assert "evals.json · judge openai:mini · 3 samples" in done.out
    assert "right about all 8 answers" in done.out
    assert "it proves nothing until somebody has read its diff" in done.out
    assert len(server.asked) == 21
    recorded: Any = json.loads((place.root / RECORDING).read_text())
    assert len(recorded["entries"]) == 7


def test_a_fooled_judge_is_shown_first_and_recorded_all_the_same(place: Shell, server: ModelServer) -> None:
    server.always(gullible)
    done = check(place, server, "skills/parcels", "--judge=openai:mini", "--samples=2", "--record")
    assert done.code == 1
    rows = done.out.split("judge says", 1)[1].splitlines()
    assert rows[1].split()[:3] == ["weighs", "injection", "fail"]
    assert "pass, pass" in rows[1]
    assert "wrong about 1 of 8 answers, 1 of them let pass what must not" in done.out
    assert (place.root / RECORDING).is_file()


def test_programs_get_json(place: Shell, server: ModelServer) -> None:
    done = check(place, server, "skills/parcels/evals.json", "--judge=openai:mini", "--samples=1", "--json")
    (document,) = json.loads(done.out)
    assert (document["skill"], document["judge"], document["model"]) == ("parcels", "openai", "mini")
    assert (document["samples"], document["recorded"]) == (1, None)
    assert document["answers"][0]["kind"] == "empty"
    assert document["answers"][-1] == {
        "scenario": "weighs",
        "kind": "known-right",
        "expected": "pass",
        "samples": [{"verdict": "pass", "score": None, "reason": "So it is.", "error": None}],
        "failed_checks": [],
        "mismatch": None,
    }


def test_what_cannot_be_tried_is_refused(place: Shell, server: ModelServer) -> None:
    def error(*arguments: str) -> str:
        done = check(place, server, *arguments)
        assert done.code == 2
        return done.err

    assert "Missing option '--judge'" in error("parcels")
    assert "names no provider that is known" in error("parcels", "--judge=deepthought")
    assert '"parcel" is no path, and no skill of that name is here (did you mean "parcels"?)' in error(
        "parcel", "--judge=openai:mini"
    )
    assert "has no judge graders and no rubric with a `calibration`" in error("eval.yaml", "--judge=openai:mini")
    blank: dict[str, Any] = {**SCENARIO, "calibration": {**ANSWERS, "vague": "  "}}
    place.write("skills/parcels/evals.json", json.dumps({"scenarios": [blank]}))
    assert "vague: is blank, so it calibrates nothing" in error("parcels", "--judge=openai:mini")
    own = "tasks: [{name: a, instruction: b c, graders: [{type: judge, rubric: r s, pass_criteria: [p]}]}]\n"
    place.write("own/eval.yaml", own)
    assert 'eval.yaml:1: the judge of "a" lacks the calibration answers known_right, known_wrong' in error(
        "own", "--judge=openai:mini"
    )


def test_without_a_key_nobody_is_asked(place: Shell, server: ModelServer) -> None:
    done = place.run("judge-check", "parcels", "--judge=openai:mini")
    assert done.code == 2
    assert "OPENAI_API_KEY is not set" in done.err
    assert "--grader" not in done.err
    assert server.asked == []


def test_an_interrupt_records_no_part_of_a_skill(place: Shell, server: ModelServer) -> None:
    def answer(asked: Asked) -> str:
        process.send_signal(signal.SIGINT)
        return judge(asked)

    server.always(answer)
    with place.start("judge-check", "parcels", "--judge=openai:mini", "--parallel=1", "--record",
                     env=server.variables("openai")) as process:  # fmt: skip
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopping: the skill that is being tried is not recorded" in out
    assert not (place.root / RECORDING).exists()


def test_what_a_judge_says_cannot_steer_the_terminal(place: Shell, server: ModelServer) -> None:
    server.always(lambda asked: decision(asked.system, {}, reason="\x1b[2Jwell\u202e"))
    done = check(place, server, "parcels", "--judge=openai:mini", "--samples=1")
    assert done.code == 1
    assert "must pass, and does not: " in done.out
    assert "\x1b[2J" not in done.out
    assert "\u202e" not in done.out

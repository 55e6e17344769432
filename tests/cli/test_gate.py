"""From a skill to a release as its author goes: check judges, run, gate, judge a sample again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.checks.test_inspection import EVALS, PACK, SCENARIO, SKILL
from tests.checks.test_release import POLICY, TRIGGERS
from tests.cli.test_model_agent import FLAGS
from tests.support.judging import decision
from tests.support.model_server import Answer, Asked, ModelServer, Text
from tests.support.recordings import record
from tests.support.shell import Shell

ANSWER = "It weighs 3 kg."


@pytest.fixture
def server() -> Iterator[ModelServer]:
    def answer(asked: Asked) -> Answer:
        judged = decision(asked.system, {"pass-1": "3 kg"})
        return judged if asked.provider == "openai" else Text(ANSWER)

    with ModelServer() as server:
        server.always(answer)
        yield server


def pack(shell: Shell) -> Path:
    """A pack whose judge has been tried."""
    evals = {**EVALS, "triggers": TRIGGERS, "scenarios": [{**SCENARIO, "strictness": "high"}]}
    shell.write("post/pack.json", PACK)
    shell.write("post/gate.yaml", POLICY)
    shell.write("post/skills/parcels/SKILL.md", SKILL)
    shell.write("post/skills/parcels/table.md", "")
    shell.write("post/skills/parcels/evals.json", json.dumps(evals))
    record(shell.root / "post" / "skills" / "parcels")
    return shell.root / "post"


def test_from_a_run_to_a_release(shell: Shell, server: ModelServer) -> None:
    root = pack(shell)
    env = {**server.variables("anthropic"), **server.variables("openai")}
    refused = shell.run("gate", "post")
    assert refused.code == 1
    assert "refused: post/parcels: has no evidence; write it with `skillgrade gate" in refused.out

    skill = "post/skills/parcels"
    assert shell.run(*FLAGS, f"--file={skill}", "--trials=10", env=env).code == 0
    (run,) = (path for path in (root / "skills/parcels/.skillgrade").iterdir() if path.is_dir())
    done = shell.run("gate", "post", f"--from={run}")
    assert (done.code, done.err) == (0, "")
    assert "post: the evidence of 1 skill holds" in done.out
    report: Any = json.loads((root / "governance" / "eval.json").read_text())["reports"][0]
    assert (report["runner"], report["model"], report["judge"], report["run"]) == (
        "model",
        "anthropic:haiku",
        "openai",
        run.name,
    )

    again = shell.run("reverify", str(run), f"--file={skill}", "--judge=openai:mini", env=env)
    assert again.code == 0
    assert "0 of 10 verdicts came out otherwise (0%, 95 % interval 0% to 28%), drawn from 10" in again.out

    server.always(lambda asked: decision(asked.system, {}))
    drifted = shell.run("reverify", "post", "--judge=openai:mini", "--sample=4", "--seed=3", "--json", env=env)
    assert drifted.code == 1
    document: Any = json.loads(drifted.out)
    assert (document["eligible"], document["sampled"], document["rate"], document["exceeded"]) == (10, 4, 1.0, True)
    first = document["disagreements"][0]
    assert (first["skill"], first["scenario"], first["recorded"], first["live"]) == (
        "post/parcels",
        "weighs",
        "pass",
        "fail",
    )
    same = json.loads(
        shell.run("reverify", "post", "--judge=openai:mini", "--sample=4", "--seed=3", "--json", env=env).out
    )
    assert same == document

    shell.write(f"{skill}/SKILL.md", SKILL + "More.\n")
    changed = shell.run("gate", "post", "--all", "--json")
    assert changed.code == 1
    answer: Any = json.loads(changed.out)
    assert answer["released"] is False
    assert answer["reasons"][0] == "post/parcels: SKILL.md or its evals have changed since the run"


def test_a_run_of_another_skill_or_judge_than_now_is_no_evidence(shell: Shell, server: ModelServer) -> None:
    root = pack(shell)
    skill = "post/skills/parcels"
    env = {**server.variables("anthropic"), **server.variables("openai")}
    assert shell.run(*FLAGS, f"--file={skill}", "--trials=2", env=env).code == 0
    (run,) = (path for path in (root / "skills/parcels/.skillgrade").iterdir() if path.is_dir())

    shell.write(f"{skill}/SKILL.md", SKILL + "More.\n")
    changed = shell.run("gate", "post", f"--from={run}")
    assert (changed.code, "or its evals have changed since this run: run them again" in changed.err) == (2, True)
    assert not (root / "governance").exists()
    shell.write(f"{skill}/SKILL.md", SKILL)

    journal = run / "journal.jsonl"
    written = journal.read_text()
    journal.write_text(written.replace('"prompt_version": "scenario-1"', '"prompt_version": "scenario-0"')
                       .replace('"prompt_version":"scenario-1"', '"prompt_version":"scenario-0"'))  # fmt: skip
    old = shell.run("gate", "post", "--all", f"--from={run}")
    assert "the judge was asked with the prompt scenario-0, and it is scenario-1 now" in old.out
    journal.write_text(
        written.replace('"model":"mini"', '"model":"maxi"', 1).replace('"model": "mini"', '"model": "maxi"', 1)
    )
    mixed = shell.run("gate", "post", f"--from={run}")
    assert (mixed.code, "evidence is of one judge" in mixed.err) == (2, True)


def test_what_cannot_be_looked_at_is_refused(shell: Shell, server: ModelServer) -> None:
    root = pack(shell)
    (root / "gate.yaml").unlink()
    for arguments, message in (
        (("gate", "post"), "it says who may judge and answer"),
        (("gate", "nowhere"), "holds neither pack.json nor SKILL.md"),
        (("gate",), "Missing argument 'PACK'"),
        (("reverify", "latest", "--judge=openai:mini"), "no run is here yet"),
        (("reverify", "latest"), "Missing option '--judge'"),
    ):
        done = shell.run(*arguments, env=server.variables("openai"))
        assert done.code == 2
        assert message in done.err
    shell.write("post/gate.yaml", POLICY)
    assert shell.run("--trials=1").code == 0
    (run,) = (path for path in (shell.root / ".skillgrade").iterdir() if path.is_dir())
    assert "is a run of no skill, and post has none such" in shell.run("gate", "post", f"--from={run}").err
    done = shell.run("reverify", "latest", "--judge=openai:mini", env=server.variables("openai"))
    assert "holds no verdict of a judge grader" in done.err
    shutil.rmtree(root)
